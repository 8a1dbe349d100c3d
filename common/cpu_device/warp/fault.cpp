#include "cpu_device/fault.hpp"

namespace rungs::cpu_device {

const char* fault_name(FaultKind kind) {
  switch (kind) {
    case FaultKind::out_of_bounds:
      return "out of bounds";
    case FaultKind::misaligned:
      return "misaligned";
    case FaultKind::use_after_free:
      return "use after free";
    case FaultKind::race:
      return "race";
    case FaultKind::uninitialised:
      return "uninitialised";
    case FaultKind::divergent_barrier:
      return "divergent barrier";
    case FaultKind::assertion:
      return "assertion";
    case FaultKind::trap:
      return "trap";
    case FaultKind::budget:
      return "budget";
  }
  return "fault";
}

}  // namespace rungs::cpu_device
