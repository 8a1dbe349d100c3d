// Rows of 33 words keep columns apart, but only every fourth row starts at a quad.
#include "control.hpp"

template <bool mended>
__global__ void first_quads(const int* in, int* out) {
  constexpr int row = mended ? 36 : 33;
  __shared__ alignas(16) int tile[32 * row];
  const int i = threadIdx.x;
  for (int k = 0; k < 32; ++k) tile[k * row + i] = in[k * 32 + i];
  __syncthreads();
  const int4 quad =
      *reinterpret_cast<int4*>(&tile[i * row]);  // mistake: row 1 is at 132
  // All four are used, or ptxas would read two words alone and nothing would be
  // wrong.
  out[i] = quad.x + quad.y + quad.z + quad.w;
}

int main(int argc, char** argv) {
  const bool mended = control::wants_mended(argc, argv);
  const control::Buffer<int> in(1024);
  const control::Buffer<int> out(32);
  control::fill_ascending(in);
  (mended ? first_quads<true> : first_quads<false>)<<<1, 32>>>(in.data(),
                                                               out.data());
  return control::finish(out, [](int i) { return 128 * i + 6; });
}
