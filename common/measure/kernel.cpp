#include "measure/kernel.hpp"

#include "measure/cupti.hpp"

namespace rungs {

KernelTimes measure_kernel(Launches& launches, int samples) {
  KernelTrace trace;
  for (int i = 0; i < samples; ++i) launches.next();
  launches.wait();
  return match(trace.finish(samples), samples);
}

}  // namespace rungs
