#include "measure/nvml.hpp"

#include <dlfcn.h>

#include <array>

#include "measure/missing.hpp"

namespace rungs {
namespace {

// The few names of nvml.h that are needed; the toolkit's wheels do not bring it.
// NVML keeps them from one version to the next.
using NvmlReturn = int;
constexpr NvmlReturn success = 0;
constexpr int sm_clock = 1;
constexpr int memory_clock = 2;
constexpr int core_temperature = 0;

struct Library {
  NvmlReturn (*init)() = nullptr;
  NvmlReturn (*handle_by_pci_bus_id)(const char* id, void** device) = nullptr;
  const char* (*error_string)(NvmlReturn code) = nullptr;
  NvmlReturn (*clock_info)(void* device, int clock, unsigned* mhz) = nullptr;
  NvmlReturn (*temperature)(void* device, int sensor, unsigned* celsius) = nullptr;
  NvmlReturn (*power_usage)(void* device, unsigned* milliwatts) = nullptr;
  NvmlReturn (*clock_reasons)(void* device, unsigned long long* bits) = nullptr;
  NvmlReturn (*driver_version)(char* text, unsigned length) = nullptr;

  std::string missing = {};  ///< why there is none, in one sentence
};

Library load() {
  Library library;
  void* const handle = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (handle == nullptr) {
    library.missing = "there is no libnvidia-ml.so.1, which comes with the driver";
    return library;
  }
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        dlsym(handle, name));
  };
  find(library.init, "nvmlInit_v2");
  find(library.handle_by_pci_bus_id, "nvmlDeviceGetHandleByPciBusId_v2");
  find(library.error_string, "nvmlErrorString");
  find(library.clock_info, "nvmlDeviceGetClockInfo");
  find(library.temperature, "nvmlDeviceGetTemperature");
  find(library.power_usage, "nvmlDeviceGetPowerUsage");
  find(library.clock_reasons, "nvmlDeviceGetCurrentClocksEventReasons");
  if (library.clock_reasons == nullptr) {  // its name before driver 535
    find(library.clock_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  }
  find(library.driver_version, "nvmlSystemGetDriverVersion");

  if (library.init == nullptr || library.handle_by_pci_bus_id == nullptr ||
      library.error_string == nullptr) {
    library.missing = "libnvidia-ml.so.1 lacks the functions of NVML";
  } else if (const NvmlReturn code = library.init(); code != success) {
    library.missing =
        std::string("NVML does not start: ") + library.error_string(code);
  }
  return library;
}

const Library& library() {
  static const Library library = load();
  return library;
}

/// What `function(arguments..., &value)` gives; null if it is not there or refuses.
template <class Value, class Function, class... Arguments>
Json ask(Function function, Arguments... arguments) {
  Value value = 0;
  if (function == nullptr || function(arguments..., &value) != success) {
    return nullptr;
  }
  return value;
}

}  // namespace

Nvml::Nvml(const std::string& pci_bus_id) {
  if (!library().missing.empty()) throw Missing(library().missing);
  const NvmlReturn code =
      library().handle_by_pci_bus_id(pci_bus_id.c_str(), &device_);
  if (code != success) {
    throw Missing("NVML does not know the GPU at its PCI bus id: " +
                  std::string(library().error_string(code)));
  }
}

Json Nvml::state() const {
  Json power = ask<unsigned>(library().power_usage, device_);
  if (!power.is_null()) power = power.get<double>() / 1000;
  Json throttle = ask<unsigned long long>(library().clock_reasons, device_);
  if (!throttle.is_null())
    throttle = throttle_reasons(throttle.get<std::uint64_t>());
  return {
      {"sm_clock_mhz", ask<unsigned>(library().clock_info, device_, sm_clock)},
      {"memory_clock_mhz",
       ask<unsigned>(library().clock_info, device_, memory_clock)},
      {"temperature_c",
       ask<unsigned>(library().temperature, device_, core_temperature)},
      {"power_w", std::move(power)},
      {"throttle", std::move(throttle)},
  };
}

Json Nvml::driver_version() const {
  std::array<char, 80> text{};
  if (library().driver_version == nullptr ||
      library().driver_version(text.data(), text.size()) != success) {
    return nullptr;
  }
  return text.data();
}

std::vector<std::string> throttle_reasons(std::uint64_t bits) {
  struct Reason {
    std::uint64_t bit;
    const char* name;
  };
  // nvmlClocksEventReason..., in nvml.h; 0x1 is an idle GPU.
  constexpr Reason reasons[] = {
      {0x2, "applications_clocks_setting"},
      {0x4, "sw_power_cap"},
      {0x8, "hw_slowdown"},
      {0x10, "sync_boost"},
      {0x20, "sw_thermal_slowdown"},
      {0x40, "hw_thermal_slowdown"},
      {0x80, "hw_power_brake_slowdown"},
      {0x100, "display_clock_setting"},
  };
  std::vector<std::string> names;
  for (const Reason& reason : reasons) {
    if ((bits & reason.bit) != 0) names.emplace_back(reason.name);
  }
  return names;
}

}  // namespace rungs
