// Writes behind the end of the output: a fault on every device, and the next rung
// must not suffer from it.
#include "../sum.hpp"

namespace sum::out_of_bounds {

__global__ void kernel(float* total) { total[1 << 20] = 0; }

void launch(const Operands& y, cudaStream_t stream) {
  kernel<<<1, 1, 0, stream>>>(y.total);
}

const rungs::Rung rung = problem().rung({.after = "two-kernels", .launch = launch});

}  // namespace sum::out_of_bounds
