// Has an instruction that the CPU device does not implement: a SIMD video
// instruction, which PTX itself calls slow and no lesson needs.
#include "../sum.hpp"

namespace sum::unsupported {

__global__ void kernel(const float* x, float* total) {
  int averages = 0;
  asm volatile("vavrg4.s32.s32.s32 %0, %1, %2, %3;"
               : "=r"(averages)
               : "r"(__float_as_int(x[0])), "r"(__float_as_int(x[1])), "r"(0));
  *total = averages;
}

void launch(const Operands& y, cudaStream_t stream) {
  kernel<<<1, 1, 0, stream>>>(y.x, y.total);
}

const rungs::Rung rung = problem().rung({.after = "two-kernels", .launch = launch});

}  // namespace sum::unsupported
