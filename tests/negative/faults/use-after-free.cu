// A kernel reads memory that the host has freed.
#include "control.hpp"

__global__ void copy(const int* in, int* out) {
  const int i = threadIdx.x;
  out[i] = in[i];  // mistake: `in` was freed before the launch
}

int main(int argc, char** argv) {
  const bool mended = control::wants_mended(argc, argv);
  const control::Buffer<int> keep(64);
  const control::Buffer<int> out(64);
  control::fill_ascending(keep);
  int* in = nullptr;
  control::check(cudaMalloc(&in, 64 * sizeof(int)));
  control::check(
      cudaMemcpy(in, keep.data(), 64 * sizeof(int), cudaMemcpyDeviceToDevice));
  if (!mended) control::check(cudaFree(in));
  copy<<<1, 64>>>(in, out.data());
  return control::finish(out, [](int i) { return i; });
}
