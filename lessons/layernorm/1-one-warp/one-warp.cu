// One warp normalises one row, eight rows a block. A lane reads quads, four floats
// in one instruction, and a sum ends in five shuffles from register to register:
// no shared memory, no barrier, and no thread that waits for another warp.
#include "../layernorm.hpp"

namespace layernorm::one_warp {

constexpr int threads = 256;
constexpr int rows_per_block = threads / 32;  // a warp for each
constexpr int quads_at_once = 3;              // that a lane has under way
constexpr int warp_columns = 32 * 4;  // that a warp reads in one instruction
constexpr int step = quads_at_once * warp_columns;

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
  const int lane = threadIdx.x % 32;
  const int row = blockIdx.x * rows_per_block + threadIdx.x / 32;
  // The last block's warps may have no row. They leave: nobody waits for them.
  if (row >= rows) return;
  const float* const x_row = x + row * width;
  float* const y_row = y + row * width;

  // A warp reads 512 adjacent bytes in one instruction, one quad a lane.
  float sum = 0;
#pragma unroll 1
  for (int start = lane * 4; start < width; start += step) {
#pragma unroll
    for (int i = 0; i < quads_at_once; ++i) {
      const float4 four = quad(&x_row[start + i * warp_columns]);
      sum += four.x + four.y + four.z + four.w;
    }
  }
  const float mean = warp_sum(sum) / width;

  float squares = 0;
#pragma unroll 1
  for (int start = lane * 4; start < width; start += step) {
#pragma unroll
    for (int i = 0; i < quads_at_once; ++i) {
      const float4 four = quad(&x_row[start + i * warp_columns]);
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
      const float4 four = quad(&x_row[col]);
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
  kernel<<<blocks, threads, 0, stream>>>(o.x, o.gamma, o.beta, o.y, o.rows,
                                         o.width);
}

const rungs::Rung rung = problem().rung({
    .after = "baseline",
    .kind = rungs::Kind::kept,
    .because =
        {{"bytes",
          "the row is still read three times; if bytes were the limit, nothing "
          "would be gained"},
         {"instructions",
          "an instruction moves four floats, and five shuffles do what eight "
          "levels of a tree and their barriers did"},
         {"resident-threads",
          "the grid has half of the threads that fit; if they were the limit, this "
          "would be slower"},
         {"loads-in-flight",
          "half of the threads, and each asks for quads instead of floats"}},
    .argued = {{"barriers_per_row", 0},
               {"row_reads", 3},
               {"block_threads", threads},
               {"shared_bytes", 0}},
    .sizes = whole_pieces(step),
    .launch = launch,
});

}  // namespace layernorm::one_warp
