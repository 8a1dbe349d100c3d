#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace rungs {

/// A call of the CUDA runtime that failed. what() says which call, and CUDA's words
/// for it.
class CudaError : public std::runtime_error {
 public:
  CudaError(cudaError_t code, const std::string& call);
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};

/// Throws CudaError unless `code` is cudaSuccess. The one CUDA check of the course:
/// require(cudaDeviceSynchronize(), "cudaDeviceSynchronize").
inline void require(cudaError_t code, const std::string& call) {
  if (code != cudaSuccess) throw CudaError(code, call);
}

}  // namespace rungs
