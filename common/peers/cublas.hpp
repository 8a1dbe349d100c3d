#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <string>
#include <tuple>

#include "peers/cublas_api.hpp"
#include "peers/cublas_library.hpp"

namespace rungs::cublas {

/// C = A B in device memory: A is M x K, B is K x N, C is M x N, all FP32,
/// row-major and without gaps.
struct Product {
  const float* a;
  const float* b;
  float* c;
  int M, N, K;
};

/// cublasSgemm. Everything throws std::exception with one sentence; nothing may be
/// called while missing() says something.
class Sgemm {
 public:
  explicit Sgemm(Math math) : math_(math) {}

  /// Makes the handle, and multiplies once, so that a later launch neither takes
  /// memory nor loads a kernel.
  void prepare(const Product& product);

  /// Puts the product into `stream`, which may be being captured.
  void launch(const Product& product, cudaStream_t stream);

 private:
  Math math_;
  Handle handle_ = nullptr;
};

/// cublasLtMatmul in pedantic FP32 with the fastest algorithm of those that cuBLAS'
/// heuristic proposes, at most eight, chosen by timing them here.
class LtBest {
 public:
  /// Chooses for this shape, unless that has been done, and says what: "algorithm 3
  /// of 8 (id 20, tile 18, stages 4, split-K 1), workspace 0 MiB".
  std::string prepare(const Product& product);

  /// Puts the product into `stream`, which may be being captured. The shape has
  /// been prepared; throws std::logic_error if it has not.
  void launch(const Product& product, cudaStream_t stream);

 private:
  /// All that a launch at one shape needs. It is kept until the process ends:
  /// shapes are few and this is small.
  struct Plan {
    LtProduct product = nullptr;
    LtLayout b = nullptr;  ///< as cuBLAS sees it, column-major
    LtLayout a = nullptr;
    LtLayout c = nullptr;
    LtHeuristic chosen = {};
    std::string note = {};
  };

  Plan make_plan(const Product& product);
  void choose(Plan& plan, const Product& product);
  void run(const Plan& plan, const LtHeuristic& with, const Product& product,
           cudaStream_t stream);

  LtHandle handle_ = nullptr;
  std::map<std::tuple<int, int, int>, Plan> plans_ = {};
};

}  // namespace rungs::cublas
