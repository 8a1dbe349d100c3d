// Threads pass values to another warp through shared memory and nobody waits.
#include "control.hpp"

template <bool mended>
__global__ void pass_on(const int* in, int* out) {
  __shared__ int tile[128];
  const int i = threadIdx.x;
  tile[i] = in[i];
  if constexpr (mended) __syncthreads();
  const int from = i < 32 ? i : i - 32;  // the warp before
  out[i] = tile[from];                   // mistake: it may not have written yet
}

int main(int argc, char** argv) {
  const bool mended = control::wants_mended(argc, argv);
  const control::Buffer<int> in(128);
  const control::Buffer<int> out(128);
  control::fill_ascending(in);
  (mended ? pass_on<true> : pass_on<false>)<<<1, 128>>>(in.data(), out.data());
  return control::finish(out, [](int i) { return i < 32 ? i : i - 32; });
}
