/// \file
/// Stream-ordered allocation. Streams do their work at once, so an allocation is
/// there when the call returns, and a free takes effect at once; pools only keep
/// their settings.
#include <set>

#include "cpu_device/runtime/entry.hpp"

using namespace rungs::cpu_device;

namespace {

struct Pool {
  uint64_t values[9] = {0, 1, 1, 1, 0, 0, 0, 0, 0};  ///< by cudaMemPoolAttr
};

struct Pools {
  Pool device;
  Pool* current = &device;
  std::set<Pool*> created;
};

Pools& pools() {
  static auto* const pools = new Pools;
  return *pools;
}

cudaMemPool_t handle_of(Pool* pool) {
  return reinterpret_cast<cudaMemPool_t>(pool);
}

Pool& pool_of(cudaMemPool_t handle) {
  auto* const pool = reinterpret_cast<Pool*>(handle);
  require(pool == &pools().device || pools().created.contains(pool));
  return *pool;
}

cudaError_t allocate(const char* name, void** pointer, size_t bytes,
                     cudaStream_t stream, cudaMemPool_t pool) {
  return call(name, [&](Runtime& runtime) {
    require(pointer);
    if (pool) pool_of(pool);
    if (runtime.streams.stream(stream).capture) {
      throw Failure{cudaErrorNotSupported,
                    "allocations in a graph are not supported by the CPU device"};
    }
    *pointer = nullptr;
    if (bytes == 0) return;
    const Address address = runtime.memory.allocate(
        bytes, std::string(name) + " of " + std::to_string(bytes) + " bytes");
    require(address != 0, cudaErrorMemoryAllocation);
    *pointer = reinterpret_cast<void*>(address);
  });
}

bool is_32_bit(cudaMemPoolAttr attribute) {
  return attribute == cudaMemPoolReuseFollowEventDependencies ||
         attribute == cudaMemPoolReuseAllowOpportunistic ||
         attribute == cudaMemPoolReuseAllowInternalDependencies;
}

}  // namespace

cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
  return allocate("cudaMallocAsync", pointer, bytes, stream, nullptr);
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes,
                                    cudaMemPool_t pool, cudaStream_t stream) {
  return allocate("cudaMallocFromPoolAsync", pointer, bytes, stream, pool);
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return call("cudaFreeAsync", [&](Runtime& runtime) {
    if (runtime.streams.stream(stream).capture) {
      throw Failure{cudaErrorNotSupported,
                    "frees in a graph are not supported by the CPU device"};
    }
    require(pointer && runtime.memory.free(reinterpret_cast<Address>(pointer)));
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return call("cudaDeviceGetDefaultMemPool", [&](Runtime&) {
    require(pool);
    require(device == 0, cudaErrorInvalidDevice);
    *pool = handle_of(&pools().device);
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return call("cudaDeviceGetMemPool", [&](Runtime&) {
    require(pool);
    require(device == 0, cudaErrorInvalidDevice);
    *pool = handle_of(pools().current);
  });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return call("cudaDeviceSetMemPool", [&](Runtime&) {
    require(device == 0, cudaErrorInvalidDevice);
    pools().current = &pool_of(pool);
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool,
                              const cudaMemPoolProps* properties) {
  return call("cudaMemPoolCreate", [&](Runtime&) {
    require(pool && properties &&
            properties->allocType == cudaMemAllocationTypePinned &&
            properties->location.type == cudaMemLocationTypeDevice &&
            properties->location.id == 0);
    auto* const made = new Pool;
    pools().created.insert(made);
    *pool = handle_of(made);
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return call("cudaMemPoolDestroy", [&](Runtime&) {
    Pool& gone = pool_of(pool);
    require(&gone != &pools().device);
    if (pools().current == &gone) pools().current = &pools().device;
    pools().created.erase(&gone);
    delete &gone;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
  return call("cudaMemPoolTrimTo", [&](Runtime&) { pool_of(pool); });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute,
                                    void* value) {
  return call("cudaMemPoolSetAttribute", [&](Runtime&) {
    require(value);
    uint64_t& slot = pool_of(pool).values[attribute <= cudaMemPoolAttrUsedMemHigh
                                              ? static_cast<unsigned>(attribute)
                                              : 0u];
    if (is_32_bit(attribute)) {
      slot = static_cast<uint64_t>(*static_cast<int*>(value));
    } else if (attribute == cudaMemPoolAttrReleaseThreshold) {
      slot = *static_cast<uint64_t*>(value);
    } else {
      // The high-water marks can only be set back to zero.
      require(attribute == cudaMemPoolAttrReservedMemHigh ||
              attribute == cudaMemPoolAttrUsedMemHigh);
      require(*static_cast<uint64_t*>(value) == 0);
    }
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute,
                                    void* value) {
  return call("cudaMemPoolGetAttribute", [&](Runtime& runtime) {
    require(value);
    const Pool& asked = pool_of(pool);
    if (is_32_bit(attribute)) {
      *static_cast<int*>(value) = static_cast<int>(asked.values[attribute]);
    } else if (attribute == cudaMemPoolAttrReleaseThreshold) {
      *static_cast<uint64_t*>(value) = asked.values[attribute];
    } else {
      require(attribute >= cudaMemPoolAttrReservedMemCurrent &&
              attribute <= cudaMemPoolAttrUsedMemHigh);
      *static_cast<uint64_t*>(value) = runtime.memory.used_bytes();
    }
  });
}
