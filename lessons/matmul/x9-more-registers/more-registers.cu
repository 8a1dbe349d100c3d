// The tall tile, with one word to the compiler: two blocks on a multiprocessor are
// enough. It then gives a thread more registers, and reads further ahead.
#include "../matmul.hpp"

namespace matmul::more_registers {

constexpr int block_rows = 128;  // of C, for one block
constexpr int block_cols = 64;
constexpr int k_step = 32;      // along K, from one pair of barriers to the next
constexpr int thread_rows = 8;  // of C, for one thread
constexpr int thread_cols = 4;
constexpr int block_x = block_cols / thread_cols;  // threads side by side
constexpr int block_y = block_rows / thread_rows;
constexpr int threads = block_x * block_y;
constexpr int a_quads = block_rows * k_step / 4 / threads;  // copied by one thread
constexpr int b_quads = k_step * block_cols / 4 / threads;
constexpr int shared_bytes = (block_rows + block_cols) * k_step * sizeof(float);

static_assert(threads % 32 == 0, "a block is whole warps");
static_assert(shared_bytes <= 48 * 1024, "static shared memory ends at 48 KiB");
static_assert(a_quads * 4 * threads == block_rows * k_step &&
                  b_quads * 4 * threads == k_step * block_cols,
              "each thread copies the same number of quads of a tile");

// [kernel]
// The grid has fewer blocks than the GPU has multiprocessors: registers that would
// let a third block fit are better spent on reads that are under way.
__global__ void __launch_bounds__(threads, 2)
    kernel(const float* a, const float* b, float* c, int N, int K) {
  __shared__ alignas(16) float a_tile[block_rows][k_step];
  __shared__ alignas(16) float b_tile[k_step][block_cols];

  const int first_row = blockIdx.y * block_rows;
  const int first_col = blockIdx.x * block_cols;
  const int thread = threadIdx.y * block_x + threadIdx.x;
  // A thread's four rows are adjacent. Its columns are block_x apart, so that the
  // threads of a warp read adjacent columns of B.
  const int thread_row = threadIdx.y * thread_rows;
  const int thread_col = threadIdx.x;

  float sum[thread_rows][thread_cols] = {};
  for (int k0 = 0; k0 < K; k0 += k_step) {
    // The tiles hold more elements than there are threads: each copies a few quads.
    for (int i = 0; i < a_quads; ++i) {
      const int index = thread + i * threads;
      const int row = index / (k_step / 4);
      const int k = index % (k_step / 4) * 4;
      quad(&a_tile[row][k]) = quad(&a[(first_row + row) * K + k0 + k]);
    }
    for (int i = 0; i < b_quads; ++i) {
      const int index = thread + i * threads;
      const int k = index / (block_cols / 4);
      const int col = index % (block_cols / 4) * 4;
      quad(&b_tile[k][col]) = quad(&b[(k0 + k) * N + first_col + col]);
    }
    __syncthreads();

#pragma unroll
    for (int k = 0; k < k_step; ++k) {
      // Each value read here serves four multiply-adds from a register.
      float a_reg[thread_rows];
      float b_reg[thread_cols];
      for (int i = 0; i < thread_rows; ++i) {
        a_reg[i] = read_alone(a_tile[thread_row + i][k]);
      }
      for (int j = 0; j < thread_cols; ++j) {
        b_reg[j] = b_tile[k][thread_col + j * block_x];
      }
      for (int i = 0; i < thread_rows; ++i) {
        for (int j = 0; j < thread_cols; ++j) {
          sum[i][j] += a_reg[i] * b_reg[j];
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < thread_rows; ++i) {
    for (int j = 0; j < thread_cols; ++j) {
      const int row = first_row + thread_row + i;
      c[row * N + first_col + thread_col + j * block_x] = sum[i][j];
    }
  }
}
// [/kernel]

void launch(const Operands& x, cudaStream_t stream) {
  const dim3 grid(x.N / block_cols, x.M / block_rows);
  const dim3 block(block_x, block_y);
  kernel<<<grid, block, 0, stream>>>(x.a, x.b, x.c, x.N, x.K);
}

const rungs::Rung rung = problem().rung({
    .after = "tall-tile",
    .kind = rungs::Kind::beyond,
    .because = {{"reads", "the source is the same, and so is every read"},
                {"wavefronts", "and every wavefront"}},
    .argued = {{"shared_reads_per_multiply_add",
                1.0 * (thread_rows + thread_cols) / (thread_rows * thread_cols)},
               {"block_threads", threads},
               {"shared_bytes", shared_bytes}},
    .sizes = whole_tiles(block_rows, block_cols, k_step),
    .launch = launch,
});

}  // namespace matmul::more_registers
