// The kernel is given a pointer to the host's own memory.
#include "control.hpp"

__global__ void copy(const int* in, int* out) {
  const int i = threadIdx.x;
  out[i] = in[i];  // mistake: `in` is no device memory
}

int main(int argc, char** argv) {
  const bool mended = control::wants_mended(argc, argv);
  const control::Buffer<int> in(64);
  const control::Buffer<int> out(64);
  control::fill_ascending(in);
  const std::vector<int> host = in.read();
  copy<<<1, 64>>>(mended ? in.data() : host.data(), out.data());
  return control::finish(out, [](int i) { return i; });
}
