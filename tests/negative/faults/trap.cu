// A kernel stops itself.
#include "control.hpp"

template <bool mended>
__global__ void guard(const int* in, int* out) {
  const int i = threadIdx.x;
  if (!mended && in[i] == 40) __trap();  // mistake: thread 40 has 40
  out[i] = in[i];
}

int main(int argc, char** argv) {
  const bool mended = control::wants_mended(argc, argv);
  const control::Buffer<int> in(64);
  const control::Buffer<int> out(64);
  control::fill_ascending(in);
  (mended ? guard<true> : guard<false>)<<<1, 64>>>(in.data(), out.data());
  return control::finish(out, [](int i) { return i; });
}
