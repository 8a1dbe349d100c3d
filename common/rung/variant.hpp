#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "check/comparison.hpp"
#include "rung/rung.hpp"

namespace rungs {

/// The arithmetic that a kernel's products are made in.
enum class Math { fp32, tf32 };

/// "fp32", "tf32".
std::string_view name(Math math);

/// What of an operation's work a variant does: its rates are made of that.
struct Work {
  bool multiply_adds = false;
  bool input_bytes = false;   ///< reads each input once
  bool output_bytes = false;  ///< writes each output once
};

/// Anything that can be checked and timed at an operation: a rung, a library's
/// kernel, or a floor. A function that is not set is not needed.
struct Variant {
  std::string name = {};  ///< "transposed-a", "cublas-sgemm", "floor-copy"
  Kind kind = Kind::kept;
  Math math = Math::fp32;
  int order = 0;           ///< a rung's place in its ladder
  std::string after = {};  ///< the rung that a rung changes
  std::vector<SizeRule> sizes = {};
  std::string source_hash = {};  ///< a floor's
  Work work = {};                ///< a floor's; all else does all of it

  /// Why it is not to be had here, in one sentence; empty if it is.
  std::function<std::string()> missing = {};

  /// Bytes of device memory that the launch needs beside inputs and outputs.
  std::function<std::size_t(const Shape&)> scratch_bytes = {};

  /// Called once for a shape, before anything is launched there. Says what was
  /// chosen ("algorithm 3 of 8"), or nothing; throws if the shape cannot be done.
  std::function<std::string(const Buffers&, const Shape&)> prepare = {};

  /// Puts the kernels of one operation into a stream, and nothing else.
  std::function<void(const Buffers&, const Shape&, cudaStream_t)> launch = {};

  /// How far its outputs may be from the reference; if it is not set, what the
  /// operation says. Case::check() takes it.
  Tolerance (*tolerance)(const Shape& shape) = nullptr;

  /// Whether the buffers hold what a launch must have left there; if it is not set,
  /// outputs are compared with the operation's reference.
  std::function<Comparison(const Buffers&, const Shape&)> check = {};

  /// Why it cannot do `shape`, in one sentence; empty if it can.
  std::string refuse(const Shape& shape) const {
    return rungs::refuse(name, sizes, shape);
  }
};

/// What is linked into this program and works on `operation`: rungs in the ladder's
/// order, then peers, then floors, these by name.
std::vector<Variant> registered_variants(const Operation& operation);

}  // namespace rungs
