// One thread computes one element of C. A block of 16 x 16 threads walks along K:
// at each step it copies a tile of A and a tile of B into shared memory, and then
// every thread reads one value of each tile for each multiply-add. Nothing that a
// thread has read serves it twice, so the kernel makes two shared reads per
// multiply-add.
#include "../matmul.hpp"

namespace matmul::baseline {

constexpr int block_rows = 16;  // of C, for one block
constexpr int block_cols = 16;
constexpr int k_step = 16;  // along K, from one pair of barriers to the next
constexpr int threads = block_rows * block_cols;
constexpr int shared_bytes = (block_rows + block_cols) * k_step * sizeof(float);

static_assert(threads % 32 == 0, "a block is whole warps");
static_assert(shared_bytes <= 48 * 1024, "static shared memory ends at 48 KiB");
static_assert(k_step == block_rows && k_step == block_cols,
              "each thread copies one element of each tile");

// [kernel]
__global__ void __launch_bounds__(threads)
    kernel(const float* a, const float* b, float* c, int N, int K) {
  __shared__ float a_tile[block_rows][k_step];
  __shared__ float b_tile[k_step][block_cols];

  const int thread_row = threadIdx.y;
  const int thread_col = threadIdx.x;
  const int row = blockIdx.y * block_rows + thread_row;
  const int col = blockIdx.x * block_cols + thread_col;

  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += k_step) {
    a_tile[thread_row][thread_col] = a[row * K + k0 + thread_col];
    b_tile[thread_row][thread_col] = b[(k0 + thread_row) * N + col];
    __syncthreads();

#pragma unroll
    for (int k = 0; k < k_step; ++k) {
      sum += read_alone(a_tile[thread_row][k]) * b_tile[k][thread_col];
    }
    __syncthreads();
  }
  c[row * N + col] = sum;
}
// [/kernel]

void launch(const Operands& x, cudaStream_t stream) {
  const dim3 grid(x.N / block_cols, x.M / block_rows);
  const dim3 block(block_cols, block_rows);
  kernel<<<grid, block, 0, stream>>>(x.a, x.b, x.c, x.N, x.K);
}

const rungs::Rung rung = problem().rung({
    .kind = rungs::Kind::kept,
    .argued = {{"shared_reads_per_multiply_add", 1.0 + 1.0},
               {"block_threads", threads},
               {"shared_bytes", shared_bytes}},
    .sizes = whole_tiles(block_rows, block_cols, k_step),
    .launch = launch,
});

}  // namespace matmul::baseline
