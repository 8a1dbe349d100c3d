/// A small operation with two outputs, one of them a scalar: scaled = 2 x, sum =
/// sum of x.
#pragma once

#include "check/operation.hpp"

namespace rungs::toy {

inline int references_made = 0;

inline Tolerance tolerance(const Shape&) { return {.relative = 1e-5, .scale = 1}; }

inline Operation operation() {
  return {
      .sizes = {"rows", "cols"},
      .full = {64, 32},
      .small = {{2, 3}, {3, 5}},
      .inputs = {{"x", {"rows", "cols"}, 0, 1}},
      .outputs = {{"scaled", {"rows", "cols"}, tolerance}, {"sum", {}, tolerance}},
      .reference = [](const Shape&, const Tensors<float>& in,
                      Tensors<double>& out) {
        ++references_made;
        const std::vector<float>& x = in.at("x");
        for (std::size_t i = 0; i < x.size(); ++i) {
          out.at("scaled")[i] = 2.0 * x[i];
          out.at("sum")[0] += x[i];
        }
      }};
}

}  // namespace rungs::toy
