/// \file
/// Allocation of device, pinned and managed memory.
#include "cpu_device/runtime/entry.hpp"

using namespace rungs::cpu_device;

namespace {

// As cudaMallocPitch of an H200: rows begin at multiples of this.
constexpr size_t pitch_unit = 512;

std::string label(const char* function, size_t bytes) {
  return std::string(function) + " of " + std::to_string(bytes) + " bytes";
}

/// Device memory for the program. No bytes are no allocation: a null pointer, as in
/// CUDA.
void* allocate(Runtime& runtime, const char* function, size_t bytes) {
  if (bytes == 0) return nullptr;
  const Address address = runtime.memory.allocate(bytes, label(function, bytes));
  require(address != 0, cudaErrorMemoryAllocation);
  return reinterpret_cast<void*>(address);
}

void* allocate_host(Runtime& runtime, MemoryKind kind, const char* function,
                    size_t bytes, unsigned flags) {
  if (bytes == 0) return nullptr;
  void* const begin =
      runtime.memory.allocate_host(kind, bytes, flags, label(function, bytes));
  require(begin, cudaErrorMemoryAllocation);
  return begin;
}

/// Rows of `width` bytes; their total must not overflow.
size_t pitched_bytes(size_t width, size_t height, size_t depth, size_t* pitch) {
  require(width <= SIZE_MAX - pitch_unit);
  *pitch = (width + pitch_unit - 1) / pitch_unit * pitch_unit;
  size_t bytes = 0;
  require(!__builtin_mul_overflow(*pitch, height, &bytes) &&
              !__builtin_mul_overflow(bytes, depth, &bytes),
          cudaErrorMemoryAllocation);
  return bytes;
}

}  // namespace

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  return call("cudaMalloc", [&](Runtime& runtime) {
    require(pointer);
    runtime.streams.forbid_during_capture();
    *pointer = allocate(runtime, "cudaMalloc", bytes);
  });
}

cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width,
                            size_t height) {
  return call("cudaMallocPitch", [&](Runtime& runtime) {
    require(pointer && pitch);
    runtime.streams.forbid_during_capture();
    *pointer = allocate(runtime, "cudaMallocPitch",
                        pitched_bytes(width, height, 1, pitch));
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
  return call("cudaMalloc3D", [&](Runtime& runtime) {
    require(pitched);
    runtime.streams.forbid_during_capture();
    const size_t bytes =
        pitched_bytes(extent.width, extent.height, extent.depth, &pitched->pitch);
    pitched->ptr = allocate(runtime, "cudaMalloc3D", bytes);
    pitched->xsize = extent.width;
    pitched->ysize = extent.height;
  });
}

cudaError_t cudaFree(void* pointer) {
  return call("cudaFree", [&](Runtime& runtime) {
    if (!pointer) return;
    runtime.streams.forbid_during_capture();
    require(runtime.memory.free(reinterpret_cast<Address>(pointer)));
  });
}

cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  return call("cudaMallocHost", [&](Runtime& runtime) {
    require(pointer);
    runtime.streams.forbid_during_capture();
    *pointer =
        allocate_host(runtime, MemoryKind::pinned, "cudaMallocHost", bytes, 0);
  });
}

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  return call("cudaHostAlloc", [&](Runtime& runtime) {
    constexpr unsigned known =
        cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    require(pointer && (flags & ~known) == 0);
    runtime.streams.forbid_during_capture();
    *pointer =
        allocate_host(runtime, MemoryKind::pinned, "cudaHostAlloc", bytes, flags);
  });
}

