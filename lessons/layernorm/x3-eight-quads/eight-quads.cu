// One warp a row, and the row stays in registers from its first read on: up to
// eight quads a lane, of which 768 columns take six. The row is read once from
// global memory, and all of a lane's reads are under way together.
#include "../layernorm.hpp"

namespace layernorm::eight_quads {

constexpr int threads = 256;
constexpr int rows_per_block = threads / 32;  // a warp for each
constexpr int warp_columns = 32 * 4;  // that a warp reads in one instruction
constexpr int most_quads = 8;         // of a row, that a lane holds
constexpr int most_columns = most_quads * warp_columns;

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

  // The loops are unrolled in full, so that every index is a constant: the array is
  // eight quads of registers. A row that has fewer ends in zeros.
  float4 part[most_quads];
  const int quads = width / warp_columns;
#pragma unroll
  for (int i = 0; i < most_quads; ++i) {
    part[i] = {0, 0, 0, 0};
    if (i < quads) part[i] = quad(&x_row[lane * 4 + i * warp_columns]);
  }

  float sum = 0;
#pragma unroll
  for (int i = 0; i < most_quads; ++i) {
    sum += part[i].x + part[i].y + part[i].z + part[i].w;
  }
  const float mean = warp_sum(sum) / width;

  float squares = 0;
#pragma unroll
  for (int i = 0; i < most_quads; ++i) {
    if (i >= quads) break;
    squares += (part[i].x - mean) * (part[i].x - mean);
    squares += (part[i].y - mean) * (part[i].y - mean);
    squares += (part[i].z - mean) * (part[i].z - mean);
    squares += (part[i].w - mean) * (part[i].w - mean);
  }
  const float per_deviation = rsqrtf(warp_sum(squares) / width + epsilon);

#pragma unroll
  for (int i = 0; i < most_quads; ++i) {
    if (i >= quads) break;
    const int col = lane * 4 + i * warp_columns;
    const float4 four = part[i];
    const float4 scale = quad(&gamma[col]);
    const float4 shift = quad(&beta[col]);
    quad(&y_row[col]) = {(four.x - mean) * per_deviation * scale.x + shift.x,
                         (four.y - mean) * per_deviation * scale.y + shift.y,
                         (four.z - mean) * per_deviation * scale.z + shift.z,
                         (four.w - mean) * per_deviation * scale.w + shift.w};
  }
}
// [/kernel]

void launch(const Operands& o, cudaStream_t stream) {
  const int blocks = (o.rows + rows_per_block - 1) / rows_per_block;
  kernel<<<blocks, threads, 0, stream>>>(o.x, o.gamma, o.beta, o.y, o.rows,
                                         o.width);
}

const rungs::Rung rung = problem().rung({
    .after = "one-warp",
    .kind = rungs::Kind::rejected,
    .because =
        {{"bytes", "the row is read once from global memory, not three times"},
         {"instructions", "two reads of every quad are gone"},
         {"resident-threads",
          "fewer threads would fit, but the grid has no more than four blocks for "
          "a multiprocessor, and these do"},
         {"loads-in-flight",
          "a thread asks for a whole lane's part of the row at once"}},
    .argued = {{"barriers_per_row", 0},
               {"row_reads", 1},
               {"block_threads", threads},
               {"shared_bytes", 0}},
    .sizes = {{.size = "width",
               .multiple_of = warp_columns,
               .at_most = most_columns,
               .limit = "the registers hold"}},
    .launch = launch,
});

}  // namespace layernorm::eight_quads
