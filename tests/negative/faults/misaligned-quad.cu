// A quad is read from the second float of a row: 16 bytes at an address that is 4
// more than a multiple of 16.
#include "control.hpp"

template <bool mended>
__global__ void sum_quads(const int* in, int* out) {
  const int i = threadIdx.x;
  const int* first = in + i * 4 + (mended ? 0 : 1);
  const int4 quad =
      *reinterpret_cast<const int4*>(first);  // mistake: no multiple of 16
  out[i] = quad.x + quad.y + quad.z + quad.w;
}

int main(int argc, char** argv) {
  const bool mended = control::wants_mended(argc, argv);
  const control::Buffer<int> in(260);
  const control::Buffer<int> out(64);
  control::fill_ascending(in);
  (mended ? sum_quads<true> : sum_quads<false>)<<<1, 64>>>(in.data(), out.data());
  return control::finish(out, [](int i) { return 16 * i + 6; });
}
