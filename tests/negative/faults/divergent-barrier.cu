// A barrier stands in a branch that only the odd lanes of each warp take.
#include "control.hpp"

template <bool mended>
__global__ void turn(const int* in, int* out) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  tile[i] = in[i];
  if constexpr (mended) __syncthreads();
  int value = 0;
  if (i % 2 == 1) {
    if constexpr (!mended) __syncthreads();  // mistake: even lanes never come here
    value = tile[63 - i];
  }
  out[i] = value;
}

int main(int argc, char** argv) {
  const bool mended = control::wants_mended(argc, argv);
  const control::Buffer<int> in(64);
  const control::Buffer<int> out(64);
  control::fill_ascending(in);
  (mended ? turn<true> : turn<false>)<<<1, 64>>>(in.data(), out.data());
  return control::finish(out, [](int i) { return i % 2 == 1 ? 63 - i : 0; });
}
