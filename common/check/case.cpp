#include "check/case.hpp"

#include "check/inputs.hpp"

namespace rungs {

Case::Case(const Operation& operation, Shape shape, std::uint64_t seed)
    : operation_(&operation), shape_(std::move(shape)) {
  std::uint64_t stream = 0;
  for (const Input& input : operation.inputs) {
    const auto fill = input.whole ? whole_numbers : uniform;
    inputs_[input.name] = fill(element_count(shape_, input.extents), seed, stream++,
                               input.low, input.high);
  }
}

const Tensors<double>& Case::reference() {
  if (!has_reference_) {
    for (const Output& output : operation_->outputs) {
      const auto count =
          static_cast<std::size_t>(element_count(shape_, output.extents));
      reference_[output.name].resize(count);
    }
    operation_->reference(shape_, inputs_, reference_);
    has_reference_ = true;
  }
  return reference_;
}

Comparison Case::check(const Tensors<float>& outputs,
                       const std::string& changed_input,
                       Tolerance (*tolerance)(const Shape& shape)) {
  Comparison worst{.passed = true};
  for (const Output& output : operation_->outputs) {
    std::vector<int> extents;
    for (const std::string& extent : output.extents)
      extents.push_back(shape_[extent]);
    const auto allowed = tolerance != nullptr ? tolerance : output.tolerance;
    const Comparison found = compare(output.name, extents, outputs.at(output.name),
                                     reference().at(output.name), allowed(shape_));
    // A failure outranks any error that passed, the larger error a smaller one.
    const bool worse = found.passed == worst.passed
                           ? !(found.max_relative_error <= worst.max_relative_error)
                           : worst.passed;
    if (worse) worst = found;
  }
  if (worst.passed && !changed_input.empty()) {
    worst.passed = false;
    worst.message = "the input " + changed_input + " was changed";
  }
  return worst;
}

}  // namespace rungs
