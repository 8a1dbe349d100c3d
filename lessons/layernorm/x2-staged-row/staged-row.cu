// One warp a row, and the row stays in shared memory from its first read on: 24 KiB
// a block at 768 columns. It is read once from global memory, and twice from a
// memory that answers hardly sooner than the L1 cache, which held the row as well.
#include "../layernorm.hpp"

namespace layernorm::staged_row {

constexpr int threads = 256;
constexpr int rows_per_block = threads / 32;  // a warp for each
constexpr int quads_at_once = 3;              // that a lane has under way
constexpr int warp_columns = 32 * 4;  // that a warp reads in one instruction
constexpr int step = quads_at_once * warp_columns;
constexpr int most_columns = 48 * 1024 / sizeof(float) / rows_per_block;

constexpr int shared_bytes(int width) {
  return rows_per_block * width * sizeof(float);
}

static_assert(threads % 32 == 0, "a block is whole warps");

// [kernel]
/// The sum of a value over a warp, in every lane: each step adds the value of the
/// lane whose number differs in one bit.
__device__ inline float warp_sum(float value) {
  for (int bit = 16; bit > 0; bit /= 2) {
    value += __shfl_xor_sync(0xffffffff, value, bit);
  }
  return value;
}

__global__ void __launch_bounds__(threads)
    kernel(const float* __restrict__ x, const float* __restrict__ gamma,
           const float* __restrict__ beta, float* __restrict__ y, int rows,
           int width) {
  extern __shared__ __align__(16) unsigned char shared[];

  const int lane = threadIdx.x % 32;
  const int row = blockIdx.x * rows_per_block + threadIdx.x / 32;
  // The last block's warps may have no row. They leave: nobody waits for them.
  if (row >= rows) return;
  const float* const x_row = x + row * width;
  float* const y_row = y + row * width;
  // A lane reads back only what it stored itself: no barrier.
  float* const staged = reinterpret_cast<float*>(shared) + threadIdx.x / 32 * width;

  // A warp reads 512 adjacent bytes in one instruction, one quad a lane.
  float sum = 0;
#pragma unroll 1
  for (int start = lane * 4; start < width; start += step) {
#pragma unroll
    for (int i = 0; i < quads_at_once; ++i) {
      const float4 four = quad(&x_row[start + i * warp_columns]);
      quad(&staged[start + i * warp_columns]) = four;
      sum += four.x + four.y + four.z + four.w;
    }
  }
  const float mean = warp_sum(sum) / width;

  float squares = 0;
#pragma unroll 1
  for (int start = lane * 4; start < width; start += step) {
#pragma unroll
    for (int i = 0; i < quads_at_once; ++i) {
      const float4 four = quad(&staged[start + i * warp_columns]);
      squares += (four.x - mean) * (four.x - mean);
      squares += (four.y - mean) * (four.y - mean);
      squares += (four.z - mean) * (four.z - mean);
      squares += (four.w - mean) * (four.w - mean);
    }
  }
  const float per_deviation = rsqrtf(warp_sum(squares) / width + epsilon);

#pragma unroll 1
  for (int start = lane * 4; start < width; start += step) {
#pragma unroll
    for (int i = 0; i < quads_at_once; ++i) {
      const int col = start + i * warp_columns;
      const float4 four = quad(&staged[col]);
      const float4 scale = quad(&gamma[col]);
      const float4 shift = quad(&beta[col]);
      quad(&y_row[col]) = {(four.x - mean) * per_deviation * scale.x + shift.x,
                           (four.y - mean) * per_deviation * scale.y + shift.y,
                           (four.z - mean) * per_deviation * scale.z + shift.z,
                           (four.w - mean) * per_deviation * scale.w + shift.w};
    }
  }
}
// [/kernel]

void launch(const Operands& o, cudaStream_t stream) {
  const int blocks = (o.rows + rows_per_block - 1) / rows_per_block;
  kernel<<<blocks, threads, shared_bytes(o.width), stream>>>(o.x, o.gamma, o.beta,
                                                             o.y, o.rows, o.width);
}

const rungs::Rung rung = problem().rung({
    .after = "one-warp",
    .kind = rungs::Kind::rejected,
    .because = {{"bytes",
                 "the row is read once from global memory, not three times"},
                {"instructions", "every quad is stored once more"}},
    .argued = {{"barriers_per_row", 0},
               {"row_reads", 1},
               {"block_threads", threads},
               {"shared_bytes", shared_bytes(768)}},
    .sizes = {{.size = "width",
               .multiple_of = step,
               .at_most = most_columns,
               .limit = "the shared memory holds"}},
    .launch = launch,
});

}  // namespace layernorm::staged_row
