// Two warps share a row, so the same rows ask for twice the threads. Each sums the
// values and their squares in one pass over its half; the halves meet once in 64
// bytes of shared memory behind one barrier, and the row is read twice, not three
// times.
#include "../layernorm.hpp"

namespace layernorm::two_warps {

constexpr int threads = 256;
constexpr int warps_per_row = 2;
constexpr int threads_per_row = warps_per_row * 32;
constexpr int rows_per_block = threads / threads_per_row;
constexpr int quads_at_once = 3;                  // that a lane has under way
constexpr int row_columns = threads_per_row * 4;  // that its warps read at once
constexpr int step = quads_at_once * row_columns;
constexpr int shared_bytes = rows_per_block * warps_per_row * sizeof(float2);

static_assert(threads % threads_per_row == 0, "a block is whole rows");

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
  __shared__ float2 partial[rows_per_block][warps_per_row];

  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32 % warps_per_row;
  const int row_in_block = threadIdx.x / threads_per_row;
  const int first_col = threadIdx.x % threads_per_row * 4;
  // The last block's warps may have no row. They read the last one with the others,
  // since they must come to the barrier, and write nothing.
  const int row = blockIdx.x * rows_per_block + row_in_block;
  const int row_start = min(row, rows - 1) * width;
  const float* const x_row = x + row_start;
  float* const y_row = y + row_start;

  // Both sums in one pass: one read of the row gives the mean and the variance.
  float sum = 0;
  float squares = 0;
#pragma unroll 1
  for (int start = first_col; start < width; start += step) {
#pragma unroll
    for (int i = 0; i < quads_at_once; ++i) {
      const float4 four = quad(&x_row[start + i * row_columns]);
      sum += four.x + four.y + four.z + four.w;
      squares += four.x * four.x;
      squares += four.y * four.y;
      squares += four.z * four.z;
      squares += four.w * four.w;
    }
  }
  sum = warp_sum(sum);
  squares = warp_sum(squares);

  // The one exchange: two sums from each warp.
  if (lane == 0) partial[row_in_block][warp] = {sum, squares};
  __syncthreads();
  float2 total = {0, 0};
  for (int i = 0; i < warps_per_row; ++i) {
    total.x += partial[row_in_block][i].x;
    total.y += partial[row_in_block][i].y;
  }
  if (row >= rows) return;

  const float mean = total.x / width;
  // Rounding can put the difference below zero, where the row is all but constant.
  const float variance = fmaxf(total.y / width - mean * mean, 0);
  const float per_deviation = rsqrtf(variance + epsilon);

#pragma unroll 1
  for (int start = first_col; start < width; start += step) {
#pragma unroll
    for (int i = 0; i < quads_at_once; ++i) {
      const int col = start + i * row_columns;
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
    .after = "one-warp",
    .kind = rungs::Kind::kept,
    .because =
        {{"resident-threads",
          "the same rows ask for twice the threads, so more loads are under way"},
         {"bytes",
          "one pass gives both sums: the row is read twice, not three times"},
         {"instructions",
          "a pass is gone, but two warps now do what a row needs once: the "
          "shuffles, the statistics"},
         {"loads-in-flight",
          "a thread asks for as much as before, and more are there"}},
    .argued = {{"barriers_per_row", 1},
               {"row_reads", 2},
               {"block_threads", threads},
               {"shared_bytes", shared_bytes}},
    .sizes = whole_pieces(step),
    .launch = launch,
});

}  // namespace layernorm::two_warps
