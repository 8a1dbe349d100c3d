#pragma once

#include "measure/kernel_records.hpp"
#include "measure/launches.hpp"

namespace rungs {

/// Kernel times by CUPTI, one sample a launch; launches are queued without a wait,
/// and ten more before them. Records are taken in this pass only. Throws Missing
/// where there is no CUPTI or it refuses.
KernelTimes measure_kernel(Launches& launches, int samples);

}  // namespace rungs
