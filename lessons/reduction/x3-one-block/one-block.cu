// One block for each multiprocessor, the grid shrunk as far as it goes. A thread
// adds eight times as many elements, and an eighth of the threads is there to have
// reads on their way.
#include "../reduction.hpp"

namespace reduction::one_block {

constexpr unsigned threads = 256;
// 256 threads, where a multiprocessor holds 2048.
constexpr unsigned blocks_per_multiprocessor = 1;
constexpr unsigned finish_threads = 1024;  // of the one block of the second kernel
constexpr int barriers_per_block = 1;
constexpr int bytes_in_flight = 4 * sizeof(float);  // of a thread

static_assert(threads % 32 == 0 && threads <= 32 * 32 && finish_threads % 32 == 0 &&
                  finish_threads <= 32 * 32,
              "a block is whole warps, and one warp sums what they leave");

// [kernel]
/// The sum of a value over a warp, in lane 0: each step adds the value of the lane
/// that stands so many behind.
__device__ inline float warp_sum(float value) {
  for (unsigned behind = 16; behind > 0; behind /= 2) {
    value += __shfl_down_sync(0xffffffff, value, behind);
  }
  return value;
}

/// The sum of a value over the threads of a block, in thread 0. Inside a warp it
/// goes from register to register; only the warps meet in shared memory, once.
template <unsigned block_threads>
__device__ inline float block_sum(float value) {
  constexpr unsigned warps = block_threads / 32;
  __shared__ float partial[warps];
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  value = warp_sum(value);
  if (lane == 0) partial[warp] = value;
  __syncthreads();
  if (warp == 0) value = warp_sum(lane < warps ? partial[lane] : 0);
  return value;
}

__global__ void __launch_bounds__(threads)
    pass(const float* x, unsigned count, float* partials) {
  const unsigned step = gridDim.x * threads;
  unsigned i = blockIdx.x * threads + threadIdx.x;
  float sum = 0;
  // Each turn's four reads are on their way before the first addition waits for
  // one.
#pragma unroll 1
  for (; i + 3 * step < count; i += 4 * step) {
    const float first = x[i];
    const float second = x[i + step];
    const float third = x[i + 2 * step];
    const float fourth = x[i + 3 * step];
    sum += (first + second) + (third + fourth);
  }
  // At most three more.
#pragma unroll 1
  for (; i < count; i += step) sum += x[i];
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
    .after = "in-flight",
    .kind = rungs::Kind::rejected,
    .because = {{"resident-threads",
                 "the grid has an eighth of the threads that fit"},
                {"loads-in-flight",
                 "a multiprocessor waits for an eighth of the bytes"},
                {"barriers", "there is an eighth of the blocks"}},
    .argued = {{"launches", 2},
               {"blocks", h200_blocks(blocks_per_multiprocessor)},
               {"block_threads", threads},
               {"barriers_per_block", barriers_per_block},
               {"bytes_in_flight", bytes_in_flight}},
    .scratch_bytes =
        [](const rungs::Shape& shape) {
          return blocks(summed(shape)) * sizeof(float);
        },
    .launch = launch,
});

}  // namespace reduction::one_block
