/// \file
/// The CPU device's own C interface (cpu_device.h).
#include "cpu_device/runtime/entry.hpp"

using namespace rungs::cpu_device;

const char* rungsCpuDeviceVersion() { return "1.0"; }

int rungsCpuDeviceConfigure(const char* key, const char* value) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  const std::string error =
      runtime.configuration.set(key ? key : "", value ? value : "");
  if (error.empty()) return 0;
  write_note(error);
  return 1;
}

void rungsCpuDeviceResetCounts() {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.counts.reset();
}

const char* rungsCpuDeviceCountsJson() {
  static auto* const text = new std::string;
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  *text = runtime.counts.json();
  return text->c_str();
}

const char* rungsCpuDeviceLastFault() {
  static auto* const text = new std::string;
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  *text = runtime.last_fault;
  return text->c_str();
}
