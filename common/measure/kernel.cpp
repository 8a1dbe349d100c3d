#include "measure/kernel.hpp"

#include "measure/cupti.hpp"

namespace rungs {

KernelTimes measure_kernel(Launches& launches, int samples) {
  // The first launches after CUPTI has been switched on are not like the others.
  constexpr int warm_ups = 10;
  KernelTrace trace;
  for (int i = 0; i < warm_ups + samples; ++i) launches.next();
  launches.wait();
  KernelTimes times = match(trace.finish(warm_ups + samples), warm_ups + samples);
  forget_first(times, warm_ups);
  return times;
}

}  // namespace rungs
