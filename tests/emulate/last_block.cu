// A sum in one launch: each block leaves a partial sum, and the block that finds by
// a counter that it is the last adds them up, with the fence that this needs. The
// counter is the program's own variable and goes back to zero by itself.
#include <vector>

#include "expect.hpp"

constexpr unsigned threads = 128, blocks = 300;

__device__ unsigned blocks_done;
__device__ float partials[blocks];

__device__ float load_once(const float* address) {
  float value;
  asm volatile("ld.global.nc.L1::no_allocate.L2::256B.f32 %0, [%1];"
               : "=f"(value)
               : "l"(__cvta_generic_to_global(address)));
  return value;
}

/// The block's sum, in thread 0.
__device__ float block_sum(float value) {
  __shared__ float of_thread[threads];
  of_thread[threadIdx.x] = value;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned i = 1; i < threads; ++i) value += of_thread[i];
  }
  __syncthreads();
  return value;
}

__global__ void sum(const float* x, float* out, unsigned* lasts) {
  __shared__ bool is_last;
  const float value = block_sum(load_once(x + blockIdx.x * threads + threadIdx.x));
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = value;
    __threadfence();
    is_last = atomicInc(&blocks_done, blocks - 1) == blocks - 1;
  }
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  float rest = 0;
  for (unsigned i = threadIdx.x; i < blocks; i += threads) {
    rest += *static_cast<volatile float*>(&partials[i]);
  }
  rest = block_sum(rest);
  if (threadIdx.x == 0) {
    *out = rest;
    atomicAdd(lasts, 1u);
  }
}

int main() {
  emulate::need_device();
  constexpr unsigned count = threads * blocks;
  float *x, *out;
  unsigned* lasts;
  EXPECT_OK(cudaMalloc(&x, count * sizeof(float)));
  EXPECT_OK(cudaMalloc(&out, sizeof(float)));
  EXPECT_OK(cudaMalloc(&lasts, sizeof(unsigned)));
  EXPECT_OK(cudaMemset(lasts, 0, sizeof(unsigned)));
  std::vector<float> values(count);
  // Whole numbers: their sums are exact in any order.
  for (unsigned launch = 1; launch <= 5; ++launch) {
    float expected = 0;
    for (unsigned i = 0; i < count; ++i) {
      values[i] = static_cast<float>((i * launch) % 17) - 8;
      expected += values[i];
    }
    EXPECT_OK(cudaMemcpy(x, values.data(), count * sizeof(float),
                         cudaMemcpyHostToDevice));
    sum<<<blocks, threads>>>(x, out, lasts);
    EXPECT_OK(cudaDeviceSynchronize());
    float got;
    unsigned times, counter;
    EXPECT_OK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    EXPECT_OK(cudaMemcpy(&times, lasts, sizeof times, cudaMemcpyDeviceToHost));
    EXPECT_OK(cudaMemcpyFromSymbol(&counter, blocks_done, sizeof counter));
    EXPECT(got == expected);
    EXPECT(times == launch);
    EXPECT(counter == 0);
  }
  return emulate::result();
}
