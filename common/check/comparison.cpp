#include "check/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "check/poison.hpp"

namespace rungs {
namespace {

/// C[3][17], the element at `index` of a row-major tensor.
std::string element_name(const std::string& name, const std::vector<int>& extents,
                         std::size_t index) {
  std::string subscripts;
  for (auto extent = extents.rbegin(); extent != extents.rend(); ++extent) {
    const auto size = static_cast<std::size_t>(*extent);
    subscripts = "[" + std::to_string(index % size) + "]" + subscripts;
    index /= size;
  }
  return name + subscripts;
}

}  // namespace

Comparison compare(const std::string& name, const std::vector<int>& extents,
                   std::span<const float> output, std::span<const double> reference,
                   const Tolerance& tolerance) {
  if (output.size() != reference.size() || output.empty()) {
    throw std::invalid_argument("an output and its reference differ in length");
  }
  Comparison result{.tolerance = tolerance.relative};
  std::size_t wrong = 0;
  std::size_t unwritten = 0;
  std::size_t first_wrong = 0;
  for (std::size_t i = 0; i < output.size(); ++i) {
    const double error = std::abs(output[i] - reference[i]) /
                         std::max(std::abs(reference[i]), tolerance.scale);
    // Written so that a NaN fails: every comparison with it is false.
    if (!(error <= tolerance.relative) && output[i] != reference[i]) {
      if (wrong++ == 0) first_wrong = i;
      if (is_poison(output[i])) ++unwritten;
    }
    if (!std::isfinite(output[i])) {
      result.max_relative_error = std::numeric_limits<double>::quiet_NaN();
    } else if (error > result.max_relative_error) {
      result.max_relative_error = error;
    }
  }
  result.passed = wrong == 0;
  if (!result.passed) {
    std::ostringstream message;
    message.precision(9);
    message << wrong << " of " << output.size() << " elements of " << name
            << " are wrong, the first is "
            << element_name(name, extents, first_wrong) << " = "
            << output[first_wrong] << ", which should be "
            << reference[first_wrong];
    if (unwritten > 0) message << "; " << unwritten << " were never written";
    result.message = message.str();
  }
  return result;
}

}  // namespace rungs
