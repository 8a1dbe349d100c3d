// Half of the tile is never filled, and all of it is read. compute-sanitizer's
// initcheck watches global memory alone.
#include "control.hpp"

template <bool mended>
__global__ void sum(const int* in, int* out) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  if (mended || i < 32) tile[i] = in[i];
  __syncthreads();
  out[i] = tile[63 - i];  // mistake: words 32 to 63 hold anything
}

int main(int argc, char** argv) {
  const bool mended = control::wants_mended(argc, argv);
  const control::Buffer<int> in(64);
  const control::Buffer<int> out(64);
  control::fill_ascending(in);
  (mended ? sum<true> : sum<false>)<<<1, 64>>>(in.data(), out.data());
  return control::finish(out, [](int i) { return 63 - i; });
}
