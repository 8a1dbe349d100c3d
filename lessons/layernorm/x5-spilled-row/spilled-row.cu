// One warp a row, and each lane keeps its part of the row in an array that a loop
// indexes at run time. Registers have no addresses, so the array lies in local
// memory: what should have stayed beside the arithmetic is stored and read back.
#include "../layernorm.hpp"

namespace layernorm::spilled_row {

constexpr int threads = 256;
constexpr int rows_per_block = threads / 32;  // a warp for each
constexpr int quads_at_once = 3;              // that a lane has under way
constexpr int warp_columns = 32 * 4;  // that a warp reads in one instruction
constexpr int step = quads_at_once * warp_columns;
constexpr int most_quads = 6;  // of a row, that a lane holds
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

  // The loops know i only at run time. Registers have no addresses, so the array
  // lies in local memory.
  float4 part[most_quads];
  const int quads = width / warp_columns;

  float sum = 0;
#pragma unroll 1
  for (int first = 0; first < quads; first += quads_at_once) {
#pragma unroll
    for (int i = first; i < first + quads_at_once; ++i) {
      part[i] = quad(&x_row[lane * 4 + i * warp_columns]);
      sum += part[i].x + part[i].y + part[i].z + part[i].w;
    }
  }
  const float mean = warp_sum(sum) / width;

  float squares = 0;
#pragma unroll 1
  for (int first = 0; first < quads; first += quads_at_once) {
#pragma unroll
    for (int i = first; i < first + quads_at_once; ++i) {
      const float4 four = part[i];
      squares += (four.x - mean) * (four.x - mean);
      squares += (four.y - mean) * (four.y - mean);
      squares += (four.z - mean) * (four.z - mean);
      squares += (four.w - mean) * (four.w - mean);
    }
  }
  const float per_deviation = rsqrtf(warp_sum(squares) / width + epsilon);

#pragma unroll 1
  for (int first = 0; first < quads; first += quads_at_once) {
#pragma unroll
    for (int i = first; i < first + quads_at_once; ++i) {
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
        {{"bytes",
          "the row is read once from global memory, and three times from local "
          "memory, which this model does not count"},
         {"instructions", "every quad is stored once more"}},
    .argued = {{"barriers_per_row", 0},
               {"row_reads", 1},
               {"block_threads", threads},
               {"shared_bytes", 0}},
    .sizes = {{.size = "width",
               .multiple_of = step,
               .at_most = most_columns,
               .limit = "the array holds"}},
    .launch = launch,
});

}  // namespace layernorm::spilled_row
