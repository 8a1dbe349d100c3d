// The grid is rounded up to whole blocks and nobody asks whether a thread has an
// element.
#include "control.hpp"

template <bool mended>
__global__ void number(int* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (mended && i >= count) return;
  out[i] = i;  // mistake: the last block has 28 threads too many
}

int main(int argc, char** argv) {
  const bool mended = control::wants_mended(argc, argv);
  const control::Buffer<int> out(100);
  (mended ? number<true> : number<false>)<<<4, 32>>>(out.data(), out.count());
  return control::finish(out, [](int i) { return i; });
}
