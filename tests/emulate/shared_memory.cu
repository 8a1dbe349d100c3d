// Dynamic shared memory: up to 48 KiB as it is, up to 227 KiB after the program
// asked for it, and not more.
#include <vector>

#include "expect.hpp"

/// Reverses n numbers by way of shared memory.
__global__ void reverse(int* numbers, int n) {
  extern __shared__ int buffer[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) buffer[i] = numbers[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) numbers[i] = buffer[n - 1 - i];
}

__global__ void with_static(int* out) {
  __shared__ int fixed[1024];
  extern __shared__ int more[];
  fixed[threadIdx.x] = more[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = fixed[threadIdx.x] + more[31 - threadIdx.x];
}

bool reverses(int n) {
  std::vector<int> numbers(n);
  for (int i = 0; i < n; ++i) numbers[i] = i;
  int* device;
  const size_t bytes = n * sizeof(int);
  EXPECT_OK(cudaMalloc(&device, bytes));
  EXPECT_OK(cudaMemcpy(device, numbers.data(), bytes, cudaMemcpyHostToDevice));
  reverse<<<1, 256, bytes>>>(device, n);
  EXPECT_OK(cudaGetLastError());
  EXPECT_OK(cudaMemcpy(numbers.data(), device, bytes, cudaMemcpyDeviceToHost));
  EXPECT_OK(cudaFree(device));
  for (int i = 0; i < n; ++i) {
    if (numbers[i] != n - 1 - i) return false;
  }
  return true;
}

cudaError_t launch(size_t bytes) {
  reverse<<<1, 32, bytes>>>(nullptr, 0);
  return cudaPeekAtLastError();
}

int main() {
  emulate::need_device();
  constexpr int KiB = 1024;
  EXPECT(reverses(100));
  EXPECT(reverses(12 * KiB));
  EXPECT_ERROR(cudaErrorInvalidValue, launch(48 * KiB + 4));

  cudaFuncAttributes attributes;
  EXPECT_OK(cudaFuncGetAttributes(&attributes, reverse));
  EXPECT(attributes.maxDynamicSharedSizeBytes == 48 * KiB);
  EXPECT(attributes.sharedSizeBytes == 0);
  EXPECT_OK(cudaFuncSetAttribute(
      reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * KiB));
  EXPECT_OK(cudaFuncGetAttributes(&attributes, reverse));
  EXPECT(attributes.maxDynamicSharedSizeBytes == 100 * KiB);
  EXPECT(reverses(25 * KiB));
  EXPECT_ERROR(cudaErrorInvalidValue, launch(100 * KiB + 4));
  EXPECT_OK(cudaFuncSetAttribute(
      reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * KiB));
  EXPECT(reverses(227 * KiB / 4));
  EXPECT_ERROR(
      cudaErrorInvalidValue,
      cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           227 * KiB + 1));
  EXPECT_ERROR(cudaErrorInvalidValue,
               cudaFuncSetAttribute(
                   reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, -5));

  // Static shared memory counts towards both limits.
  EXPECT_OK(cudaFuncGetAttributes(&attributes, with_static));
  EXPECT(attributes.sharedSizeBytes == 4096);
  EXPECT(attributes.maxDynamicSharedSizeBytes == 44 * KiB);
  EXPECT_ERROR(
      cudaErrorInvalidValue,
      cudaFuncSetAttribute(with_static, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           224 * KiB));
  int* out;
  int got[32];
  EXPECT_OK(cudaMalloc(&out, sizeof got));
  with_static<<<1, 32, 128>>>(out);
  EXPECT_OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  for (const int value : got) EXPECT(value == 31);
  with_static<<<1, 32, 44 * KiB + 4>>>(out);
  EXPECT_ERROR(cudaErrorInvalidValue, cudaPeekAtLastError());
  EXPECT_OK(cudaFree(out));
  return emulate::result();
}
