// Device-side printf: formats, and the order of blocks, warps and lanes.
#include "expect.hpp"

__global__ void formats() {
  printf("%d %u %x %5.2f %e %c %s %% %lld %llu\n", -5, 7u, 255, 3.14159, 12345.678,
         'z', "text", -(1LL << 40), 1ULL << 63);
  printf("nothing to fill in\n");
}

__global__ void many() {
  if (threadIdx.x % 16 == 0)
    printf("block %d thread %d\n", blockIdx.x, threadIdx.x);
}

int main() {
  emulate::need_device();
  std::printf("before\n");
  formats<<<1, 1>>>();
  EXPECT_OK(cudaDeviceSynchronize());
  std::printf("between\n");
  many<<<40, 64>>>();
  EXPECT_OK(cudaDeviceSynchronize());
  std::printf("after\n");
  return emulate::failures != 0;
}
