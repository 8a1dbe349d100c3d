// An instruction that the CPU device does not know: movmatrix moves an 8 x 8 matrix
// across the lanes. The CPU device must stop with the instruction's text, never
// with a value.
#include "control.hpp"

template <bool mended>
__global__ void across(const int* in, int* out) {
  const int i = threadIdx.x;
  int value = in[i];
  if constexpr (!mended) {
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;"
                 : "+r"(value));  // mistake
  }
  out[i] = value;
}

int main(int argc, char** argv) {
  const bool mended = control::wants_mended(argc, argv);
  const control::Buffer<int> in(32);
  const control::Buffer<int> out(32);
  control::fill_ascending(in);
  (mended ? across<true> : across<false>)<<<1, 32>>>(in.data(), out.data());
  return control::finish(out, [](int i) { return i; });
}