cudaError_t cudaFreeHost(void* pointer) {
  return call("cudaFreeHost", [&](Runtime& runtime) {
    if (!pointer) return;
    runtime.streams.forbid_during_capture();
    require(runtime.memory.free_pinned(pointer));
  });
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
  return call("cudaHostRegister", [&](Runtime& runtime) {
    constexpr unsigned known = cudaHostRegisterPortable | cudaHostRegisterMapped |
                               cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
    require(pointer && bytes > 0 && (flags & ~known) == 0);
    require(runtime.memory.find(pointer).kind != MemoryKind::device);
    require(runtime.memory.register_host(pointer, bytes, flags),
            cudaErrorHostMemoryAlreadyRegistered);
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return call("cudaHostUnregister", [&](Runtime& runtime) {
    require(pointer);
    require(runtime.memory.unregister_host(pointer),
            cudaErrorHostMemoryNotRegistered);
  });
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  return call("cudaHostGetDevicePointer", [&](Runtime& runtime) {
    require(device && host && flags == 0);
    const MemoryKind kind = runtime.memory.find(host).kind;
    require(kind == MemoryKind::pinned || kind == MemoryKind::registered);
    *device = host;  // one address space, as with a GPU on Linux
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  return call("cudaHostGetFlags", [&](Runtime& runtime) {
    require(flags && host);
    const MemoryBlock block = runtime.memory.find(host);
    require(block.kind == MemoryKind::pinned ||
            block.kind == MemoryKind::registered);
    // With one address space all pinned memory is mapped.
    *flags = block.flags | cudaHostAllocMapped;
  });
}

cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned flags) {
  return call("cudaMallocManaged", [&](Runtime& runtime) {
    require(pointer && bytes > 0);
    require(flags == cudaMemAttachGlobal || flags == cudaMemAttachHost);
    runtime.streams.forbid_during_capture();
    *pointer = allocate_host(runtime, MemoryKind::managed, "cudaMallocManaged",
                             bytes, flags);
  });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return call("cudaMemGetInfo", [&](Runtime& runtime) {
    require(free && total);
    *free = runtime.memory.free_bytes();
    *total = runtime.memory.total_bytes();
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes,
                                     const void* pointer) {
  return call("cudaPointerGetAttributes", [&](Runtime& runtime) {
    require(attributes);
    *attributes = {};
    attributes->device = -1;
    void* const same = const_cast<void*>(pointer);
    const MemoryBlock block = runtime.memory.find(pointer);
    attributes->type = cudaMemoryTypeUnregistered;
    switch (block.kind) {
      case MemoryKind::pageable:
        attributes->hostPointer = same;
        return;
      case MemoryKind::device:
        if (block.bytes == 0) return;  // freed, or never allocated
        attributes->type = cudaMemoryTypeDevice;
        attributes->devicePointer = same;
        break;
      case MemoryKind::managed:
        attributes->type = cudaMemoryTypeManaged;
        attributes->devicePointer = attributes->hostPointer = same;
        break;
      case MemoryKind::pinned:
      case MemoryKind::registered:
        attributes->type = cudaMemoryTypeHost;
        attributes->devicePointer = attributes->hostPointer = same;
        break;
    }
    attributes->device = 0;
  });
}

// Managed memory is the host's own, so there is nothing to move or to advise.

cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, cudaMemLocation,
                                 unsigned flags, cudaStream_t stream) {
  return call("cudaMemPrefetchAsync", [&](Runtime& runtime) {
    runtime.streams.stream(stream);
    require(pointer && bytes > 0 && flags == 0);
    require(runtime.memory.find(pointer).kind == MemoryKind::managed &&
            runtime.memory.host_bytes(pointer, bytes));
  });
}

cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise,
                          cudaMemLocation) {
  return call("cudaMemAdvise", [&](Runtime& runtime) {
    require(pointer && bytes > 0);
    require(runtime.memory.find(pointer).kind == MemoryKind::managed &&
            runtime.memory.host_bytes(pointer, bytes));
  });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, size_t,
                                     unsigned) {
  return call("cudaStreamAttachMemAsync", [&](Runtime& runtime) {
    runtime.streams.stream(stream);
    require(runtime.memory.find(pointer).kind == MemoryKind::managed);
  });
}
