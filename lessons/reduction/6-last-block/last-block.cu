// One kernel. A multiprocessor holds two blocks of 1024 threads, a thread has four
// quads on their way, and what is read once leaves no trace in the first cache. A
// block counts itself when its sum is in memory, and the one that counts last sums
// what all have left: there is no second kernel to wait for.
#include "../reduction.hpp"

namespace reduction::last_block {

constexpr unsigned threads = 1024;
// A multiprocessor holds 2048 threads, and this is all of them.
constexpr unsigned blocks_per_multiprocessor = 2;
constexpr unsigned quads_at_once = 4;  // that a thread has under way
constexpr unsigned tile_quads = threads * quads_at_once;  // 64 KiB, for one block
constexpr int barriers_per_block = 2;
constexpr int bytes_in_flight = quads_at_once * sizeof(float4);

static_assert(threads % 32 == 0 && threads <= 32 * 32,
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
__device__ inline float block_sum(float value) {
  constexpr unsigned warps = threads / 32;
  __shared__ float partial[warps];
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  value = warp_sum(value);
  if (lane == 0) partial[warp] = value;
  __syncthreads();
  if (warp == 0) value = warp_sum(lane < warps ? partial[lane] : 0);
  return value;
}

/// A quad that nobody reads again, so that the first cache need not keep it. `nc`
/// says that nothing writes it while the kernel runs.
__device__ inline float4 read_once(const float4* quad) {
  float4 four;
  asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(four.x), "=f"(four.y), "=f"(four.z), "=f"(four.w)
               : "l"(quad));
  return four;
}

/// Blocks of the launch that have left their sum. The last one puts it back to 0,
/// so the next launch finds it so. Two launches must not run at the same time.
__device__ unsigned finished;

__global__ void __launch_bounds__(threads, blocks_per_multiprocessor)
    kernel(const float* x, unsigned count, float* partials, float* sum) {
  __shared__ bool is_last;
  const unsigned thread = threadIdx.x;

  // A block takes 64 KiB that lie together, and goes on where the grid ends.
  const float4* const quads = reinterpret_cast<const float4*>(x);
  const unsigned tiles = count / 4 / tile_quads;
  float value = 0;
#pragma unroll 1
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const float4* const mine = quads + tile * tile_quads + thread;
    // All are on their way before the first addition waits for one.
    const float4 a = read_once(mine);
    const float4 b = read_once(mine + threads);
    const float4 c = read_once(mine + 2 * threads);
    const float4 d = read_once(mine + 3 * threads);
    value += (a.x + a.y) + (a.z + a.w);
    value += (b.x + b.y) + (b.z + b.w);
    value += (c.x + c.y) + (c.z + c.w);
    value += (d.x + d.y) + (d.z + d.w);
  }
  // Less than a tile is left.
#pragma unroll 1
  for (unsigned i = tiles * tile_quads * 4 + blockIdx.x * threads + thread;
       i < count; i += gridDim.x * threads) {
    value += x[i];
  }

  value = block_sum(value);
  if (thread == 0) {
    partials[blockIdx.x] = value;
    // The sum is in memory before the block counts, and every block's sum is there
    // for the one that finds that all have counted.
    __threadfence();
    is_last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!is_last) return;

  value = 0;
  // From the second cache: the first one may hold an earlier launch's sums.
#pragma unroll 1
  for (unsigned i = thread; i < gridDim.x; i += threads) {
    value += __ldcg(&partials[i]);
  }
  value = block_sum(value);
  if (thread == 0) *sum = value;
}
// [/kernel]

/// One block at least: it writes the sum of no element.
unsigned blocks(unsigned count) {
  return std::clamp((count + threads - 1) / threads, 1u,
                    blocks_per_multiprocessor * multiprocessors());
}

void launch(const Operands& o, cudaStream_t stream) {
  kernel<<<blocks(o.count), threads, 0, stream>>>(o.x, o.count, o.partials, o.sum);
}

const rungs::Rung rung = problem().rung({
    .after = "quads",
    .kind = rungs::Kind::beyond,
    .because =
        {{"launches", "the last block does what the second kernel did"},
         {"loads-in-flight", "a thread waits for four quads at once, not for one"},
         {"instructions", "the loop's own work is shared by sixteen elements"},
         {"bytes",
          "every element is still read once; nothing is to be gained where the "
          "memory delivers all that it can"}},
    .argued = {{"launches", 1},
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

}  // namespace reduction::last_block
