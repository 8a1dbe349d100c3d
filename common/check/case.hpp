#pragma once

#include <cstdint>

#include "check/comparison.hpp"
#include "check/operation.hpp"

namespace rungs {

/// An operation at one shape with one seed: its inputs and, made when first needed
/// and then kept for every rung, its reference.
class Case {
 public:
  Case(const Operation& operation, Shape shape, std::uint64_t seed);

  const Operation& operation() const { return *operation_; }
  const Shape& shape() const { return shape_; }
  const Tensors<float>& inputs() const { return inputs_; }

  /// Compares what a rung left in its outputs with what should be there. Of several
  /// outputs the worst is reported. `tolerance`, if it is given, takes the place of
  /// the operation's own. `changed_input` names an input that the rung wrote to,
  /// which is an error too; empty if it wrote to none.
  Comparison check(const Tensors<float>& outputs,
                   const std::string& changed_input = "",
                   Tolerance (*tolerance)(const Shape& shape) = nullptr);

 private:
  const Tensors<double>& reference();

  const Operation* operation_;
  Shape shape_;
  Tensors<float> inputs_;
  Tensors<double> reference_;
  bool has_reference_ = false;
};

}  // namespace rungs
