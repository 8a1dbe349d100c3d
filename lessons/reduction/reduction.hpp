/// The problem of this ladder: the sum of 2^28 floats, 1 GiB.
///
/// X has `count` elements, and those from `first` on are summed. X itself starts at
/// a multiple of 256 bytes, so that `first` decides how what is summed is aligned.
/// No element at all has the sum 0.
#pragma once

#include <algorithm>

#include "rung/cuda_error.hpp"
#include "rung/problem.hpp"

namespace reduction {

// [launch]
/// What every rung is launched on, in device memory.
struct Operands {
  const float* x;   // the first element that is summed
  float* sum;       // one float
  float* partials;  // the scratch of a rung that asks for any
  unsigned count;   // of elements; unsigned, to be stepped past without overflow
};

/// The multiprocessors of the device, asked for once.
inline unsigned multiprocessors() {
  static const int number = [] {
    int device = 0;
    int value = 0;
    rungs::require(cudaGetDevice(&device), "cudaGetDevice");
    rungs::require(
        cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, device),
        "cudaDeviceGetAttribute");
    return value;
  }();
  return static_cast<unsigned>(number);
}
// [/launch]

/// The blocks of a grid that has so many for each multiprocessor of an H200, the
/// machine that the CPU device stands for.
constexpr unsigned h200_blocks(unsigned per_multiprocessor) {
  return 132 * per_multiprocessor;
}

/// The number of elements that are summed.
inline unsigned summed(const rungs::Shape& shape) {
  return static_cast<unsigned>(std::max(shape["count"] - shape["first"], 0));
}

/// The rule of a kernel that reads quads: what it sums starts at 16 bytes.
inline std::vector<rungs::SizeRule> whole_quads() {
  return {{.size = "first", .multiple_of = 4, .at_least = 0}};
}

/// The sum by its definition, in float64.
inline void reference(const rungs::Shape& shape, const rungs::Tensors<float>& in,
                      rungs::Tensors<double>& out) {
  const std::vector<float>& x = in.at("X");
  double sum = 0;
  for (auto i = static_cast<std::size_t>(shape["first"]); i < x.size(); ++i) {
    sum += x[i];
  }
  out.at("sum")[0] = sum;
}

/// None: X is of whole numbers in [-8, 8], and FP32 holds every whole number up to
/// 2^24. A sum of n of them, taken in any order, is off zero by 4.9 sqrt(n) as a
/// standard deviation: by 2^16.3 for all of 2^28, and so is no sum of a part on the
/// way more. 2^24 is two hundred of these. So no addition is rounded, any order
/// gives the same sum, and one missing element, or one that is taken twice, shows,
/// unless it is 0.
inline rungs::Tolerance tolerance(const rungs::Shape&) {
  return {.relative = 0, .scale = 1};
}

inline const rungs::Problem<Operands>& problem() {
  static const rungs::Problem<Operands> problem(
      {
          .sizes = {"count", "first"},
          .full = {1 << 28, 0},
          // One element; none, and none of five; less than a warp; odd ends;
          // starts that are and are not at a multiple of 16 bytes.
          .small = {{1, 0},
                    {0, 0},
                    {5, 5},
                    {31, 0},
                    {4099, 1},
                    {100000, 4},
                    {(1 << 20) + 3, 0},
                    {(1 << 20) + 3, 3}},
          .inputs = {{.name = "X",
                      .extents = {"count"},
                      .low = -8,
                      .high = 8,
                      .whole = true}},
          .outputs = {{"sum", {}, tolerance}},
          .reference = reference,
          .least = {0, 0},
      },
      [](const rungs::Buffers& device, const rungs::Shape& shape) -> Operands {
        return {device.input("X") + std::min(shape["first"], shape["count"]),
                device.output("sum"), static_cast<float*>(device.scratch()),
                summed(shape)};
      });
  return problem;
}

}  // namespace reduction
