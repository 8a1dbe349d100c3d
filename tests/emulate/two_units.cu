// Two files of device code in one program: each has its own fat binary, both
// instantiate the same template, and both have a static variable of the same name.
#include "two_units.hpp"

#include "expect.hpp"

static __constant__ float addend = 100;

__global__ void add_own(float* values) { values[threadIdx.x] += addend; }

int main() {
  emulate::need_device();
  constexpr int n = 32;
  float values[n];
  for (int i = 0; i < n; ++i) values[i] = i;
  float* device;
  EXPECT_OK(cudaMalloc(&device, sizeof values));
  EXPECT_OK(cudaMemcpy(device, values, sizeof values, cudaMemcpyHostToDevice));
  scale<float><<<1, n>>>(device, 3.0f);
  add_own<<<1, n>>>(device);
  scale_and_add_in_second_file(device, n);
  EXPECT_OK(cudaGetLastError());
  EXPECT_OK(cudaMemcpy(values, device, sizeof values, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) EXPECT(values[i] == (3 * i + 100) * 2 + 1000);

  double* wide;
  double twelve = 12;
  EXPECT_OK(cudaMalloc(&wide, sizeof(double)));
  EXPECT_OK(cudaMemcpy(wide, &twelve, sizeof(double), cudaMemcpyHostToDevice));
  scale<double><<<1, 1>>>(wide, 0.25);
  EXPECT_OK(cudaMemcpy(&twelve, wide, sizeof(double), cudaMemcpyDeviceToHost));
  EXPECT(twelve == 3);
  EXPECT_OK(cudaFree(device));
  EXPECT_OK(cudaFree(wide));
  return emulate::result();
}
