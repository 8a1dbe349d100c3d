// Two warps share a row as before, and a thread keeps the running mean of what it
// has seen and the squared distances from it, by Welford's rule: a value at a time,
// each waiting for the mean that the one before it left. The threads' pairs are
// merged by Chan's rule up to the row.
#include "../layernorm.hpp"

namespace layernorm::welford {

constexpr int threads = 256;
constexpr int warps_per_row = 2;
constexpr int threads_per_row = warps_per_row * 32;
constexpr int rows_per_block = threads / threads_per_row;
constexpr int quads_at_once = 3;                  // that a lane has under way
constexpr int row_columns = threads_per_row * 4;  // that its warps read at once
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

/// Welford's rule: the moments of `count` values from those of all but one of them.
/// Its distance from the mean before is multiplied by that from the mean after.
__device__ inline Moments with(Moments before, float value, float count) {
  const float distance = value - before.mean;
  // The fast reciprocal: its error moves the mean by that part of a distance.
  const float mean = before.mean + distance * __fdividef(1, count);
  return {mean, before.squares + distance * (value - mean)};
}

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

  // Still one read of the row: each value moves the mean, and the next one waits.
  Moments mine = {0, 0};
  float count = 0;  // of the values that this thread has seen
#pragma unroll 1
  for (int start = first_col; start < width; start += step) {
    float4 quads[quads_at_once];
#pragma unroll
    for (int i = 0; i < quads_at_once; ++i) {
      quads[i] = quad(&x_row[start + i * row_columns]);
    }
    for (const float4 four : quads) {
      mine = with(mine, four.x, ++count);
      mine = with(mine, four.y, ++count);
      mine = with(mine, four.z, ++count);
      mine = with(mine, four.w, ++count);
    }
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
    .kind = rungs::Kind::rejected,
    .because =
        {{"bytes", "the row is read as often as before"},
         {"instructions",
          "every value has a reciprocal, two distances and a mean of its own"},
         {"resident-threads", "a value at a time needs fewer registers"}},
    .argued = {{"barriers_per_row", 1},
               {"row_reads", 2},
               {"block_threads", threads},
               {"shared_bytes", shared_bytes}},
    .sizes = whole_pieces(step),
    .launch = launch,
});

}  // namespace layernorm::welford
