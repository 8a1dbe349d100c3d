// The layout with the bank conflicts again, where a block has one tree for a
// thousand elements of each thread: the conflicts are there, and there are too few
// of them to show.
#include "../reduction.hpp"

namespace reduction::conflicts_late {

constexpr unsigned threads = 256;
// A multiprocessor holds 2048 threads, and this is all of them.
constexpr unsigned blocks_per_multiprocessor = 8;
constexpr unsigned finish_threads = 1024;  // of the one block of the second kernel
constexpr int tree_levels = 8;             // each behind a barrier
constexpr int bytes_in_flight = sizeof(float);  // of a thread

static_assert(threads == 1u << tree_levels,
              "a tree halves the block to one thread");

// [kernel]
/// The sum of a value over the threads of a block, in thread 0. Neighbours are
/// added, then the sums of neighbours, until one is left: the threads that add are
/// the first ones, and what they add stands further apart at each level.
template <unsigned block_threads>
__device__ inline float block_sum(float value) {
  __shared__ float partial[block_threads];
  const unsigned thread = threadIdx.x;
  partial[thread] = value;
#pragma unroll 1
  for (unsigned apart = 1; apart < block_threads; apart *= 2) {
    __syncthreads();
    // A warp's addresses are two, four, eight words apart, and share banks.
    const unsigned at = 2 * apart * thread;
    if (at < block_threads) partial[at] += partial[at + apart];
  }
  return partial[0];
}

__global__ void __launch_bounds__(threads)
    pass(const float* x, unsigned count, float* partials) {
  const unsigned step = gridDim.x * threads;
  float sum = 0;
#pragma unroll 1
  for (unsigned i = blockIdx.x * threads + threadIdx.x; i < count; i += step) {
    sum += x[i];
  }
  sum = block_sum<threads>(sum);
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
  return std::clamp((count + threads - 1) / threads, 1u,
                    blocks_per_multiprocessor * multiprocessors());
}

void launch(const Operands& o, cudaStream_t stream) {
  const unsigned partials = blocks(o.count);
  pass<<<partials, threads, 0, stream>>>(o.x, o.count, o.partials);
  finish<<<1, finish_threads, 0, stream>>>(o.partials, partials, o.sum);
}

const rungs::Rung rung = problem().rung({
    .after = "few-blocks",
    .kind = rungs::Kind::rejected,
    .because = {{"wavefronts",
                 "lanes that ask the same bank are served one after another"},
                {"instructions", "a tree is next to nothing of what a block does"}},
    .argued = {{"launches", 2},
               {"blocks", h200_blocks(blocks_per_multiprocessor)},
               {"block_threads", threads},
               {"barriers_per_block", tree_levels},
               {"bytes_in_flight", bytes_in_flight}},
    .scratch_bytes =
        [](const rungs::Shape& shape) {
          return blocks(summed(shape)) * sizeof(float);
        },
    .launch = launch,
});

}  // namespace reduction::conflicts_late
