/// \file
/// Copies and fills between host and device.
#include "cpu_device/runtime/entry.hpp"
#include "cpu_device/runtime/node_parameters.hpp"

using namespace rungs::cpu_device;

namespace {

cudaError_t submit(const char* name, cudaStream_t stream, Operation operation) {
  return call(name, [&](Runtime& runtime) {
    runtime.streams.submit(runtime, runtime.streams.stream(stream),
                           std::move(operation));
  });
}

cudaError_t copy_3d(const char* name, const cudaMemcpy3DParms* parameters,
                    cudaStream_t stream) {
  return call(name, [&](Runtime& runtime) {
    Stream& into = runtime.streams.stream(stream);
    require(parameters);
    const CopyOperation copy = operation_of(runtime, *parameters);
    runtime.streams.submit(runtime, into, copy);
  });
}

CopyOperation rows(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                   size_t width, size_t height, cudaMemcpyKind kind) {
  return {{to, to_pitch, height},
          {const_cast<void*>(from), from_pitch, height},
          width,
          height,
          1,
          kind};
}

FillOperation fill(void* to, size_t pitch, size_t rows, int value, size_t width,
                   size_t height, size_t depth) {
  return {{to, pitch, rows},
          static_cast<unsigned char>(value),
          1,
          width,
          height,
          depth};
}

/// Submits what `make` describes, which may load the symbol's module.
template <typename Make>
cudaError_t submit_copy(const char* name, cudaStream_t stream, Make&& make) {
  return call(name, [&](Runtime& runtime) {
    Stream& into = runtime.streams.stream(stream);
    runtime.streams.submit(runtime, into, make(runtime));
  });
}

}  // namespace

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes,
                       cudaMemcpyKind kind) {
  return submit("cudaMemcpy", nullptr, linear_copy(to, from, bytes, kind));
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes,
                            cudaMemcpyKind kind, cudaStream_t stream) {
  return submit("cudaMemcpyAsync", stream, linear_copy(to, from, bytes, kind));
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from,
                           int from_device, size_t bytes) {
  return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, nullptr);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from,
                                int from_device, size_t bytes,
                                cudaStream_t stream) {
  if (to_device != 0 || from_device != 0)
    return last_error() = cudaErrorInvalidDevice;
  return submit("cudaMemcpyPeer", stream,
                linear_copy(to, from, bytes, cudaMemcpyDeviceToDevice));
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from,
                         size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  return submit("cudaMemcpy2D", nullptr,
                rows(to, to_pitch, from, from_pitch, width, height, kind));
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from,
                              size_t from_pitch, size_t width, size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return submit("cudaMemcpy2DAsync", stream,
                rows(to, to_pitch, from, from_pitch, width, height, kind));
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  return copy_3d("cudaMemcpy3D", parameters, nullptr);
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters,
                              cudaStream_t stream) {
  return copy_3d("cudaMemcpy3DAsync", parameters, stream);
}

cudaError_t cudaMemset(void* pointer, int value, size_t bytes) {
  return submit("cudaMemset", nullptr, fill(pointer, bytes, 1, value, bytes, 1, 1));
}

cudaError_t cudaMemsetAsync(void* pointer, int value, size_t bytes,
                            cudaStream_t stream) {
  return submit("cudaMemsetAsync", stream,
                fill(pointer, bytes, 1, value, bytes, 1, 1));
}

cudaError_t cudaMemset2D(void* pointer, size_t pitch, int value, size_t width,
                         size_t height) {
  return submit("cudaMemset2D", nullptr,
                fill(pointer, pitch, height, value, width, height, 1));
}

cudaError_t cudaMemset2DAsync(void* pointer, size_t pitch, int value, size_t width,
                              size_t height, cudaStream_t stream) {
  return submit("cudaMemset2DAsync", stream,
                fill(pointer, pitch, height, value, width, height, 1));
}

cudaError_t cudaMemset3D(cudaPitchedPtr pitched, int value, cudaExtent extent) {
  return cudaMemset3DAsync(pitched, value, extent, nullptr);
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr pitched, int value, cudaExtent extent,
                              cudaStream_t stream) {
  return submit("cudaMemset3D", stream,
                fill(pitched.ptr, pitched.pitch, pitched.ysize, value, extent.width,
                     extent.height, extent.depth));
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes,
                               size_t offset, cudaMemcpyKind kind) {
  return submit_copy("cudaMemcpyToSymbol", nullptr, [&](Runtime& runtime) {
    return copy_to_symbol(runtime, symbol, from, bytes, offset, kind);
  });
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from,
                                    size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return submit_copy("cudaMemcpyToSymbolAsync", stream, [&](Runtime& runtime) {
    return copy_to_symbol(runtime, symbol, from, bytes, offset, kind);
  });
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes,
                                 size_t offset, cudaMemcpyKind kind) {
  return submit_copy("cudaMemcpyFromSymbol", nullptr, [&](Runtime& runtime) {
    return copy_from_symbol(runtime, to, symbol, bytes, offset, kind);
  });
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes,
                                      size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  return submit_copy("cudaMemcpyFromSymbolAsync", stream, [&](Runtime& runtime) {
    return copy_from_symbol(runtime, to, symbol, bytes, offset, kind);
  });
}

cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return call("cudaGetSymbolAddress", [&](Runtime& runtime) {
    require(pointer);
    *pointer = reinterpret_cast<void*>(runtime.modules.variable(symbol).address);
  });
}

cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  return call("cudaGetSymbolSize", [&](Runtime& runtime) {
    require(bytes);
    *bytes = runtime.modules.variable(symbol).bytes;
  });
}
