// Tiles are fetched two steps ahead by asynchronous copies, which pass through no
// register and stop no thread. Three stages take turns, and one barrier a step is
// left.
#include <cuda_pipeline.h>

#include "../matmul.hpp"
#include "rung/cuda_error.hpp"

namespace matmul::async_copy {

constexpr int block_rows = 64;  // of C, for one block
constexpr int block_cols = 64;
constexpr int k_step = 64;      // along K, from one barrier to the next
constexpr int stages = 3;       // of tiles: one in use, two on their way
constexpr int thread_rows = 4;  // of C, for one thread
constexpr int thread_cols = 4;
constexpr int block_x = block_cols / thread_cols;  // threads side by side
constexpr int block_y = block_rows / thread_rows;
constexpr int threads = block_x * block_y;
constexpr int row_step = block_rows / thread_rows;  // between a thread's rows
constexpr int a_stride = k_step + 4;  // from one row to the next in the tile of A
constexpr int a_quads = block_rows * k_step / 4 / threads;  // copied by one thread
constexpr int b_quads = k_step * block_cols / 4 / threads;
constexpr int a_rows =
    block_rows / a_quads;  // of a tile, that all threads copy at once
constexpr int b_rows = k_step / b_quads;
constexpr int shared_bytes =
    stages * (block_rows * a_stride + k_step * block_cols) * sizeof(float);

static_assert(threads % 32 == 0, "a block is whole warps");
static_assert(shared_bytes <= 99 * 1024,
              "the least that a block may ask for since compute capability 8.6");
static_assert(thread_rows == 4 && thread_cols == 4,
              "a thread reads a quad of each tile");
static_assert(a_stride % 4 == 0,
              "every quad of A starts at a multiple of 16 bytes");
static_assert(a_quads * 4 * threads == block_rows * k_step &&
                  b_quads * 4 * threads == k_step * block_cols,
              "each thread copies the same number of quads of a tile");
static_assert(block_x == 16 && block_y == 16, "2 warps side by side, 4 deep");

// [kernel]
/// The tiles of one step. A keeps its rows: an asynchronous copy moves 16 bytes as
/// they lie, and cannot store them across k.
struct Stage {
  float a[block_rows][a_stride];
  float b[k_step][block_cols];
};

__global__ void __launch_bounds__(threads)
    kernel(const float* a, const float* b, float* c, int N, int K) {
  extern __shared__ __align__(16) unsigned char shared[];
  Stage* const first_stage = reinterpret_cast<Stage*>(shared);
  Stage* const last_stage = first_stage + stages - 1;

  const int first_row = blockIdx.y * block_rows;
  const int first_col = blockIdx.x * block_cols;
  const int thread = threadIdx.y * block_x + threadIdx.x;
  const int lane = thread % 32;
  const int warp = thread / 32;
  const int lane_row = (lane >> 1 & 1) | (lane >> 2 & 2);
  const int lane_col = (lane & 1) | (lane >> 1 & 2) | (lane >> 2 & 4);
  // A thread's rows are 16 apart, so that the four of a warp are neighbours.
  const int thread_row = warp / 2 * 4 + lane_row;
  const int thread_col = (warp % 2 * 8 + lane_col) * thread_cols;

  // The first quad of each tile that this thread copies, here and in global memory.
  const int a_row = thread / (k_step / 4);
  const int a_k = thread % (k_step / 4) * 4;
  const int b_row = thread / (block_cols / 4);
  const int b_col = thread % (block_cols / 4) * 4;
  const float* a_next = a + (first_row + a_row) * K + a_k;
  const float* b_next = b + b_row * N + first_col + b_col;

  // Starts the copies of the next step's tiles, and does not wait for them.
  const auto fetch = [&](Stage& stage) {
    for (int i = 0; i < a_quads; ++i) {
      __pipeline_memcpy_async(&stage.a[a_row + i * a_rows][a_k],
                              a_next + i * a_rows * K, sizeof(float4));
    }
    for (int i = 0; i < b_quads; ++i) {
      __pipeline_memcpy_async(&stage.b[b_row + i * b_rows][b_col],
                              b_next + i * b_rows * N, sizeof(float4));
    }
    a_next += k_step;
    b_next += k_step * N;
  };

  alignas(16) float sum[thread_rows][thread_cols] = {};
  // K is at least this many steps: there is something to fetch for each stage.
  for (int step = 0; step < stages - 1; ++step) {
    fetch(first_stage[step]);
    __pipeline_commit();
  }
  Stage* now = first_stage;
  Stage* next = last_stage;
  for (int k0 = 0; k0 < K; k0 += k_step) {
    // This thread's copies for this step have landed. After the barrier everyone's
    // have, and nobody reads the oldest stage any more, which is fetched into next.
    __pipeline_wait_prior(stages - 2);
    __syncthreads();
    if (k0 + (stages - 1) * k_step < K) fetch(*next);
    __pipeline_commit();  // an empty group at the end keeps the count of groups

#pragma unroll
    for (int k = 0; k < k_step; k += 4) {
      alignas(16) float a_reg[thread_rows][4];
      // A quad along k, of one row: it serves four steps of k.
      for (int i = 0; i < thread_rows; ++i) {
        quad(a_reg[i]) = quad(&now->a[thread_row + i * row_step][k]);
      }
      for (int along = 0; along < 4; ++along) {
        alignas(16) float b_reg[thread_cols];
        quad(b_reg) = quad(&now->b[k + along][thread_col]);
        for (int i = 0; i < thread_rows; ++i) {
          for (int j = 0; j < thread_cols; ++j) {
            sum[i][j] += a_reg[i][along] * b_reg[j];
          }
        }
      }
    }
    next = now;
    now = now == last_stage ? first_stage : now + 1;
  }
  for (int i = 0; i < thread_rows; ++i) {
    const int row = first_row + thread_row + i * row_step;
    quad(&c[row * N + first_col + thread_col]) = quad(sum[i]);
  }
}
// [/kernel]

void launch(const Operands& x, cudaStream_t stream) {
  const dim3 grid(x.N / block_cols, x.M / block_rows);
  const dim3 block(block_x, block_y);
  // More than 48 KiB of shared memory is dynamic, and asked for.
  rungs::require(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           shared_bytes),
      "cudaFuncSetAttribute");
  kernel<<<grid, block, shared_bytes, stream>>>(x.a, x.b, x.c, x.N, x.K);
}

const rungs::Rung rung = problem().rung({
    .after = "lane-map",
    .kind = rungs::Kind::beyond,
    .because =
        {{"barriers", "one barrier a step does what two did"},
         {"wavefronts",
          "reads cost what they did, and an asynchronous copy is no store of a "
          "warp; what the copies hide, this model cannot see"}},
    .argued = {{"shared_reads_per_multiply_add",
                (thread_rows / 4.0 + thread_cols / 4.0) /
                    (thread_rows * thread_cols)},
               {"block_threads", threads},
               {"shared_bytes", shared_bytes}},
    .sizes = whole_tiles(block_rows, block_cols, k_step, stages - 1),
    .launch = launch,
});

}  // namespace matmul::async_copy
