#include "rung/cpu_device_calls.hpp"

#include <dlfcn.h>

#include "cpu_device/cpu_device.h"
#include "rung/stop.hpp"

namespace rungs {
namespace {

/// The CPU device's function of this name, or null on a GPU. No program links with
/// the CPU device: it is there if it was loaded in the runtime's place.
template <class Function>
Function* find(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

#define RUNGS_FIND(function) find<decltype(function)>(#function)

}  // namespace

bool on_cpu_device() { return RUNGS_FIND(rungsCpuDeviceVersion) != nullptr; }

void configure_cpu_device(const std::string& key, const std::string& value) {
  if (RUNGS_FIND(rungsCpuDeviceConfigure)(key.c_str(), value.c_str()) != 0) {
    throw Stop(Exit::wrong_use, "the CPU device refuses " + key + " = " + value);
  }
}

void reset_counts() { RUNGS_FIND(rungsCpuDeviceResetCounts)(); }

std::string counts_document() { return RUNGS_FIND(rungsCpuDeviceCountsJson)(); }

std::string last_fault() {
  return on_cpu_device() ? RUNGS_FIND(rungsCpuDeviceLastFault)() : "";
}

}  // namespace rungs
