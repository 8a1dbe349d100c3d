// A kernel that faults, chosen by the argument, and what every call says
// afterwards.
//
//   faults out-of-bounds | misaligned | assertion | trap | use-after-free
#include <cassert>
#include <cstring>

#include "expect.hpp"

__global__ void out_of_bounds(float* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == n - 1) values[int64_t{1} << 40] = 1;  // far outside of everything
}

__global__ void misaligned(float* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == n - 1) *reinterpret_cast<float4*>(values + 1) = make_float4(1, 2, 3, 4);
}

__global__ void assertion(float* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  assert(i != n - 1);
  values[i] = 1;
}

__global__ void trap(float* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == n - 1) __trap();
  values[i] = 1;
}

__global__ void write(float* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = 1;
}

struct Fault {
  const char* name;
  void (*kernel)(float*, int);
  cudaError_t error;
};

constexpr Fault faults[] = {
    {"out-of-bounds", out_of_bounds, cudaErrorIllegalAddress},
    {"misaligned", misaligned, cudaErrorMisalignedAddress},
    {"assertion", assertion, cudaErrorAssert},
    {"trap", trap, cudaErrorLaunchFailure},
    {"use-after-free", write, cudaErrorIllegalAddress},
};

int main(int count, char** arguments) {
  emulate::need_device();
  const Fault* fault = nullptr;
  for (const Fault& entry : faults) {
    if (count == 2 && std::strcmp(arguments[1], entry.name) == 0) fault = &entry;
  }
  if (!fault) {
    std::fprintf(stderr, "faults: give one of the faults that faults.cu lists\n");
    return 2;
  }

  constexpr int n = 1024;
  float *values, *other;
  EXPECT_OK(cudaMalloc(&values, n * sizeof(float)));
  EXPECT_OK(cudaMalloc(&other, n * sizeof(float)));
  if (fault->kernel == write) EXPECT_OK(cudaFree(values));
  fault->kernel<<<n / 64, 64>>>(values, n);
  // The launch itself was good; who waits for the kernel finds out.
  EXPECT_OK(cudaGetLastError());
  const cudaError_t error = fault->error;
  EXPECT(cudaDeviceSynchronize() == error);
  EXPECT(cudaPeekAtLastError() == error);
  EXPECT(cudaGetLastError() == error);
  // The last error is told once, but from now on nothing works any more.
  EXPECT(cudaGetLastError() == cudaSuccess);
  EXPECT(cudaPeekAtLastError() == cudaSuccess);
  EXPECT(cudaDeviceSynchronize() == error);
  void* pointer;
  float value;
  EXPECT(cudaMalloc(&pointer, 4) == error);
  EXPECT(cudaMemcpy(&value, other, 4, cudaMemcpyDeviceToHost) == error);
  EXPECT(cudaGetLastError() == error);
  write<<<1, 1>>>(other, 1);
  EXPECT(cudaGetLastError() == error);
  EXPECT(cudaFree(other) == error);
  cudaStream_t stream;
  EXPECT(cudaStreamCreate(&stream) == error);
  return emulate::result();
}
