// An assert in a kernel does not hold for one thread.
#include <cassert>

#include "control.hpp"

template <bool mended>
__global__ void halve(const int* in, int* out) {
  const int i = threadIdx.x;
  const int value = in[i] - (mended ? 0 : 2 * (i == 37));
  assert(value >= i);  // mistake: thread 37 has 35
  out[i] = value;
}

int main(int argc, char** argv) {
  const bool mended = control::wants_mended(argc, argv);
  const control::Buffer<int> in(64);
  const control::Buffer<int> out(64);
  control::fill_ascending(in);
  (mended ? halve<true> : halve<false>)<<<1, 64>>>(in.data(), out.data());
  return control::finish(out, [](int i) { return i; });
}
