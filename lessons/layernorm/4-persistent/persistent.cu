// As many warps as the GPU holds at once walk over the rows, one warp a row. A warp
// keeps its columns of gamma and beta in registers for all of its rows, and reads
// the next row before it works on this one: the memory is busy while the warp
// computes.
#include <algorithm>

#include "../layernorm.hpp"
#include "rung/cuda_error.hpp"

namespace layernorm::persistent {

constexpr int threads = 64;
constexpr int rows_per_block = threads / 32;  // a warp for each, at a time
constexpr int blocks_per_multiprocessor = 8;
constexpr int width = 768;
constexpr int warp_columns = 32 * 4;  // that a warp reads in one instruction
constexpr int quads = width / warp_columns;

static_assert(threads % 32 == 0, "a block is whole warps");
static_assert(quads * warp_columns == width, "a row is whole reads of a warp");

// [kernel]
/// The sum of a value over a warp, in every lane: each step adds the value of the
/// lane whose number differs in one bit.
__device__ inline float warp_sum(float value) {
  for (int bit = 16; bit > 0; bit /= 2) {
    value += __shfl_xor_sync(0xffffffff, value, bit);
  }
  return value;
}

/// A lane's quads of a row, or of gamma or beta. The loops over it are unrolled in
/// full, so it lies in registers.
struct Part {
  float4 quads[layernorm::persistent::quads];
};

__device__ inline Part read_part(const float* row, int lane) {
  Part part;
#pragma unroll
  for (int i = 0; i < quads; ++i) {
    part.quads[i] = quad(&row[lane * 4 + i * warp_columns]);
  }
  return part;
}

__global__ void __launch_bounds__(threads, blocks_per_multiprocessor)
    kernel(const float* __restrict__ x, const float* __restrict__ gamma,
           const float* __restrict__ beta, float* __restrict__ y, int rows) {
  const int lane = threadIdx.x % 32;
  const int first_row = blockIdx.x * rows_per_block + threadIdx.x / 32;
  const int row_step = gridDim.x * rows_per_block;
  if (first_row >= rows) return;

  // Once for all of a warp's rows.
  const Part scale = read_part(gamma, lane);
  const Part shift = read_part(beta, lane);

  Part next = read_part(x + first_row * width, lane);
#pragma unroll 1
  for (int row = first_row; row < rows; row += row_step) {
    const Part now = next;
    // Under way while this row is summed, and needed only in the next turn.
    if (row_step < rows - row) next = read_part(x + (row + row_step) * width, lane);

    // The row is in registers: the variance needs no second read, and no square of
    // a large value.
    float sum = 0;
#pragma unroll
    for (const float4 four : now.quads) sum += four.x + four.y + four.z + four.w;
    const float mean = warp_sum(sum) / width;

    float squares = 0;
#pragma unroll
    for (const float4 four : now.quads) {
      squares += (four.x - mean) * (four.x - mean);
      squares += (four.y - mean) * (four.y - mean);
      squares += (four.z - mean) * (four.z - mean);
      squares += (four.w - mean) * (four.w - mean);
    }
    const float per_deviation = rsqrtf(warp_sum(squares) / width + epsilon);

#pragma unroll
    for (int i = 0; i < quads; ++i) {
      const float4 four = now.quads[i];
      const float4 by = scale.quads[i];
      const float4 plus = shift.quads[i];
      quad(&y[row * width + lane * 4 + i * warp_columns]) = {
          (four.x - mean) * per_deviation * by.x + plus.x,
          (four.y - mean) * per_deviation * by.y + plus.y,
          (four.z - mean) * per_deviation * by.z + plus.z,
          (four.w - mean) * per_deviation * by.w + plus.w};
    }
  }
}
// [/kernel]

void launch(const Operands& o, cudaStream_t stream) {
  int device = 0;
  int multiprocessors = 0;
  rungs::require(cudaGetDevice(&device), "cudaGetDevice");
  rungs::require(cudaDeviceGetAttribute(&multiprocessors,
                                        cudaDevAttrMultiProcessorCount, device),
                 "cudaDeviceGetAttribute");
  // No more blocks than run at once, and none without a row.
  const int blocks = std::min(multiprocessors * blocks_per_multiprocessor,
                              (o.rows + rows_per_block - 1) / rows_per_block);
  kernel<<<blocks, threads, 0, stream>>>(o.x, o.gamma, o.beta, o.y, o.rows);
}

const rungs::Rung rung = problem().rung({
    .after = "chan",
    .kind = rungs::Kind::beyond,
    .because =
        {{"bytes",
          "a row is read once, and gamma and beta once a warp instead of once a "
          "row"},
         {"instructions", "reads, and the work of finding addresses, are gone"},
         {"resident-threads",
          "four rows' worth of registers leave room for few threads; if threads "
          "were the limit, this would be slow"},
         {"loads-in-flight",
          "a thread has twice as much under way while it computes, but there are a "
          "third of the threads"}},
    .argued = {{"barriers_per_row", 0},
               {"row_reads", 1},
               {"block_threads", threads},
               {"shared_bytes", 0}},
    .sizes = {{.size = "width", .at_least = width, .at_most = width}},
    .launch = launch,
});

}  // namespace layernorm::persistent
