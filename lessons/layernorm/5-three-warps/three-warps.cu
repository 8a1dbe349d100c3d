// A row is a block of its own: three warps, two quads a lane, and the row stays in
// registers. A multiprocessor holds many such blocks, and one that ends makes room
// at once: no row waits for another.
#include "../layernorm.hpp"

namespace layernorm::three_warps {

constexpr int threads = 96;  // and a row
constexpr int warps = threads / 32;
constexpr int width = 768;
constexpr int block_columns = threads * 4;  // that the block reads at once
constexpr int quads = width / block_columns;
constexpr int values = quads * 4;  // of a thread
constexpr int warp_values = values * 32;
constexpr int shared_bytes = warps * 2 * sizeof(float);

static_assert(quads * block_columns == width, "a row is whole reads of a block");

// [kernel]
/// What is known of some values: their mean, and the sum of their squared distances
/// from it.
struct Moments {
  float mean;
  float squares;
};

/// Chan's rule for two groups of `count` values each.
__device__ inline Moments merge(Moments a, Moments b, float count) {
  const float distance = b.mean - a.mean;
  return {(a.mean + b.mean) * 0.5F,
          a.squares + b.squares + distance * distance * (count * 0.5F)};
}

/// The moments of a warp's values, in every lane.
__device__ inline Moments warp_merge(Moments mine) {
  for (int bit = 1; bit < 32; bit *= 2) {
    const Moments other = {__shfl_xor_sync(0xffffffff, mine.mean, bit),
                           __shfl_xor_sync(0xffffffff, mine.squares, bit)};
    mine = merge(mine, other, values * bit);
  }
  return mine;
}

__global__ void __launch_bounds__(threads)
    kernel(const float* __restrict__ x, const float* __restrict__ gamma,
           const float* __restrict__ beta, float* __restrict__ y) {
  __shared__ Moments partial[warps];

  const int first_col = threadIdx.x * 4;
  const int row_start = blockIdx.x * width;  // every block has a row

  // The only read of the row: two quads a lane.
  float4 row[quads];
  float sum = 0;
#pragma unroll
  for (int i = 0; i < quads; ++i) {
    row[i] = quad(&x[row_start + first_col + i * block_columns]);
    sum += row[i].x + row[i].y + row[i].z + row[i].w;
  }
  Moments mine = {sum / values, 0};
#pragma unroll
  for (const float4 four : row) {
    mine.squares += (four.x - mine.mean) * (four.x - mine.mean);
    mine.squares += (four.y - mine.mean) * (four.y - mine.mean);
    mine.squares += (four.z - mine.mean) * (four.z - mine.mean);
    mine.squares += (four.w - mine.mean) * (four.w - mine.mean);
  }
  mine = warp_merge(mine);

  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = mine;
  __syncthreads();

  // Three equal groups at once: the row's mean is the mean of theirs.
  float mean = 0;
  for (const Moments& of_warp : partial) mean += of_warp.mean;
  mean /= warps;
  float squares = 0;
  for (const Moments& of_warp : partial) {
    const float distance = of_warp.mean - mean;
    squares += of_warp.squares + distance * distance * warp_values;
  }
  const float per_deviation = rsqrtf(squares / width + epsilon);

#pragma unroll
  for (int i = 0; i < quads; ++i) {
    const int col = first_col + i * block_columns;
    const float4 four = row[i];
    const float4 scale = quad(&gamma[col]);
    const float4 shift = quad(&beta[col]);
    quad(&y[row_start + col]) = {
        (four.x - mean) * per_deviation * scale.x + shift.x,
        (four.y - mean) * per_deviation * scale.y + shift.y,
        (four.z - mean) * per_deviation * scale.z + shift.z,
        (four.w - mean) * per_deviation * scale.w + shift.w};
  }
}
// [/kernel]

void launch(const Operands& o, cudaStream_t stream) {
  kernel<<<o.rows, threads, 0, stream>>>(o.x, o.gamma, o.beta, o.y);
}

const rungs::Rung rung = problem().rung({
    .after = "chan",
    .kind = rungs::Kind::beyond,
    .because =
        {{"bytes", "the row stays in registers and is read once"},
         {"instructions", "the second read is gone, and so are two loops"},
         {"resident-threads",
          "small blocks of few registers fill every place of a multiprocessor"},
         {"loads-in-flight",
          "a thread asks for as much, and more threads are there"}},
    .argued = {{"barriers_per_row", 1},
               {"row_reads", 1},
               {"block_threads", threads},
               {"shared_bytes", shared_bytes}},
    .sizes = {{.size = "width", .at_least = width, .at_most = width}},
    .launch = launch,
});

}  // namespace layernorm::three_warps
