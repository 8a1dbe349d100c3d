// At most 65536 blocks, which walk over the elements: a thread adds every one that
// is a whole grid behind the last. It sums sixteen of them before the tree, so
// there are a sixteenth of the trees and of the partial sums.
#include "../reduction.hpp"

namespace reduction::grid_stride {

constexpr unsigned threads = 256;
constexpr unsigned most_blocks = 65536;
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
  // The grid is as large as it is, and not as large as the input: a thread takes
  // one element of each stretch that the whole grid covers.
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
  return std::clamp((count + threads - 1) / threads, 1u, most_blocks);
}

void launch(const Operands& o, cudaStream_t stream) {
  const unsigned partials = blocks(o.count);
  pass<<<partials, threads, 0, stream>>>(o.x, o.count, o.partials);
  finish<<<1, finish_threads, 0, stream>>>(o.partials, partials, o.sum);
}

const rungs::Rung rung = problem().rung({
    .after = "tree",
    .kind = rungs::Kind::kept,
    .because =
        {{"blocks",
          "a sixteenth of the blocks has to be started, and leaves a partial sum"},
         {"barriers", "a block goes through its tree once for 4096 elements"},
         {"instructions",
          "an element costs one turn of a short loop instead of its share of a "
          "tree, and one block sums a sixteenth of the partial sums"},
         {"bytes",
          "every element is still read once; if bytes were the limit, all but "
          "nothing would be gained"},
         {"loads-in-flight", "a thread still waits for one float at a time"}},
    .argued = {{"launches", 2},
               {"blocks", most_blocks},
               {"block_threads", threads},
               {"barriers_per_block", tree_levels},
               {"bytes_in_flight", bytes_in_flight}},
    .scratch_bytes =
        [](const rungs::Shape& shape) {
          return blocks(summed(shape)) * sizeof(float);
        },
    .launch = launch,
});

}  // namespace reduction::grid_stride
