// Managed variables: the host uses them like its own, before and after kernels.
#include "expect.hpp"

__managed__ int shared_count = 5;
__managed__ float values[64];

__global__ void use() {
  atomicAdd(&shared_count, 1);
  values[threadIdx.x] += threadIdx.x;
}

int main() {
  emulate::need_device();
  EXPECT(shared_count == 5);
  shared_count = 100;
  for (float& value : values) value = 0.5f;
  use<<<1, 64>>>();
  EXPECT_OK(cudaDeviceSynchronize());
  EXPECT(shared_count == 164);
  for (int i = 0; i < 64; ++i) EXPECT(values[i] == 0.5f + i);
  cudaPointerAttributes attributes;
  EXPECT_OK(cudaPointerGetAttributes(&attributes, &shared_count));
  EXPECT(attributes.type == cudaMemoryTypeManaged);
  int copy = 0;
  EXPECT_OK(cudaMemcpyFromSymbol(&copy, shared_count, sizeof copy));
  EXPECT(copy == 164);
  return emulate::result();
}
