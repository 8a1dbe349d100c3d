/// \file
/// A matrix-multiply kernel with a chosen defect: each of these compiles, runs
/// without a fault, and computes something else than the product. The course's own
/// check must refuse every one, and pass the kernel without a defect.
#pragma once

#include "../../../lessons/matmul/matmul.hpp"

namespace wrong_answers {

enum class Defect {
  none,
  skipped_tail,     ///< the last K step is left out
  skipped_tile,     ///< the last tile of C is never computed
  nan_output,       ///< one element is NaN
  infinite_output,  ///< one element is infinite
  does_nothing,     ///< C stays as it was
  zeros,            ///< C is all zeros
  one_wrong,        ///< one element has another's value
  tf32,             ///< inputs rounded to TF32, as a tensor core would take them
  bf16,             ///< inputs rounded to BF16
  half_sums,        ///< the running sum is kept in half precision
  transposed,       ///< C is stored column by column
  added_twice,      ///< C is the product plus what C held before
  changed_input,    ///< C is right, and the first element of B no longer
};

constexpr int tile = 16;

template <Defect defect>
__device__ float as_read(float value) {
  if constexpr (defect == Defect::tf32) {
    unsigned rounded;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(value));
    return __uint_as_float(rounded);
  } else if constexpr (defect == Defect::bf16) {
    unsigned short rounded;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(rounded) : "f"(value));
    return __uint_as_float(static_cast<unsigned>(rounded) << 16);
  } else {
    return value;
  }
}

template <Defect defect>
__device__ float as_kept(float sum) {
  if constexpr (defect == Defect::half_sums) {
    unsigned short rounded;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(rounded) : "f"(sum));
    asm("cvt.f32.f16 %0, %1;" : "=f"(sum) : "h"(rounded));
  }
  return sum;
}

template <Defect defect>
__global__ void product(const float* a, const float* b, float* c, int M, int N,
                        int K) {
  if constexpr (defect == Defect::does_nothing) return;
  __shared__ float a_tile[tile][tile];
  __shared__ float b_tile[tile][tile];
  const int row = blockIdx.y * tile + threadIdx.y;
  const int col = blockIdx.x * tile + threadIdx.x;
  if (defect == Defect::skipped_tile && blockIdx.x == gridDim.x - 1 &&
      blockIdx.y == gridDim.y - 1) {
    return;
  }
  const int steps = K / tile - (defect == Defect::skipped_tail ? 1 : 0);
  float sum = 0;
  for (int step = 0; step < steps; ++step) {
    const int k0 = step * tile;
    a_tile[threadIdx.y][threadIdx.x] =
        as_read<defect>(a[row * K + k0 + threadIdx.x]);
    b_tile[threadIdx.y][threadIdx.x] =
        as_read<defect>(b[(k0 + threadIdx.y) * N + col]);
    __syncthreads();
    for (int k = 0; k < tile; ++k) {
      sum = as_kept<defect>(sum + a_tile[threadIdx.y][k] * b_tile[k][threadIdx.x]);
    }
    __syncthreads();
  }
  const bool chosen = row == M / 2 + 3 && col == N - 5;
  if (defect == Defect::nan_output && chosen) sum = __uint_as_float(0x7fc00000);
  if (defect == Defect::infinite_output && chosen)
    sum = __uint_as_float(0x7f800000);
  if (defect == Defect::one_wrong && chosen) sum = -sum;
  if (defect == Defect::zeros) sum = 0;
  if (defect == Defect::added_twice) sum += c[row * N + col];
  // The place where the transposed product has this element.
  const int at = defect == Defect::transposed ? col * M + row : row * N + col;
  c[at] = sum;
}

template <Defect>
__global__ void change(float* element) {
  *element += 1;
}

template <Defect defect>
void launch(const matmul::Operands& x, cudaStream_t stream) {
  product<defect><<<dim3(x.N / tile, x.M / tile), dim3(tile, tile), 0, stream>>>(
      x.a, x.b, x.c, x.M, x.N, x.K);
  if constexpr (defect == Defect::changed_input) {
    change<defect><<<1, 1, 0, stream>>>(const_cast<float*>(x.b));
  }
}

}  // namespace wrong_answers
