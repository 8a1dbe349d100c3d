// Launches that CUDA refuses, and what the last error is afterwards.
#include "expect.hpp"

__global__ void set(int* out) { *out = 1; }

__global__ void __launch_bounds__(128) bounded(int* out) { *out = 2; }

void not_a_kernel() {}

/// Keeps so many values alive that 1024 threads of it need too many registers.
__global__ void many_registers(const float* in, float* out) {
  float values[96];
#pragma unroll
  for (int i = 0; i < 96; ++i) values[i] = in[i * 256 + threadIdx.x];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 96; ++i) sum = sum * values[95 - i] + values[i];
  out[threadIdx.x] = sum;
}

/// For answers that programs should not depend on: another driver may give others.
void tell(const char* what, cudaError_t error) {
  std::printf("%s: %s\n", what, cudaGetErrorName(error));
  EXPECT(error != cudaSuccess);
  (void)cudaGetLastError();
}

cudaError_t launch(dim3 grid, dim3 block) {
  set<<<grid, block>>>(nullptr);
  return cudaGetLastError();
}

int main() {
  emulate::need_device();
  EXPECT_ERROR(cudaErrorInvalidValue, launch(0, 32));
  EXPECT_ERROR(cudaErrorInvalidValue, launch(1, 0));
  EXPECT_ERROR(cudaErrorInvalidValue, launch(1, dim3(32, 0, 1)));
  EXPECT_ERROR(cudaErrorInvalidValue, launch(1, 1025));
  EXPECT_ERROR(cudaErrorInvalidValue, launch(1, dim3(33, 32, 1)));
  EXPECT_ERROR(cudaErrorInvalidValue, launch(1, dim3(1, 1, 65)));
  EXPECT_ERROR(cudaErrorInvalidValue, launch(dim3(1, 65536, 1), 1));
  EXPECT_ERROR(cudaErrorInvalidValue, launch(dim3(1, 1, 65536), 1));

  int* out;
  EXPECT_OK(cudaMalloc(&out, sizeof(int)));
  void* arguments[] = {&out};
  const auto* const wrong = reinterpret_cast<const void*>(&not_a_kernel);
  EXPECT_ERROR(cudaErrorInvalidResourceHandle,
               cudaLaunchKernel(wrong, dim3(1), dim3(1), arguments, 0, nullptr));
  cudaFuncAttributes attributes;
  EXPECT_ERROR(cudaErrorInvalidResourceHandle,
               cudaFuncGetAttributes(&attributes, wrong));

  // More threads than the kernel was compiled for.
  EXPECT_OK(cudaFuncGetAttributes(&attributes, bounded));
  EXPECT(attributes.maxThreadsPerBlock == 128);
  bounded<<<1, 256>>>(out);
  EXPECT_ERROR(cudaErrorInvalidValue, cudaPeekAtLastError());
  EXPECT_OK(cudaFuncGetAttributes(&attributes, many_registers));
  EXPECT(attributes.numRegs > 64 && attributes.maxThreadsPerBlock < 1024);
  many_registers<<<1, 1024>>>(nullptr, nullptr);
  tell("more threads than the registers are enough for", cudaPeekAtLastError());

  // Other ways to ask for what cannot be.
  const auto* const good = reinterpret_cast<const void*>(&set);
  tell("cudaLaunchKernel with no block",
       cudaLaunchKernel(good, dim3(0), dim3(32), arguments, 0, nullptr));
  tell("cudaLaunchKernel with 1025 threads",
       cudaLaunchKernel(good, dim3(1), dim3(1025), arguments, 0, nullptr));
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = 0;
  configuration.blockDim = 1;
  tell("cudaLaunchKernelExC with no block",
       cudaLaunchKernelExC(&configuration, good, arguments));
  configuration.gridDim = 1;
  tell("cudaLaunchKernelExC of no kernel",
       cudaLaunchKernelExC(&configuration, wrong, arguments));
  tell("cudaFuncSetAttribute of no kernel",
       cudaFuncSetAttribute(wrong, cudaFuncAttributeMaxDynamicSharedMemorySize, 1));
  int blocks;
  tell("occupancy of no kernel",
       cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, wrong, 32, 0));
  const char* name;
  tell("cudaFuncGetName of no kernel", cudaFuncGetName(&name, wrong));
  cudaFunction_t function;
  tell("cudaGetFuncBySymbol of no kernel", cudaGetFuncBySymbol(&function, wrong));

  // A refused launch leaves the device as it was, and the error is told until it is
  // taken.
  set<<<1, 2048>>>(out);
  EXPECT(cudaPeekAtLastError() == cudaErrorInvalidValue);
  EXPECT(cudaPeekAtLastError() == cudaErrorInvalidValue);
  EXPECT_OK(cudaDeviceSynchronize());
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaSuccess);
  set<<<1, 1>>>(out);
  EXPECT_OK(cudaGetLastError());
  int got = 0;
  EXPECT_OK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
  EXPECT(got == 1);

  // The other ways to launch.
  EXPECT_OK(cudaLaunchKernel(reinterpret_cast<const void*>(&bounded), dim3(1),
                             dim3(64), arguments, 0, nullptr));
  EXPECT_OK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
  EXPECT(got == 2);
  EXPECT_OK(cudaLaunchKernelEx(&configuration, set, out));
  EXPECT_OK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
  EXPECT(got == 1);

  EXPECT_ERROR(cudaErrorInvalidDevice, cudaSetDevice(1000));
  EXPECT_ERROR(cudaErrorInvalidDevice, cudaSetDevice(-1));
  EXPECT_OK(cudaFree(out));
  return emulate::result();
}
