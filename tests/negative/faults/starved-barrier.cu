// A named barrier counts 96 threads, but only 64 ever arrive: on a GPU this hangs.
#include "control.hpp"

template <bool mended>
__global__ void turn(const int* in, int* out) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  tile[i] = in[i];
  const int expected = mended ? 64 : 96;
  asm volatile("bar.sync 1, %0;" ::"r"(expected));  // mistake: only 64 come
  out[i] = tile[63 - i];
}

int main(int argc, char** argv) {
  const bool mended = control::wants_mended(argc, argv);
  const control::Buffer<int> in(64);
  const control::Buffer<int> out(64);
  control::fill_ascending(in);
  (mended ? turn<true> : turn<false>)<<<1, 64>>>(in.data(), out.data());
  return control::finish(out, [](int i) { return 63 - i; });
}
