#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "measure/json.hpp"

namespace rungs {

/// The driver's word on one GPU, by NVML, which is found at run time.
class Nvml {
 public:
  /// `pci_bus_id` is as cudaDeviceGetPCIBusId() gives it: indices of NVML and CUDA
  /// can differ. Throws Missing if there is no NVML, or it does not know the GPU.
  explicit Nvml(const std::string& pci_bus_id);

  /// {"sm_clock_mhz", "memory_clock_mhz", "temperature_c", "power_w", "throttle"}:
  /// a null is what NVML does not say.
  Json state() const;

  /// "580.159.04", or null.
  Json driver_version() const;

 private:
  void* device_ = nullptr;
};

/// Why a GPU's clock is held down, of the bits of
/// nvmlDeviceGetCurrentClocksEventReasons(): "sw_power_cap", ... An idle GPU's low
/// clock is no reason.
std::vector<std::string> throttle_reasons(std::uint64_t bits);

}  // namespace rungs
