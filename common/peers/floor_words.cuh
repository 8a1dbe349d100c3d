#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

/// What the floors of memory share in their kernels: sums of the words that they
/// read, so that the compiler can leave no read out, and the check can find one.
namespace rungs::floors {

// [launch]
constexpr int lanes_of_a_warp = 32;

__device__ inline std::uint32_t sum_of(const uint4& words) {
  return words.x + words.y + words.z + words.w;
}

/// Adds up what the threads of a warp have, and writes it to place `warp` of
/// `sums`.
__device__ inline void keep(std::uint32_t sum, std::uint32_t* sums, unsigned warp) {
#pragma unroll
  for (int lanes = lanes_of_a_warp / 2; lanes > 0; lanes /= 2) {
    sum += __shfl_xor_sync(0xFFFFFFFFu, sum, lanes);
  }
  if (threadIdx.x % lanes_of_a_warp == 0) sums[warp] = sum;
}
// [/launch]

}  // namespace rungs::floors
