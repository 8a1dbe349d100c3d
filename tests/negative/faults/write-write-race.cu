// One thread of each of two warps writes the same word; which of them wins is
// chance.
#include "control.hpp"

template <bool mended>
__global__ void elect(int* out) {
  __shared__ int winner;
  const int i = threadIdx.x;
  const bool writes = mended ? i == 0 : i % 32 == 0;
  if (writes) winner = i + 7;  // mistake: warps 0 and 1 both write
  __syncthreads();
  out[i] = winner;
}

int main(int argc, char** argv) {
  const bool mended = control::wants_mended(argc, argv);
  const control::Buffer<int> out(64);
  (mended ? elect<true> : elect<false>)<<<1, 64>>>(out.data());
  return control::finish(out, [](int) { return 7; });
}
