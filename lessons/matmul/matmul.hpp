/// The problem of this ladder: C = A B in FP32, at 1024 x 1024 x 1024.
///
/// A is M x K, B is K x N, C is M x N; all are row-major and start at a multiple of
/// 256 bytes.
#pragma once

#include <cmath>
#include <limits>

#include "check/product.hpp"
#include "rung/problem.hpp"

namespace matmul {

// [launch]
/// What every rung is launched on, in device memory.
struct Operands {
  const float* a;  // M x K
  const float* b;  // K x N
  float* c;        // M x N
  int M, N, K;
};

/// Four adjacent floats as one 128-bit access. The address is a multiple of 16
/// bytes.
__device__ inline float4& quad(float* first) {
  return *reinterpret_cast<float4*>(first);
}
__device__ inline const float4& quad(const float* first) {
  return *reinterpret_cast<const float4*>(first);
}

/// One float by a read of its own. Without volatile the compiler would merge reads
/// of adjacent floats into wider ones; the rung x3-plain-source shows what it then
/// does.
__device__ inline float read_alone(const float& value) {
  return static_cast<const volatile float&>(value);
}
// [/launch]

/// The rules of a kernel that computes whole tiles of C, rows x cols, in steps
/// along K, at least `steps` of them, and whose grid has a row of blocks for each
/// row of tiles: grid.y is at most 65535.
inline std::vector<rungs::SizeRule> whole_tiles(int rows, int cols, int k_step,
                                                int steps = 1) {
  return {{.size = "M", .multiple_of = rows, .at_most = 65535 * rows},
          {.size = "N", .multiple_of = cols},
          {.size = "K", .multiple_of = k_step, .at_least = steps * k_step}};
}

/// An element of C is a sum of K products of numbers spread evenly over [-1, 1):
/// its standard deviation, the scale, is sqrt(K) / 3. The k-th rounding of the
/// running sum is off by at most half a unit in the last place of a number near
/// sqrt(k) / 3; K such errors of random sign have a standard deviation of 0.07 K
/// eps, which is 0.2 sqrt(K) eps of the scale. 3 sqrt(K) eps is 15 of these: no sum
/// of millions reaches it, and TF32 inputs exceed it near a hundredfold.
inline rungs::Tolerance tolerance(const rungs::Shape& shape) {
  const double root = std::sqrt(shape["K"]);
  return {.relative = 3 * root * std::numeric_limits<float>::epsilon(),
          .scale = root / 3};
}

inline const rungs::Problem<Operands>& problem() {
  static const rungs::Problem<Operands> problem(
      {
          .sizes = {"M", "N", "K"},
          .full = {1024, 1024, 1024},
          .small = {{128, 64, 64}, {128, 192, 128}, {256, 128, 192}},
          .inputs = {{"A", {"M", "K"}}, {"B", {"K", "N"}}},
          .outputs = {{"C", {"M", "N"}, tolerance}},
          .reference =
              [](const rungs::Shape& shape, const rungs::Tensors<float>& in,
                 rungs::Tensors<double>& out) {
                rungs::product(in.at("A"), in.at("B"), out.at("C"), shape["M"],
                               shape["N"], shape["K"]);
              },
          .multiply_adds = [](const rungs::Shape& shape) -> std::int64_t {
            return std::int64_t{shape["M"]} * shape["N"] * shape["K"];
          },
      },
      [](const rungs::Buffers& device, const rungs::Shape& shape) -> Operands {
        return {device.input("A"), device.input("B"), device.output("C"),
                shape["M"],        shape["N"],        shape["K"]};
      });
  return problem;
}

}  // namespace matmul
