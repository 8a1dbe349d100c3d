// Each block sums its part into scratch; a second kernel of one thread sums the
// parts.
#include "../sum.hpp"

namespace sum::two_kernels {

constexpr int threads = 256;
constexpr int part = 1024;

__global__ void sum_parts(const float* x, float* partials) {
  __shared__ float warps[threads / 32];
  float sum = 0;
  for (int i = 0; i < part / threads; ++i) {
    sum += x[blockIdx.x * part + i * threads + threadIdx.x];
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    sum += __shfl_down_sync(0xFFFFFFFFu, sum, lanes);
  }
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < threads / 32; ++i) sum += warps[i];
    partials[blockIdx.x] = sum;
  }
}

__global__ void sum_partials(const float* partials, int count, float* total) {
  float sum = 0;
  for (int i = 0; i < count; ++i) sum += partials[i];
  *total = sum;
}

void launch(const Operands& y, cudaStream_t stream) {
  sum_parts<<<y.n / part, threads, 0, stream>>>(y.x, y.partials);
  sum_partials<<<1, 1, 0, stream>>>(y.partials, y.n / part, y.total);
}

const rungs::Rung rung = problem().rung({
    .argued = {{"block_threads", threads}},
    .sizes = {{.size = "n", .multiple_of = part}},
    .scratch_bytes =
        [](const rungs::Shape& shape) { return shape["n"] / part * sizeof(float); },
    .launch = launch,
});

}  // namespace sum::two_kernels
