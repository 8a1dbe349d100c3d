// Two warps share a row as before, but none sums squares of the values themselves.
// A thread takes the mean of its twelve values and their squared distances from it,
// and such pairs are merged by Chan's rule up to the row: a large mean, whose
// square would drown the variance, does no harm.
#include "../layernorm.hpp"

namespace layernorm::chan {

constexpr int threads = 256;
constexpr int warps_per_row = 2;
constexpr int threads_per_row = warps_per_row * 32;
constexpr int rows_per_block = threads / threads_per_row;
constexpr int quads_at_once = 3;                  // that a lane has under way
constexpr int row_columns = threads_per_row * 4;  // that its warps read at once
constexpr int values_at_once = quads_at_once * 4;
constexpr int step = quads_at_once * row_columns;
constexpr int shared_bytes = rows_per_block * warps_per_row * 2 * sizeof(float);

static_assert(threads % threads_per_row == 0, "a block is whole rows");
static_assert(warps_per_row == 2, "one merge of two warps");

// [kernel]
/// What is known of some values: their mean, and the sum of their squared distances
/// from it.
struct Moments {
  float mean;
  float squares;
};

/// Chan's rule for two groups of values, `count` in the first, `share` of all in
/// the second. The distance of the means is squared, and nothing larger.
__device__ inline Moments merge(Moments a, Moments b, float count, float share) {
  const float distance = b.mean - a.mean;
  return {a.mean + distance * share,
          a.squares + b.squares + distance * distance * (count * share)};
}

/// The moments of a warp's values, in every lane, from `count` values in each.
__device__ inline Moments warp_merge(Moments mine, float count) {
  for (int bit = 1; bit < 32; bit *= 2) {
    const Moments other = {__shfl_xor_sync(0xffffffff, mine.mean, bit),
                           __shfl_xor_sync(0xffffffff, mine.squares, bit)};
    mine = merge(mine, other, count * bit, 0.5F);
  }
  return mine;
}

__global__ void __launch_bounds__(threads)
    kernel(const float* __restrict__ x, const float* __restrict__ gamma,
           const float* __restrict__ beta, float* __restrict__ y, int rows,
           int width) {
  __shared__ Moments partial[rows_per_block][warps_per_row];

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

  // Still one read of the row: the mean of twelve values, and then their distances
  // from it, while they are in registers.
  Moments mine = {0, 0};
  float count = 0;  // of the values that this thread has seen
#pragma unroll 1
  for (int start = first_col; start < width; start += step) {
    float values[values_at_once];
    float sum = 0;
#pragma unroll
    for (int i = 0; i < quads_at_once; ++i) {
      const float4 four = quad(&x_row[start + i * row_columns]);
      values[i * 4] = four.x;
      values[i * 4 + 1] = four.y;
      values[i * 4 + 2] = four.z;
      values[i * 4 + 3] = four.w;
      sum += four.x + four.y + four.z + four.w;
    }
    Moments these = {sum / values_at_once, 0};
    for (const float value : values) {
      these.squares += (value - these.mean) * (value - these.mean);
    }
    mine = merge(mine, these, count, values_at_once / (count + values_at_once));
    count += values_at_once;
  }
  mine = warp_merge(mine, count);

  // The one exchange: two moments from each warp.
  if (lane == 0) partial[row_in_block][warp] = mine;
  __syncthreads();
  if (row >= rows) return;
  const Moments all =
      merge(partial[row_in_block][0], partial[row_in_block][1], count * 32, 0.5F);

  const float mean = all.mean;
  const float variance = all.squares / width;  // a sum of squares
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
    .after = "two-warps",
    .kind = rungs::Kind::beyond,
    .because =
        {{"bytes", "the row is read as often as before"},
         {"instructions",
          "a subtraction for every value, and a merge is more than two additions"},
         {"resident-threads", "as many threads fit as before"}},
    .argued = {{"barriers_per_row", 1},
               {"row_reads", 2},
               {"block_threads", threads},
               {"shared_bytes", shared_bytes}},
    .sizes = whole_pieces(step),
    .launch = launch,
});

}  // namespace layernorm::chan
