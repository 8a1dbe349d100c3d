// A thread waits for a flag that nobody raises: on a GPU this hangs.
#include "control.hpp"

template <bool mended>
__global__ void wait_for(volatile int* flag, int* out) {
  if constexpr (mended) {
    if (threadIdx.x == 0) *flag = 1;
  }
  while (*flag == 0) {  // mistake: the flag stays 0
  }
  out[threadIdx.x] = *flag;
}

int main(int argc, char** argv) {
  const bool mended = control::wants_mended(argc, argv);
  const control::Buffer<int> flag(1);
  const control::Buffer<int> out(32);
  (mended ? wait_for<true> : wait_for<false>)<<<1, 32>>>(flag.data(), out.data());
  return control::finish(out, [](int) { return 1; });
}
