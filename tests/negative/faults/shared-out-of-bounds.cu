// A shared tile has one row fewer than the threads think.
#include "control.hpp"

template <bool mended>
__global__ void turn(const int* in, int* out) {
  __shared__ int tile[mended ? 64 : 60];
  const int i = threadIdx.x;
  tile[i] = in[i];  // mistake: threads 60 to 63 write past the end
  __syncthreads();
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
