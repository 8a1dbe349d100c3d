/// A second ladder, for the tests: the sum of n numbers. It is as unlike matrix
/// multiply as the course allows: one size, a scalar output, scratch, two kernels,
/// no multiply-add.
#pragma once

#include <cmath>
#include <limits>
#include <numeric>

#include "rung/problem.hpp"

namespace sum {

struct Operands {
  const float* x;   // n
  float* total;     // 1
  float* partials;  // what the rung asks for as scratch
  int n;
};

inline rungs::Tolerance tolerance(const rungs::Shape& shape) {
  return {.relative = 1e-5, .scale = std::sqrt(shape["n"])};
}

inline const rungs::Problem<Operands>& problem() {
  static const rungs::Problem<Operands> problem(
      {.sizes = {"n"},
       .full = {1 << 16},
       .small = {{1024}, {3072}},
       .inputs = {{"x", {"n"}}},
       .outputs = {{"total", {}, tolerance}},
       .reference =
           [](const rungs::Shape&, const rungs::Tensors<float>& in,
              rungs::Tensors<double>& out) {
             const std::vector<float>& x = in.at("x");
             out.at("total")[0] = std::accumulate(x.begin(), x.end(), 0.0);
           }},
      [](const rungs::Buffers& device, const rungs::Shape& shape) -> Operands {
        return {device.input("x"), device.output("total"),
                static_cast<float*>(device.scratch()), shape["n"]};
      });
  return problem;
}

}  // namespace sum
