/// \file
/// The device as a whole: there is one, number 0.
#include <cstring>

#include "cpu_device/runtime/device_properties.hpp"
#include "cpu_device/runtime/entry.hpp"
#include "cpu_device/runtime/h200.hpp"

using namespace rungs::cpu_device;

namespace {

/// Values that programs may set; nothing here depends on them. They begin as on an
/// H200.
struct Limits {
  size_t values[7] = {1024, 8650752, 8 << 20, 0, 2048, 64, 11796480};
};

Limits& limits() {
  static Limits limits;
  return limits;
}

/// From compute capability 9.0 on, no kernel waits for one that it launched, so
/// there is no depth to limit.
void require_limit(cudaLimit limit) {
  require(static_cast<unsigned>(limit) < std::size(limits().values) &&
              limit != cudaLimitDevRuntimeSyncDepth,
          cudaErrorUnsupportedLimit);
}

void require_device(int device) { require(device == 0, cudaErrorInvalidDevice); }

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  return answer("cudaGetDeviceCount", [&](Runtime&) {
    require(count);
    *count = 1;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return answer("cudaGetDevice", [&](Runtime&) {
    require(device);
    *device = 0;
  });
}

cudaError_t cudaSetDevice(int device) {
  return call("cudaSetDevice", [&](Runtime&) { require_device(device); });
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return call("cudaInitDevice", [&](Runtime&) { require_device(device); });
}

cudaError_t cudaSetValidDevices(int* devices, int count) {
  return call("cudaSetValidDevices", [&](Runtime&) {
    require(devices || count == 0);
    for (int i = 0; i < count; ++i) require_device(devices[i]);
  });
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wanted) {
  return call("cudaChooseDevice", [&](Runtime&) {
    require(device && wanted);
    *device = 0;
  });
}

cudaError_t cudaSetDeviceFlags(unsigned) {
  return call("cudaSetDeviceFlags", [](Runtime&) {});
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return call("cudaGetDeviceFlags", [&](Runtime&) {
    require(flags);
    *flags = cudaDeviceMapHost;
  });
}

cudaError_t cudaDriverGetVersion(int* version) {
  return answer("cudaDriverGetVersion", [&](Runtime&) {
    require(version);
    *version = h200::driver_version;
  });
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  return answer("cudaRuntimeGetVersion", [&](Runtime&) {
    require(version);
    *version = CUDART_VERSION;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return call("cudaDeviceSynchronize",
              [](Runtime& runtime) { runtime.streams.forbid_during_capture(); });
}

/// Frees all that the program allocated; its variables begin anew. After a fault it
/// returns the fault's error, as every call does.
cudaError_t cudaDeviceReset() {
  return call("cudaDeviceReset", [](Runtime& runtime) {
    runtime.streams.forbid_during_capture();
    runtime.modules.unload();
    runtime.memory.reset();
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return answer("cudaGetDeviceProperties", [&](Runtime& runtime) {
    require(properties);
    require_device(device);
    *properties = h200_properties(runtime.memory.total_bytes());
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute,
                                   int device) {
  return answer("cudaDeviceGetAttribute", [&](Runtime&) {
    require(value);
    require_device(device);
    *value = h200_attribute(attribute);
  });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return call("cudaDeviceSetLimit", [&](Runtime&) {
    require_limit(limit);
    limits().values[limit] = value;
  });
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  return call("cudaDeviceGetLimit", [&](Runtime&) {
    require(value);
    require_limit(limit);
    *value = limits().values[limit];
  });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* configuration) {
  return call("cudaDeviceGetCacheConfig", [&](Runtime&) {
    require(configuration);
    *configuration = cudaFuncCachePreferNone;
  });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
  return call("cudaDeviceSetCacheConfig", [](Runtime&) {});
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return call("cudaDeviceGetPCIBusId", [&](Runtime&) {
    require_device(device);
    require(text && length > static_cast<int>(std::strlen(h200::pci_bus_id)));
    std::strcpy(text, h200::pci_bus_id);
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return call("cudaDeviceGetByPCIBusId", [&](Runtime&) {
    require(device && text);
    require(std::strcmp(text, h200::pci_bus_id) == 0, cudaErrorInvalidDevice);
    *device = 0;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* possible, int device, int peer) {
  return call("cudaDeviceCanAccessPeer", [&](Runtime&) {
    require(possible);
    require_device(device);
    require_device(peer);
    *possible = 0;
  });
}

cudaError_t cudaCtxResetPersistingL2Cache() {
  return call("cudaCtxResetPersistingL2Cache", [](Runtime&) {});
}

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                            cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

extern "C" {

__attribute__((visibility("default"))) cudaError_t cudaProfilerStart() {
  return call("cudaProfilerStart", [](Runtime&) {});
}

__attribute__((visibility("default"))) cudaError_t cudaProfilerStop() {
  return call("cudaProfilerStop", [](Runtime&) {});
}

}  // extern "C"
