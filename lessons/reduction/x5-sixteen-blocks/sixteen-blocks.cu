// The sweep of the number of blocks, upwards: sixteen for each multiprocessor,
// twice as many as it holds at once. The second half starts when the first ends,
// and a multiprocessor that is done early has more to take.
#include "../reduction.hpp"

namespace reduction::sixteen_blocks {

constexpr unsigned threads = 256;
// Of 256 threads, and a multiprocessor holds 2048: half of these wait.
constexpr unsigned blocks_per_multiprocessor = 16;
constexpr unsigned finish_threads = 1024;  // of the one block of the second kernel
constexpr int barriers_per_block = 1;
constexpr int bytes_in_flight = sizeof(float4);  // of a thread

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
  // One read of 16 bytes in the place of four.
  const float4* const quads = reinterpret_cast<const float4*>(x);
  const unsigned step = gridDim.x * threads;
  const unsigned thread = blockIdx.x * threads + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (unsigned i = thread; i < count / 4; i += step) {
    const float4 four = quads[i];
    sum += (four.x + four.y) + (four.z + four.w);
  }
  // At most three elements are no whole quad.
  if (thread < count % 4) sum += x[count - 1 - thread];
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
  return std::clamp((count / 4 + threads - 1) / threads, 1u,
                    blocks_per_multiprocessor * multiprocessors());
}

void launch(const Operands& o, cudaStream_t stream) {
  const unsigned partials = blocks(o.count);
  pass<<<partials, threads, 0, stream>>>(o.x, o.count, o.partials);
  finish<<<1, finish_threads, 0, stream>>>(o.partials, partials, o.sum);
}

const rungs::Rung rung = problem().rung({
    .after = "quads",
    .kind = rungs::Kind::rejected,
    .because = {{"resident-threads", "eight blocks already are all that fit"},
                {"barriers", "there are twice the blocks"}},
    .argued = {{"launches", 2},
               {"blocks", h200_blocks(blocks_per_multiprocessor)},
               {"block_threads", threads},
               {"barriers_per_block", barriers_per_block},
               {"bytes_in_flight", bytes_in_flight}},
    .sizes = whole_quads(),
    .scratch_bytes =
        [](const rungs::Shape& shape) {
          return blocks(summed(shape)) * sizeof(float);
        },
    .launch = launch,
});

}  // namespace reduction::sixteen_blocks
