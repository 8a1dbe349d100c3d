// A block of 256 threads normalises one row. It reads the row three times: for the
// mean, for the variance, for the output. Each of the two sums is a tree in shared
// memory that halves the block eight times, with a barrier at every level: nineteen
// barriers a row.
#include "../layernorm.hpp"

namespace layernorm::baseline {

constexpr int threads = 256;
constexpr int tree_levels = 8;
constexpr int barriers_per_row = 2 * (1 + tree_levels) + 1;
constexpr int shared_bytes = threads * sizeof(float);

static_assert(threads == 1 << tree_levels, "a tree halves the block to one thread");

// [kernel]
__global__ void __launch_bounds__(threads)
    kernel(const float* __restrict__ x, const float* __restrict__ gamma,
           const float* __restrict__ beta, float* __restrict__ y, int width) {
  __shared__ float partial[threads];

  const int thread = threadIdx.x;
  const int row_start = blockIdx.x * width;

  // The compiler would unroll this kernel's loops, and pay for it in registers.
  float sum = 0;
#pragma unroll 1
  for (int col = thread; col < width; col += threads) sum += x[row_start + col];
  partial[thread] = sum;
  __syncthreads();
#pragma unroll 1
  for (int half = threads / 2; half > 0; half /= 2) {
    if (thread < half) partial[thread] += partial[thread + half];
    __syncthreads();
  }
  const float mean = partial[0] / width;
  __syncthreads();  // all have read the sum before it is written over

  float squares = 0;
#pragma unroll 1
  for (int col = thread; col < width; col += threads) {
    const float distance = x[row_start + col] - mean;
    squares += distance * distance;
  }
  partial[thread] = squares;
  __syncthreads();
#pragma unroll 1
  for (int half = threads / 2; half > 0; half /= 2) {
    if (thread < half) partial[thread] += partial[thread + half];
    __syncthreads();
  }
  const float per_deviation = rsqrtf(partial[0] / width + epsilon);

#pragma unroll 1
  for (int col = thread; col < width; col += threads) {
    const float normalised = (x[row_start + col] - mean) * per_deviation;
    y[row_start + col] = normalised * gamma[col] + beta[col];
  }
}
// [/kernel]

void launch(const Operands& o, cudaStream_t stream) {
  kernel<<<o.rows, threads, 0, stream>>>(o.x, o.gamma, o.beta, o.y, o.width);
}

const rungs::Rung rung = problem().rung({
    .kind = rungs::Kind::kept,
    .argued = {{"barriers_per_row", barriers_per_row},
               {"row_reads", 3},
               {"block_threads", threads},
               {"shared_bytes", shared_bytes}},
    .launch = launch,
});

}  // namespace layernorm::baseline
