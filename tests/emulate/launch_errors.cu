// Launches that CUDA refuses, and what the last error is afterwards.
#include "expect.hpp"

__global__ void set(int* out) { *out = 1; }

__global__ void __launch_bounds__(128) bounded(int* out) { *out = 2; }

void not_a_kernel() {}

cudaError_t launch(dim3 grid, dim3 block) {
  set<<<grid, block>>>(nullptr);
  return cudaGetLastError();
}

int main() {
  emulate::need_device();
  EXPECT_ERROR(cudaErrorInvalidConfiguration, launch(0, 32));
  EXPECT_ERROR(cudaErrorInvalidConfiguration, launch(1, 0));
  EXPECT_ERROR(cudaErrorInvalidConfiguration, launch(1, dim3(32, 0, 1)));
  EXPECT_ERROR(cudaErrorInvalidConfiguration, launch(1, 1025));
  EXPECT_ERROR(cudaErrorInvalidConfiguration, launch(1, dim3(33, 32, 1)));
  EXPECT_ERROR(cudaErrorInvalidConfiguration, launch(1, dim3(1, 1, 65)));
  EXPECT_ERROR(cudaErrorInvalidConfiguration, launch(dim3(1, 65536, 1), 1));
  EXPECT_ERROR(cudaErrorInvalidConfiguration, launch(dim3(1, 1, 65536), 1));

  int* out;
  EXPECT_OK(cudaMalloc(&out, sizeof(int)));
  void* arguments[] = {&out};
  const auto* const wrong = reinterpret_cast<const void*>(&not_a_kernel);
  EXPECT_ERROR(cudaErrorInvalidDeviceFunction,
               cudaLaunchKernel(wrong, dim3(1), dim3(1), arguments, 0, nullptr));
  cudaFuncAttributes attributes;
  EXPECT_ERROR(cudaErrorInvalidDeviceFunction,
               cudaFuncGetAttributes(&attributes, wrong));

  // More threads than the kernel was compiled for.
  EXPECT_OK(cudaFuncGetAttributes(&attributes, bounded));
  EXPECT(attributes.maxThreadsPerBlock == 128);
  bounded<<<1, 256>>>(out);
  EXPECT(cudaPeekAtLastError() != cudaSuccess);
  std::printf("more threads than __launch_bounds__: %s\n",
              cudaGetErrorName(cudaGetLastError()));

  // A refused launch leaves the device as it was, and the error is told until it is
  // taken.
  set<<<1, 2048>>>(out);
  EXPECT(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
  EXPECT(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
  EXPECT_OK(cudaDeviceSynchronize());
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
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
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = 1;
  configuration.blockDim = 1;
  EXPECT_OK(cudaLaunchKernelEx(&configuration, set, out));
  EXPECT_OK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
  EXPECT(got == 1);

  EXPECT_ERROR(cudaErrorInvalidDevice, cudaSetDevice(1000));
  EXPECT_ERROR(cudaErrorInvalidDevice, cudaSetDevice(-1));
  EXPECT_OK(cudaFree(out));
  return emulate::result();
}
