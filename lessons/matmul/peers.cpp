/// What this ladder is compared with beside PyTorch and Triton: cuBLAS in FP32 and,
/// apart, in TF32.
#include <cuda_runtime.h>

#include <cmath>

#include "matmul.hpp"
#include "peers/cublas.hpp"

namespace matmul {
namespace {

namespace cublas = rungs::cublas;

cublas::Product product_of(const Operands& x) {
  return {x.a, x.b, x.c, x.M, x.N, x.K};
}

/// cublasSgemm in one math mode, as functions without state.
template <cublas::Math Mode>
struct Sgemm {
  static cublas::Sgemm& instance() {
    static cublas::Sgemm sgemm(Mode);
    return sgemm;
  }
  static std::string prepare(const Operands& x, const rungs::Shape&) {
    instance().prepare(product_of(x));
    return "";
  }
  static void launch(const Operands& x, cudaStream_t stream) {
    instance().launch(product_of(x), stream);
  }
};

using Pedantic = Sgemm<cublas::pedantic_math>;
using Tf32 = Sgemm<cublas::tf32_tensor_op_math>;

struct LtBest {
  static cublas::LtBest& instance() {
    static cublas::LtBest best;
    return best;
  }
  static std::string prepare(const Operands& x, const rungs::Shape&) {
    return instance().prepare(product_of(x));
  }
  static void launch(const Operands& x, cudaStream_t stream) {
    instance().launch(product_of(x), stream);
  }
};

/// TF32 keeps ten bits of a number's fraction: rounding to it is off by at most
/// half a unit of the tenth, cutting bits off by nearly a whole one. With u = 2^-10
/// and numbers spread evenly over [-1, 1), the error of one product then has a
/// standard deviation of 0.09 u (rounded) or 0.23 u (cut), and that of a sum of K
/// of them is sqrt(K) times as large: 0.27 u or 0.70 u of the scale, sqrt(K) / 3. 6
/// u are 22 or 8 of these: no sum of millions reaches it, and inputs in BF16, eight
/// times as coarse, exceed it. The error itself, about a thousandth, shows that
/// this is not FP32: it is a hundred times FP32's tolerance.
rungs::Tolerance tf32_tolerance(const rungs::Shape& shape) {
  return {.relative = 6 * std::ldexp(1.0, -10), .scale = tolerance(shape).scale};
}

const rungs::Peer sgemm = problem().peer({.name = "cublas-sgemm",
                                          .missing = cublas::missing,
                                          .prepare = Pedantic::prepare,
                                          .launch = Pedantic::launch});

const rungs::Peer lt_best = problem().peer({.name = "cublaslt-best",
                                            .missing = cublas::missing,
                                            .prepare = LtBest::prepare,
                                            .launch = LtBest::launch});

const rungs::Peer tf32 = problem().peer({.name = "cublas-tf32",
                                         .math = rungs::Math::tf32,
                                         .tolerance = tf32_tolerance,
                                         .missing = cublas::missing,
                                         .prepare = Tf32::prepare,
                                         .launch = Tf32::launch});

}  // namespace
}  // namespace matmul
