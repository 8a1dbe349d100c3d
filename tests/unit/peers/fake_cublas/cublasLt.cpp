#include <algorithm>
#include <cstring>

#include "fake.hpp"

using namespace rungs::cublas;  // NOLINT: the names of the interface that this
                                // fakes

namespace {

struct Layout {
  int rows, cols;
  long leading;
};

const Layout& of(LtLayout layout) {
  return *reinterpret_cast<const Layout*>(layout);
}

}  // namespace

extern "C" {

Status cublasLtCreate(LtHandle* handle) {
  *handle = reinterpret_cast<LtHandle>(new int);
  return success;
}

Status cublasLtMatmulDescCreate(LtProduct* product, ComputeType type,
                                cudaDataType) {
  fake::log("compute type " + std::to_string(type));
  *product = reinterpret_cast<LtProduct>(new int);
  return success;
}

Status cublasLtMatrixLayoutCreate(LtLayout* layout, cudaDataType,
                                  std::uint64_t rows, std::uint64_t cols,
                                  std::int64_t leading) {
  *layout = reinterpret_cast<LtLayout>(
      new Layout{static_cast<int>(rows), static_cast<int>(cols), leading});
  return success;
}

Status cublasLtMatmulPreferenceCreate(LtPreference* preference) {
  *preference = reinterpret_cast<LtPreference>(new int);
  return success;
}

Status cublasLtMatmulPreferenceDestroy(LtPreference preference) {
  delete reinterpret_cast<int*>(preference);
  return success;
}

Status cublasLtMatmulPreferenceSetAttribute(LtPreference, Preference,
                                            const void* value, std::size_t bytes) {
  std::uint64_t workspace = 0;
  std::memcpy(&workspace, value, std::min(bytes, sizeof(workspace)));
  fake::log("workspace " + std::to_string(workspace));
  return bytes == sizeof(std::uint64_t) ? success : 7;
}

/// FAKE_CUBLAS_PROPOSALS: a letter for each proposal. r runs; x is proposed but
/// does not run; n is not to be used, by its own state.
Status cublasLtMatmulAlgoGetHeuristic(LtHandle, LtProduct, LtLayout, LtLayout,
                                      LtLayout, LtLayout, LtPreference, int asked,
                                      LtHeuristic* results, int* found) {
  const char* const letters = std::getenv("FAKE_CUBLAS_PROPOSALS");
  const std::string proposals = letters == nullptr ? "r" : letters;
  *found = std::min(asked, static_cast<int>(proposals.size()));
  for (int i = 0; i < *found; ++i) {
    results[i] = {};
    results[i].algorithm.data[0] = static_cast<std::uint64_t>(proposals[i]);
    results[i].algorithm.data[1] = static_cast<std::uint64_t>(40 + i);
    results[i].workspace_bytes = 3 << 20;
    results[i].state = proposals[i] == 'n' ? 15 : success;
  }
  return success;
}

Status cublasLtMatmulAlgoConfigGetAttribute(const LtAlgorithm* algorithm,
                                            AlgorithmAttribute attribute,
                                            void* value, std::size_t bytes,
                                            std::size_t* written) {
  const auto number =
      static_cast<std::int32_t>(attribute == algorithm_id ? algorithm->data[1] : 1);
  if (bytes != sizeof(number)) return 7;
  std::memcpy(value, &number, bytes);
  *written = bytes;
  return success;
}

Status cublasLtMatmul(LtHandle, LtProduct, const void* alpha, const void* a,
                      LtLayout a_layout, const void* b, LtLayout b_layout,
                      const void* beta, const void* c, LtLayout c_layout, void* d,
                      LtLayout d_layout, const LtAlgorithm* algorithm,
                      void* workspace, std::size_t workspace_bytes, cudaStream_t) {
  if (algorithm->data[0] == 'x') return 15;
  if (c != d || workspace == nullptr || workspace_bytes != 32u << 20) return 7;
  if (of(a_layout).cols != of(b_layout).rows) return 7;
  fake::log("lt product by " + std::to_string(algorithm->data[1]));
  fake::multiply(of(a_layout).rows, of(b_layout).cols, of(a_layout).cols,
                 *static_cast<const float*>(alpha), static_cast<const float*>(a),
                 of(a_layout).leading, static_cast<const float*>(b),
                 of(b_layout).leading, *static_cast<const float*>(beta),
                 static_cast<float*>(d), of(d_layout).leading);
  static_cast<void>(c_layout);
  return success;
}
}
