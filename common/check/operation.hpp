#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "check/shape.hpp"
#include "check/tolerance.hpp"

namespace rungs {

/// Tensors by name, row-major, in the host's memory.
template <class Element>
using Tensors = std::map<std::string, std::vector<Element>>;

/// An FP32 tensor that a kernel reads, filled evenly over [low, high), or, if it is
/// `whole`, with whole numbers of low, low + 1, ..., high, each as often. Its
/// extents are sizes of the shape by name, outermost first; none at all for a
/// scalar.
struct Input {
  std::string name = {};
  std::vector<std::string> extents = {};
  float low = -1;
  float high = 1;
  bool whole = false;  ///< whole numbers only; low and high are whole then
};

/// An FP32 tensor that a kernel writes.
struct Output {
  std::string name = {};
  std::vector<std::string> extents = {};
  Tolerance (*tolerance)(const Shape& shape) = nullptr;
};

/// An operation as data: what it takes, what it gives, what the right answer is.
struct Operation {
  /// Names of the sizes, in the order of --shape and of the two members below.
  std::vector<std::string> sizes = {};

  /// The shape that the ladder is about.
  std::vector<int> full = {};

  /// Shapes to check at first. They are not square, so that a transposition shows.
  /// A rung leaves out those that it does not do, and must do two.
  std::vector<std::vector<int>> small = {};

  std::vector<Input> inputs = {};
  std::vector<Output> outputs = {};

  /// Fills `outputs`, which have the right lengths and hold zeros, in float64.
  void (*reference)(const Shape& shape, const Tensors<float>& inputs,
                    Tensors<double>& outputs) = nullptr;

  /// Multiply-adds that the answer needs at `shape`; null if they are not the
  /// measure of its work.
  std::int64_t (*multiply_adds)(const Shape& shape) = nullptr;

  /// The smallest value of each size; empty: 1 each. 0 makes a tensor that has this
  /// extent empty, and suits a size that is no extent, such as an offset.
  std::vector<int> least = {};

  /// The smallest value of the size at `index`.
  int least_of(std::size_t index) const { return least.empty() ? 1 : least[index]; }

  Shape shape(const std::vector<int>& values) const { return {sizes, values}; }
};

/// Why no rung can do `operation` at `shape`, in one sentence: a tensor has more
/// elements than an int counts, or `available_bytes` of memory are too few. Empty
/// if one can.
std::string refuse(const Operation& operation, const Shape& shape,
                   double available_bytes);

/// Why these are not sizes of `operation`: "is not 3 positive sizes", for the
/// caller to say of what. Empty if they are.
std::string wrong_sizes(const Operation& operation, const std::vector<int>& sizes);

/// Bytes of memory that this machine can still give, by /proc/meminfo.
double available_memory();

}  // namespace rungs
