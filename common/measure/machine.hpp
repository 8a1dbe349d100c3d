#pragma once

#include "measure/json.hpp"

namespace rungs {

/// The device of this process, as a record keeps it: its name, what the limits of
/// its speed follow from, and the driver. Null where the device does not say.
/// Throws CudaError.
Json machine();

/// Clocks, temperature, power and throttle reasons now, or {"missing": why}. Throws
/// CudaError.
Json machine_state();

/// Those environment variables that change what libraries compute or how launches
/// run, and are set.
Json measuring_environment();

/// "13.0" for 13000, as CUDA writes versions; null for 0.
Json cuda_version(int version);

}  // namespace rungs
