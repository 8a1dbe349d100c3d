// What CUPTI's answers mean. They need no header of CUPTI's, so every build has
// them.
#include "measure/cupti.hpp"

namespace rungs {
namespace {

// CUptiResult, in cupti_result.h.
constexpr int insufficient_privileges = 35;
constexpr int multiple_subscribers = 39;
constexpr int virtualised_not_permitted = 40;

}  // namespace

std::string cupti_sentence(const std::string& call, int code,
                           const std::string& name) {
  switch (code) {
    case insufficient_privileges:
    case virtualised_not_permitted:
      return "CUPTI is not permitted here (" + name +
             "): run as root, in a container with CAP_SYS_ADMIN, or have the "
             "administrator load the driver with NVreg_RestrictProfilingToAdminUsers=0";
    case multiple_subscribers:
      return "CUPTI serves another tool in this process (" + name +
             "): run without a profiler or debugger, and without CUDA_INJECTION64_PATH";
    default:
      return "CUPTI's " + call + " failed with " + name;
  }
}

std::string cupti_version_text(unsigned version) {
  if (version < 10000) return "API version " + std::to_string(version);
  return std::to_string(version / 10000) + "." +
         std::to_string(version / 100 % 100);
}

}  // namespace rungs
