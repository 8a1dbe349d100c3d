/// A ladder of two rungs that are never launched: what descriptions, options and
/// documents need.
#pragma once

#include "rung/problem.hpp"

namespace rungs::toy {

struct Operands {
  const float* x;
  float* sum;
  int rows, cols;
};

inline Tolerance tolerance(const Shape&) { return {.relative = 1e-5, .scale = 1}; }

inline void reference(const Shape&, const Tensors<float>& in,
                      Tensors<double>& out) {
  for (const float x : in.at("x")) out.at("sum")[0] += x;
}

inline const Problem<Operands>& problem() {
  static const Problem<Operands> problem(
      {.sizes = {"rows", "cols"},
       .full = {64, 32},
       .small = {{2, 3}, {3, 5}},
       .inputs = {{"x", {"rows", "cols"}}},
       .outputs = {{"sum", {}, tolerance}},
       .reference = reference,
       .multiply_adds =
           [](const Shape& shape) {
             return std::int64_t{shape["rows"]} * shape["cols"];
           }},
      [](const Buffers& device, const Shape& shape) -> Operands {
        return {device.input("x"), device.output("sum"), shape["rows"],
                shape["cols"]};
      });
  return problem;
}

inline void launch(const Operands&, cudaStream_t) {}

inline const Rung& first() {
  static const Rung rung(
      {"toy", "first", 0}, problem().operation(),
      {.launch = [](const Buffers&, const Shape&, cudaStream_t) {}});
  return rung;
}

inline const Rung& second() {
  static const Rung rung(
      {"toy", "second", 1}, problem().operation(),
      {.after = "first",
       .kind = Kind::rejected,
       .because = {{"reads", "half as many"}},
       .argued = {{"shared_reads_per_multiply_add", 0.5}, {"block_threads", 256}},
       .sizes = {{.size = "rows", .multiple_of = 64, .at_most = 640},
                 {.size = "cols", .multiple_of = 6}},
       .launch = [](const Buffers&, const Shape&, cudaStream_t) {}});
  return rung;
}

}  // namespace rungs::toy
