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

  /// Compares what a rung left in its outputs and inputs with what should be there.
  /// Of several outputs the worst is reported; a changed input is an error too.
  /// `tolerance`, if it is given, takes the place of the operation's own.
  Comparison check(const Tensors<float>& outputs,
                   const Tensors<float>& inputs_after,
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
