// A thread for every element. A block of 256 threads puts its elements into shared
// memory and halves them by a tree of eight levels, a barrier before each. What is
// left are 2^20 partial sums; a second kernel, of one block, sums them by the same
// tree.
#include "../reduction.hpp"

namespace reduction::tree {

constexpr unsigned threads = 256;
constexpr unsigned finish_threads = 1024;  // of the one block of the second kernel
constexpr int tree_levels = 8;             // each behind a barrier
constexpr int bytes_in_flight = sizeof(float);  // of a thread

static_assert(threads == 1u << tree_levels,
              "a tree halves the block to one thread");

// [kernel]
/// The sum of a value over the threads of a block, in thread 0. The upper half is
/// added to the lower one, until one is left.
template <unsigned block_threads>
__device__ inline float block_sum(float value) {
  __shared__ float partial[block_threads];
  const unsigned thread = threadIdx.x;
  partial[thread] = value;
#pragma unroll 1
  for (unsigned half = block_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half) partial[thread] += partial[thread + half];
  }
  return partial[0];
}

__global__ void __launch_bounds__(threads)
    pass(const float* x, unsigned count, float* partials) {
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  const float sum = block_sum<threads>(i < count ? x[i] : 0);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

__global__ void __launch_bounds__(finish_threads)
    finish(const float* partials, unsigned count, float* sum) {
  float value = 0;
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < count; i += finish_threads) {
    value += partials[i];
  }
  value = block_sum<finish_threads>(value);
  if (threadIdx.x == 0) *sum = value;
}
// [/kernel]

/// One block at least: it writes the sum of no element.
unsigned blocks(unsigned count) {
  return std::max((count + threads - 1) / threads, 1u);
}

void launch(const Operands& o, cudaStream_t stream) {
  const unsigned partials = blocks(o.count);
  pass<<<partials, threads, 0, stream>>>(o.x, o.count, o.partials);
  finish<<<1, finish_threads, 0, stream>>>(o.partials, partials, o.sum);
}

const rungs::Rung rung = problem().rung({
    .kind = rungs::Kind::kept,
    .argued = {{"launches", 2},
               {"blocks", (1u << 28) / threads},
               {"block_threads", threads},
               {"barriers_per_block", tree_levels},
               {"bytes_in_flight", bytes_in_flight}},
    .scratch_bytes =
        [](const rungs::Shape& shape) {
          return blocks(summed(shape)) * sizeof(float);
        },
    .launch = launch,
});

}  // namespace reduction::tree
