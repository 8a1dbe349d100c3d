#include "cpu_device/runtime/node_parameters.hpp"

#include "cpu_device/runtime/runtime.hpp"

namespace rungs::cpu_device {
namespace {

/// The place in a symbol that a copy begins at.
void* symbol_bytes(Runtime& runtime, const void* symbol, size_t offset,
                   size_t bytes) {
  const RegisteredVariable& variable = runtime.modules.variable(symbol);
  require(offset <= variable.bytes && bytes <= variable.bytes - offset);
  return reinterpret_cast<void*>(variable.address + offset);
}

/// Checked now: CUDA refuses a bad node when it is added.
template <typename T>
T checked(Runtime& runtime, T operation) {
  check(runtime, operation);
  return operation;
}

}  // namespace

KernelOperation operation_of(Runtime& runtime,
                             const cudaKernelNodeParams& parameters) {
  if (parameters.extra) {
    throw Failure{
        cudaErrorNotSupported,
        "kernel nodes with `extra` arguments are not supported by the CPU "
        "device; use kernelParams"};
  }
  const dim3 &grid = parameters.gridDim, &block = parameters.blockDim;
  return kernel_operation(runtime, parameters.func, {grid.x, grid.y, grid.z},
                          {block.x, block.y, block.z}, parameters.kernelParams,
                          parameters.sharedMemBytes);
}

CopyOperation operation_of(Runtime& runtime, const cudaMemcpy3DParms& parameters) {
  return checked(runtime, copy_of(parameters));
}

FillOperation operation_of(Runtime& runtime, const cudaMemsetParams& parameters) {
  return checked(
      runtime, FillOperation{{parameters.dst, parameters.pitch, parameters.height},
                             parameters.value,
                             parameters.elementSize,
                             parameters.width,
                             parameters.height,
                             1});
}

HostOperation operation_of(Runtime& runtime, const cudaHostNodeParams& parameters) {
  return checked(runtime, HostOperation{parameters.fn, parameters.userData});
}

Operation operation_of(Runtime& runtime, const cudaGraphNodeParams& parameters) {
  switch (parameters.type) {
    case cudaGraphNodeTypeKernel: {
      const auto& kernel = parameters.kernel;
      return operation_of(
          runtime, cudaKernelNodeParams{kernel.func, kernel.gridDim,
                                        kernel.blockDim, kernel.sharedMemBytes,
                                        kernel.kernelParams, kernel.extra});
    }
    case cudaGraphNodeTypeMemcpy:
      return operation_of(runtime, parameters.memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
      const auto& fill = parameters.memset;
      return operation_of(
          runtime, cudaMemsetParams{fill.dst, fill.pitch, fill.value,
                                    fill.elementSize, fill.width, fill.height});
    }
    case cudaGraphNodeTypeHost:
      return operation_of(runtime, cudaHostNodeParams{parameters.host.fn,
                                                      parameters.host.userData});
    case cudaGraphNodeTypeEmpty:
      return EmptyOperation{};
    case cudaGraphNodeTypeGraph:
      return ChildOperation{
          runtime.streams.graphs.graph(parameters.graph.graph).clone()};
    case cudaGraphNodeTypeEventRecord:
      return RecordOperation{parameters.eventRecord.event};
    case cudaGraphNodeTypeWaitEvent:
      return WaitOperation{parameters.eventWait.event};
    default:
      throw Failure{cudaErrorNotSupported,
                    "graph nodes of type " + std::to_string(parameters.type) +
                        " are not supported by the CPU device"};
  }
}

cudaKernelNodeParams parameters_of(Runtime& runtime, KernelOperation& operation) {
  const Kernel& code = *runtime.modules.code(*operation.kernel).code;
  operation.pointers.clear();
  for (const Parameter& parameter : code.parameters) {
    operation.pointers.push_back(operation.parameters.data() + parameter.offset);
  }
  const Dim3 &grid = operation.grid, &block = operation.block;
  return {const_cast<void*>(operation.function),
          dim3(grid.x, grid.y, grid.z),
          dim3(block.x, block.y, block.z),
          operation.dynamic_shared_bytes,
          operation.pointers.data(),
          nullptr};
}

cudaMemcpy3DParms parameters_of(const CopyOperation& operation) {
  const auto side = [&](const CopySide& memory) {
    return cudaPitchedPtr{memory.pointer, memory.pitch, operation.width,
                          memory.rows};
  };
  cudaMemcpy3DParms parameters{};
  parameters.srcPtr = side(operation.from);
  parameters.dstPtr = side(operation.to);
  parameters.extent = {operation.width, operation.height, operation.depth};
  parameters.kind = operation.kind;
  return parameters;
}

cudaMemsetParams parameters_of(const FillOperation& operation) {
  return {operation.to.pointer,    operation.to.pitch, operation.value,
          operation.element_bytes, operation.width,    operation.height};
}

CopyOperation copy_to_symbol(Runtime& runtime, const void* symbol, const void* from,
                             size_t bytes, size_t offset, cudaMemcpyKind kind) {
  require(kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice ||
              kind == cudaMemcpyDefault,
          cudaErrorInvalidMemcpyDirection);
  return checked(runtime, linear_copy(symbol_bytes(runtime, symbol, offset, bytes),
                                      from, bytes, kind));
}

CopyOperation copy_from_symbol(Runtime& runtime, void* to, const void* symbol,
                               size_t bytes, size_t offset, cudaMemcpyKind kind) {
  require(kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice ||
              kind == cudaMemcpyDefault,
          cudaErrorInvalidMemcpyDirection);
  return checked(
      runtime,
      linear_copy(to, symbol_bytes(runtime, symbol, offset, bytes), bytes, kind));
}

CopyOperation copy_of(const cudaMemcpy3DParms& parameters) {
  if (parameters.srcArray || parameters.dstArray) {
    throw Failure{cudaErrorNotSupported,
                  "CUDA arrays are not supported by the CPU device"};
  }
  require(parameters.srcPtr.ptr && parameters.dstPtr.ptr);
  const auto side = [](const cudaPitchedPtr& memory, const cudaPos& at) {
    auto* const begin = static_cast<std::byte*>(memory.ptr);
    return CopySide{begin + (at.z * memory.ysize + at.y) * memory.pitch + at.x,
                    memory.pitch, memory.ysize};
  };
  return {side(parameters.dstPtr, parameters.dstPos),
          side(parameters.srcPtr, parameters.srcPos),
          parameters.extent.width,
          parameters.extent.height,
          parameters.extent.depth,
          parameters.kind};
}

}  // namespace rungs::cpu_device
