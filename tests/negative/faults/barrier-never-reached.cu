// The second warp leaves the kernel early, and the first waits for it. Today's GPUs
// take threads that have ended as arrived and go on, but nothing promises that.
#include "control.hpp"

template <bool mended>
__global__ void turn(const int* in, int* out, int count) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  if (!mended && i >= count) return;
  tile[i] = in[i];
  __syncthreads();  // mistake: threads 32 to 63 have returned
  if (i < count) out[i] = tile[31 - i];
}

int main(int argc, char** argv) {
  const bool mended = control::wants_mended(argc, argv);
  const control::Buffer<int> in(64);
  const control::Buffer<int> out(32);
  control::fill_ascending(in);
  (mended ? turn<true> : turn<false>)<<<1, 64>>>(in.data(), out.data(), 32);
  return control::finish(out, [](int i) { return 31 - i; });
}
