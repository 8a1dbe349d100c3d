// The host follows a device pointer.
#include "control.hpp"

int main(int argc, char** argv) {
  const bool mended = control::wants_mended(argc, argv);
  const control::Buffer<int> in(64);
  control::fill_ascending(in);
  if (mended) return in.read()[5] == 5 ? 0 : 1;
  volatile int* device = in.data();
  return device[5] == 5 ? 0 : 1;  // mistake: only kernels and copies may
}
