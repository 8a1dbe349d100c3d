#include "measure/machine.hpp"

#include <cuda_runtime_api.h>

#include <array>
#include <cstdlib>
#include <string>

#include "measure/missing.hpp"
#include "measure/nvml.hpp"
#include "rung/cuda_error.hpp"

namespace rungs {
namespace {

int this_device() {
  int device = 0;
  require(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

Json attribute(cudaDeviceAttr which, int divisor = 1) {
  int value = 0;
  if (cudaDeviceGetAttribute(&value, which, this_device()) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return nullptr;
  }
  if (value == 0) return nullptr;
  return value / divisor;
}

Nvml nvml() {
  std::array<char, 32> id{};
  require(
      cudaDeviceGetPCIBusId(id.data(), static_cast<int>(id.size()), this_device()),
      "cudaDeviceGetPCIBusId");
  return Nvml(id.data());
}

Json driver() {
  try {
    return nvml().driver_version();
  } catch (const Missing&) {
    return nullptr;
  }
}

}  // namespace

Json cuda_version(int version) {
  if (version == 0) return nullptr;
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Json machine() {
  cudaDeviceProp properties{};
  require(cudaGetDeviceProperties(&properties, this_device()),
          "cudaGetDeviceProperties");
  int cuda_driver = 0;
  require(cudaDriverGetVersion(&cuda_driver), "cudaDriverGetVersion");
  constexpr int khz_in_mhz = 1000;
  return {
      {"name", properties.name},
      {"compute_capability",
       std::to_string(properties.major) + "." + std::to_string(properties.minor)},
      {"multiprocessors", properties.multiProcessorCount},
      {"memory_bytes", properties.totalGlobalMem},
      {"l2_bytes", properties.l2CacheSize},
      {"max_sm_clock_mhz", attribute(cudaDevAttrClockRate, khz_in_mhz)},
      {"max_memory_clock_mhz", attribute(cudaDevAttrMemoryClockRate, khz_in_mhz)},
      {"memory_bus_bits", attribute(cudaDevAttrGlobalMemoryBusWidth)},
      {"threads_per_multiprocessor", properties.maxThreadsPerMultiProcessor},
      {"driver", driver()},
      {"cuda_driver", cuda_version(cuda_driver)},
  };
}

Json machine_state() {
  try {
    return nvml().state();
  } catch (const Missing& missing) {
    return {{"missing", missing.what()}};
  }
}

Json measuring_environment() {
  constexpr const char* names[] = {"CUBLAS_WORKSPACE_CONFIG",
                                   "CUDA_DEVICE_MAX_CONNECTIONS",
                                   "CUDA_FORCE_PTX_JIT",
                                   "CUDA_LAUNCH_BLOCKING",
                                   "CUDA_MODULE_LOADING",
                                   "NVIDIA_TF32_OVERRIDE",
                                   "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
                                   "TRITON_F32_DEFAULT"};
  Json set = Json::object();
  for (const char* name : names) {
    if (const char* value = std::getenv(name)) set[name] = value;
  }
  return set;
}

}  // namespace rungs
