#pragma once

#include <string>

#include "measure/json.hpp"
#include "measure/launches.hpp"

namespace rungs {

/// What is asked of an instrument.
struct Measurement {
  std::string instrument = {};  ///< "span", "kernel", "awaited", "queued", ...
  int samples = 100;
  int batch = 1;  ///< operations in one sample of "queued" and "graph"
};

/// Why there is no such measurement, in one sentence; empty if there is.
std::string refuse(const Measurement& asked);

/// Measures after ten launches, and gives the answer that measure_c.h describes. It
/// throws nothing: a launch that fails leaves a gap, {"missing": why}, and one that
/// takes the device with it is an {"error": why}.
Json measure(const Measurement& asked, Launches launches);

/// True if no later call of this process can succeed: a kernel has faulted. Forgets
/// any other error.
bool device_is_lost();

}  // namespace rungs
