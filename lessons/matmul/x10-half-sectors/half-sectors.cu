// The lanes that copy A go down sixteen rows before they go along k: no bank is met
// twice, no sector is asked for that was not before, and each is asked for in
// halves.
#include "../matmul.hpp"

namespace matmul::half_sectors {

constexpr int block_rows = 64;  // of C, for one block
constexpr int block_cols = 64;
constexpr int k_step = 64;      // along K, from one pair of barriers to the next
constexpr int thread_rows = 4;  // of C, for one thread
constexpr int thread_cols = 4;
constexpr int block_x = block_cols / thread_cols;  // threads side by side
constexpr int block_y = block_rows / thread_rows;
constexpr int threads = block_x * block_y;
constexpr int a_stride = block_rows + 4;  // from one k to the next in the tile of A
constexpr int a_quads = block_rows * k_step / 4 / threads;  // copied by one thread
constexpr int b_quads = k_step * block_cols / 4 / threads;
constexpr int shared_bytes = (a_stride + block_cols) * k_step * sizeof(float);

static_assert(threads % 32 == 0, "a block is whole warps");
static_assert(shared_bytes <= 48 * 1024, "static shared memory ends at 48 KiB");
static_assert(thread_rows == 4 && thread_cols == 4,
              "a thread reads a quad of each tile");
static_assert(a_stride % 4 == 0,
              "every quad of A starts at a multiple of 16 bytes");
static_assert(a_quads * 4 * threads == block_rows * k_step &&
                  b_quads * 4 * threads == k_step * block_cols,
              "each thread copies the same number of quads of a tile");
static_assert(k_step == 64 && threads == 256,
              "a warp copies two quads of each of 16 rows");
static_assert(block_x == 16 && block_y == 16, "2 warps side by side, 4 deep");

// [kernel]
__global__ void __launch_bounds__(threads)
    kernel(const float* a, const float* b, float* c, int N, int K) {
  // k-major. The padding of a row spreads the stores below over more banks.
  __shared__ alignas(16) float a_tile[k_step][a_stride];
  __shared__ alignas(16) float b_tile[k_step][block_cols];

  const int first_row = blockIdx.y * block_rows;
  const int first_col = blockIdx.x * block_cols;
  const int thread = threadIdx.y * block_x + threadIdx.x;
  // A warp covers 4 x 8 threads, and the bits of a lane's number alternate between
  // column and row. Lanes 0 to 15, which are served together, then hold four quads
  // of A and four of B, not one of A and sixteen of B.
  const int lane = thread % 32;
  const int warp = thread / 32;
  const int lane_row = (lane >> 1 & 1) | (lane >> 2 & 2);
  const int lane_col = (lane & 1) | (lane >> 1 & 2) | (lane >> 2 & 4);
  const int thread_row = (warp / 2 * 4 + lane_row) * thread_rows;
  const int thread_col = (warp % 2 * 8 + lane_col) * thread_cols;

  alignas(16) float sum[thread_rows][thread_cols] = {};
  for (int k0 = 0; k0 < K; k0 += k_step) {
    // The tiles hold more elements than there are threads: each copies a few quads.
    for (int i = 0; i < a_quads; ++i) {
      const int index = thread + i * threads;
      // The same two quads of each of 16 rows. But the eight lanes that global
      // memory serves together are now in eight rows, with half a sector each.
      const int row = index % 16 + index / 256 * 16;
      const int k = index / 16 % 16 * 4;
      // Global memory is read along k as before; the quad is stored across k.
      const float4 along_k = quad(&a[(first_row + row) * K + k0 + k]);
      a_tile[k + 0][row] = along_k.x;
      a_tile[k + 1][row] = along_k.y;
      a_tile[k + 2][row] = along_k.z;
      a_tile[k + 3][row] = along_k.w;
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
      alignas(16) float a_reg[thread_rows];
      alignas(16) float b_reg[thread_cols];
      // The four rows are adjacent now: one 128-bit read in the place of four.
      quad(a_reg) = quad(&a_tile[k][thread_row]);
      quad(b_reg) = quad(&b_tile[k][thread_col]);
      for (int i = 0; i < thread_rows; ++i) {
        for (int j = 0; j < thread_cols; ++j) {
          sum[i][j] += a_reg[i] * b_reg[j];
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < thread_rows; ++i) {
    const int row = first_row + thread_row + i;
    quad(&c[row * N + first_col + thread_col]) = quad(sum[i]);
  }
}
// [/kernel]

void launch(const Operands& x, cudaStream_t stream) {
  const dim3 grid(x.N / block_cols, x.M / block_rows);
  const dim3 block(block_x, block_y);
  kernel<<<grid, block, 0, stream>>>(x.a, x.b, x.c, x.N, x.K);
}

const rungs::Rung rung = problem().rung({
    .after = "lane-map",
    .kind = rungs::Kind::rejected,
    .because =
        {{"reads", "shared memory is read as before"},
         {"wavefronts",
          "each store of A still takes one wavefront: the lanes of a warp hold the "
          "same 32 quads in another order"}},
    .argued = {{"shared_reads_per_multiply_add",
                (thread_rows / 4.0 + thread_cols / 4.0) /
                    (thread_rows * thread_cols)},
               {"block_threads", threads},
               {"shared_bytes", shared_bytes}},
    .sizes = whole_tiles(block_rows, block_cols, k_step),
    .launch = launch,
});

}  // namespace matmul::half_sectors
