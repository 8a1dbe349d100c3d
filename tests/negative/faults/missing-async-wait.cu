// A copy in flight is read before it has been waited for.
#include "control.hpp"

template <bool mended>
__global__ void stage(const int* in, int* out) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(&tile[i]));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + i)
               : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
  if constexpr (mended) asm volatile("cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  out[i] = tile[63 - i];  // mistake: the copy may not have arrived
}

int main(int argc, char** argv) {
  const bool mended = control::wants_mended(argc, argv);
  const control::Buffer<int> in(64);
  const control::Buffer<int> out(64);
  control::fill_ascending(in);
  (mended ? stage<true> : stage<false>)<<<1, 64>>>(in.data(), out.data());
  return control::finish(out, [](int i) { return 63 - i; });
}
