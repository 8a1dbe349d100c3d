#include "rung/cuda_error.hpp"

namespace rungs {

CudaError::CudaError(cudaError_t code, const std::string& call)
    : std::runtime_error(call + " failed with " + cudaGetErrorName(code) + ", " +
                         cudaGetErrorString(code)),
      code_(code) {}

}  // namespace rungs
