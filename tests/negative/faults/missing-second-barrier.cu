// A tile is used again: without a barrier at the loop's end, a fast warp overwrites
// what a slow one still has to read.
#include "control.hpp"

template <bool mended>
__global__ void sum_tiles(const int* in, int* out, int tiles) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  int sum = 0;
  for (int t = 0; t < tiles; ++t) {
    tile[i] = in[t * 64 + i];
    __syncthreads();
    sum +=
        tile[63 - i];  // mistake: warp 0 may have filled in the next tile already
    if constexpr (mended) __syncthreads();
  }
  out[i] = sum;
}

int main(int argc, char** argv) {
  const bool mended = control::wants_mended(argc, argv);
  const control::Buffer<int> in(192);
  const control::Buffer<int> out(64);
  control::fill_ascending(in);
  (mended ? sum_tiles<true> : sum_tiles<false>)<<<1, 64>>>(in.data(), out.data(),
                                                           3);
  return control::finish(out, [](int i) { return 3 * (63 - i) + 192; });
}
