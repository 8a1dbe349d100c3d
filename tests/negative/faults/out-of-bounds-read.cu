// The last thread reads one element past the end of its input. On a GPU the next
// allocation may begin there, and then not even compute-sanitizer sees it.
#include "control.hpp"

template <bool mended>
__global__ void difference(const int* in, int* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool last = mended && i == count - 1;
  const int next = last ? i + 1 : in[i + 1];  // mistake: in[count] does not exist
  out[i] = next - i;
}

int main(int argc, char** argv) {
  const bool mended = control::wants_mended(argc, argv);
  const control::Buffer<int> in(256);
  const control::Buffer<int> out(256);
  control::fill_ascending(in);
  (mended ? difference<true> : difference<false>)<<<2, 128>>>(in.data(), out.data(),
                                                              256);
  return control::finish(out, [](int) { return 1; });
}
