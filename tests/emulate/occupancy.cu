// Occupancy on an H200, by registers, threads, blocks and shared memory. On other
// GPUs the numbers differ, so there it only runs.
#include <cstring>

#include "expect.hpp"

__global__ void few_registers(float* out) { out[threadIdx.x] = 1; }

/// Keeps many values alive, so that it needs many registers.
__global__ void __launch_bounds__(256) many_registers(const float* in, float* out) {
  float values[96];
#pragma unroll
  for (int i = 0; i < 96; ++i) values[i] = in[i * 256 + threadIdx.x];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 96; ++i) sum = sum * values[95 - i] + values[i];
  out[threadIdx.x] = sum;
}

__global__ void with_shared(float* out) {
  __shared__ float tile[4096];
  tile[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

__global__ void with_little_shared(float* out) {
  __shared__ float sums[16];
  if (threadIdx.x < 16) sums[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = sums[threadIdx.x & 7];
}

template <typename Kernel>
int blocks(Kernel kernel, int threads, size_t dynamic_bytes = 0) {
  int result = -1;
  EXPECT_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&result, kernel, threads,
                                                          dynamic_bytes));
  return result;
}

/// Dynamic shared memory that is left when so many blocks are to be resident.
template <typename Kernel>
size_t available(Kernel kernel, int blocks) {
  size_t bytes = 0;
  EXPECT_OK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel, blocks, 128));
  return bytes;
}

template <typename Kernel>
int registers(Kernel kernel) {
  cudaFuncAttributes attributes;
  EXPECT_OK(cudaFuncGetAttributes(&attributes, kernel));
  return attributes.numRegs;
}

/// Blocks of 256 threads that the registers of a multiprocessor are enough for.
int by_registers(int registers, int warps) {
  const int of_warp = (registers * 32 + 255) / 256 * 256;
  return 16384 / of_warp * 4 / warps;
}

int main() {
  emulate::need_device();
  cudaDeviceProp properties;
  EXPECT_OK(cudaGetDeviceProperties(&properties, 0));
  if (properties.major != 9 || !std::strstr(properties.name, "H200")) {
    std::printf("%s is no H200: nothing to compare\n", properties.name);
    return emulate::result();
  }
  EXPECT(blocks(few_registers, 32) == 32);
  EXPECT(blocks(few_registers, 64) == 32);
  EXPECT(blocks(few_registers, 256) == 8);
  EXPECT(blocks(few_registers, 1024) == 2);
  EXPECT(blocks(few_registers, 768) == 2);
  EXPECT(blocks(few_registers, 257) == 7);

  std::printf("registers: %d and %d\n", registers(few_registers),
              registers(many_registers));
  EXPECT(registers(few_registers) < 32);
  EXPECT(registers(many_registers) > 96);
  EXPECT(blocks(many_registers, 256) == by_registers(registers(many_registers), 8));
  EXPECT(blocks(many_registers, 96) == by_registers(registers(many_registers), 3));

  // 16 KiB and the system's 1 KiB a block, of 228 KiB.
  EXPECT(blocks(with_shared, 64) == 13);
  EXPECT(blocks(with_shared, 64, 16384) == 6);
  EXPECT(blocks(few_registers, 64, 48 * 1024) == 4);

  // More than 48 KiB needs the opt-in.
  std::printf("blocks with 227 KiB without the opt-in: %d\n",
              blocks(few_registers, 64, 227 * 1024));
  EXPECT(blocks(few_registers, 64, 227 * 1024) == 0);
  EXPECT(blocks(few_registers, 64, 48 * 1024 + 128) == 0);
  EXPECT(available(few_registers, 2) == 48 * 1024);
  EXPECT_OK(cudaFuncSetAttribute(
      few_registers, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
  EXPECT(blocks(few_registers, 64, 227 * 1024) == 1);
  EXPECT(blocks(few_registers, 64, 113 * 1024) == 2);
  const size_t bytes = available(few_registers, 2);
  std::printf("dynamic shared memory for two blocks: %zu bytes\n", bytes);
  EXPECT(bytes == 114 * 1024);

  cudaFuncAttributes attributes;
  EXPECT_OK(cudaFuncGetAttributes(&attributes, with_little_shared));
  std::printf("64 bytes of shared memory are reported as %zu\n",
              attributes.sharedSizeBytes);

  int grid = 0, block = 0;
  EXPECT_OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, few_registers));
  EXPECT(block == 1024 && grid == 264);
  return emulate::result();
}
