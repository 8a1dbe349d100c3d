/// \file
/// CUDA's descriptions of graph nodes, to and from operations.
#pragma once

#include <driver_types.h>

#include "cpu_device/runtime/operation.hpp"

namespace rungs::cpu_device {

/// \throws Failure for parameters that a GPU would refuse
KernelOperation operation_of(Runtime& runtime,
                             const cudaKernelNodeParams& parameters);
CopyOperation operation_of(Runtime& runtime, const cudaMemcpy3DParms& parameters);
FillOperation operation_of(Runtime& runtime, const cudaMemsetParams& parameters);
HostOperation operation_of(Runtime& runtime, const cudaHostNodeParams& parameters);
Operation operation_of(Runtime& runtime, const cudaGraphNodeParams& parameters);

cudaKernelNodeParams parameters_of(Runtime& runtime, KernelOperation& operation);
cudaMemcpy3DParms parameters_of(const CopyOperation& operation);
cudaMemsetParams parameters_of(const FillOperation& operation);

/// A copy to or from a symbol, `offset` bytes into it.
CopyOperation copy_to_symbol(Runtime& runtime, const void* symbol, const void* from,
                             size_t bytes, size_t offset, cudaMemcpyKind kind);
CopyOperation copy_from_symbol(Runtime& runtime, void* to, const void* symbol,
                               size_t bytes, size_t offset, cudaMemcpyKind kind);

/// A copy as cudaMemcpy3D describes it.
/// \throws Failure for CUDA arrays, which are not supported
CopyOperation copy_of(const cudaMemcpy3DParms& parameters);

}  // namespace rungs::cpu_device
