/// \file
/// Which checks of shared memory a launch asks for.
#pragma once

namespace rungs::cpu_device {

/// What the device checks beyond bounds and alignment, which it always checks.
struct Checks {
  bool races =
      false;  ///< shared-memory accesses of two warps without a barrier between
  bool uninitialised = false;  ///< shared memory read before it is written
};

}  // namespace rungs::cpu_device
