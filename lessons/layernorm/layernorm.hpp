/// The problem of this ladder: layer normalisation in FP32 of 4096 rows of 768.
///
/// Every row of X is moved to mean 0, divided by its standard deviation, and then
/// scaled and shifted by gamma and beta, column by column. X and Y are row-major;
/// all four start at a multiple of 256 bytes.
#pragma once

#include <cmath>
#include <limits>

#include "rung/problem.hpp"

namespace layernorm {

// [launch]
/// Added to the variance, so that a row of equal values divides by something.
constexpr float epsilon = 1e-5F;

/// What every rung is launched on, in device memory.
struct Operands {
  const float* x;      // rows x width
  const float* gamma;  // width
  const float* beta;   // width
  float* y;            // rows x width
  int rows, width;
};

/// Four adjacent floats as one 128-bit access. The address is a multiple of 16
/// bytes.
__device__ inline float4& quad(float* first) {
  return *reinterpret_cast<float4*>(first);
}
__device__ inline const float4& quad(const float* first) {
  return *reinterpret_cast<const float4*>(first);
}
// [/launch]

/// The rule of a kernel that cuts rows into whole pieces of `columns` each.
inline std::vector<rungs::SizeRule> whole_pieces(int columns) {
  return {{.size = "width", .multiple_of = columns}};
}

/// Y by its definition, in float64: the mean first, then the mean square distance
/// from it.
inline void reference(const rungs::Shape& shape, const rungs::Tensors<float>& in,
                      rungs::Tensors<double>& out) {
  const std::size_t width = shape["width"];
  const std::vector<float>& gamma = in.at("gamma");
  const std::vector<float>& beta = in.at("beta");
  for (std::size_t row = 0; row < static_cast<std::size_t>(shape["rows"]); ++row) {
    const float* const x = &in.at("X")[row * width];
    double* const y = &out.at("Y")[row * width];
    double mean = 0;
    for (std::size_t col = 0; col < width; ++col) mean += x[col];
    mean /= static_cast<double>(width);
    double variance = 0;
    for (std::size_t col = 0; col < width; ++col) {
      variance += (x[col] - mean) * (x[col] - mean);
    }
    variance /= static_cast<double>(width);
    const double per_deviation = 1 / std::sqrt(variance + double{epsilon});
    for (std::size_t col = 0; col < width; ++col) {
      y[col] = (x[col] - mean) * per_deviation * gamma[col] + beta[col];
    }
  }
}

/// X is spread evenly over [-1/4, 3/4): mean 1/4, deviation s = 0.29. Y's usual
/// magnitude, the scale, is 1: distances of up to 1.7 s, over s, times a gamma of
/// [1/2, 3/2), plus a beta of [-1, 1).
///
/// A sum of W floats, added in any order, is at worst the running sum of one
/// thread, whose k-th rounding is off by half a unit in the last place of k means,
/// 0.29 k m eps as a standard deviation: after W of them, and divided by W, that is
/// 0.17 sqrt(W) m eps. For the mean it is 0.15 sqrt(W) eps of s. The mean of the
/// squares is 1.75 s^2, so that even mean square minus squared mean puts the
/// variance off by 0.3 sqrt(W) eps of itself, and 1/s by half as much. At the
/// largest distance and gamma both together move Y by 0.5 sqrt(W) eps; 2 sqrt(W)
/// eps is four of these. The rest of an element is a handful of roundings and the
/// two units of the reciprocal square root, at a magnitude of 3.6: 16 eps. To
/// forget epsilon moves Y by 1e-4, twelve times what is allowed at 768.
inline rungs::Tolerance tolerance(const rungs::Shape& shape) {
  const double root = std::sqrt(shape["width"]);
  return {.relative = (16 + 2 * root) * std::numeric_limits<float>::epsilon(),
          .scale = 1};
}

inline const rungs::Problem<Operands>& problem() {
  static const rungs::Problem<Operands> problem(
      {
          .sizes = {"rows", "width"},
          .full = {4096, 768},
          // One element; less than a block; rows that fill no block; a width that
          // no quad and no warp divides; a row that fits no registers.
          .small = {{1, 1}, {3, 33}, {5, 768}, {7, 1021}, {2, 8192}, {64, 768}},
          .inputs = {{"X", {"rows", "width"}, -0.25F, 0.75F},
                     {"gamma", {"width"}, 0.5F, 1.5F},
                     {"beta", {"width"}}},
          .outputs = {{"Y", {"rows", "width"}, tolerance}},
          .reference = reference,
      },
      [](const rungs::Buffers& device, const rungs::Shape& shape) -> Operands {
        return {device.input("X"),  device.input("gamma"), device.input("beta"),
                device.output("Y"), shape["rows"],         shape["width"]};
      });
  return problem;
}

}  // namespace layernorm
