/// \file
/// Kernel attributes and occupancy, as an H200 would have them.
#include "cpu_device/runtime/entry.hpp"
#include "cpu_device/runtime/function_attributes.hpp"
#include "cpu_device/runtime/h200.hpp"

using namespace rungs::cpu_device;

namespace {

/// What is no kernel of the program could be a cudaKernel_t, so it is refused as a
/// bad handle is.
RegisteredKernel& kernel_of(Runtime& runtime, const void* function) {
  RegisteredKernel* const kernel = runtime.modules.find_kernel(function);
  require(kernel, cudaErrorInvalidResourceHandle);
  runtime.modules.code(*kernel);
  return *kernel;
}

void set_attribute(RegisteredKernel& kernel, cudaFuncAttribute attribute,
                   int value) {
  switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      require(value >= 0 &&
              static_cast<uint32_t>(value) + kernel.code->static_shared_bytes <=
                  h200::shared_per_block_opt_in);
      kernel.dynamic_shared_limit = value;
      break;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      require(value >= -1 && value <= 100);
      kernel.shared_carveout = value;
      break;
    case cudaFuncAttributeClusterDimMustBeSet:
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
      throw Failure{cudaErrorNotSupported,
                    "thread block clusters are not supported by the CPU device"};
    default:
      throw Failure{cudaErrorInvalidValue};
  }
}

}  // namespace

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes,
                                  const void* function) {
  return call("cudaFuncGetAttributes", [&](Runtime& runtime) {
    require(attributes);
    const RegisteredKernel& kernel = kernel_of(runtime, function);
    *attributes = {};
    attributes->sharedSizeBytes = kernel.code->static_shared_bytes;
    attributes->constSizeBytes = kernel.machine_code.constant_bytes;
    attributes->localSizeBytes = kernel.machine_code.registers != 0
                                     ? kernel.machine_code.stack_bytes
                                     : kernel.code->local_bytes;
    attributes->maxThreadsPerBlock = static_cast<int>(
        std::min<uint32_t>(kernel.code->max_threads, h200::threads_per_block));
    // As many whole groups of four warps as the registers hold.
    while (attributes->maxThreadsPerBlock > 128 &&
           registers_of_block(
               kernel, static_cast<uint64_t>(attributes->maxThreadsPerBlock)) >
               h200::registers_per_block) {
      attributes->maxThreadsPerBlock -= 128;
    }
    attributes->numRegs = static_cast<int>(registers(kernel));
    attributes->ptxVersion = static_cast<int>(kernel.binary->architecture);
    attributes->binaryVersion = 90;
    attributes->maxDynamicSharedSizeBytes =
        static_cast<int>(dynamic_shared_limit(kernel));
    attributes->preferredShmemCarveout = kernel.shared_carveout;
  });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute,
                                 int value) {
  return call("cudaFuncSetAttribute", [&](Runtime& runtime) {
    set_attribute(kernel_of(runtime, function), attribute, value);
  });
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel,
                                            cudaFuncAttribute attribute, int value,
                                            int device) {
  return call("cudaKernelSetAttributeForDevice", [&](Runtime& runtime) {
    require(device == 0, cudaErrorInvalidDevice);
    set_attribute(kernel_of(runtime, kernel), attribute, value);
  });
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
  return call("cudaFuncSetCacheConfig",
              [&](Runtime& runtime) { kernel_of(runtime, function); });
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return call("cudaFuncGetName", [&](Runtime& runtime) {
    require(name);
    RegisteredKernel* const kernel = runtime.modules.find_kernel(function);
    require(kernel, cudaErrorInvalidResourceHandle);
    *name = kernel->name.c_str();
  });
}

cudaError_t cudaFuncGetParamInfo(const void* function, size_t index, size_t* offset,
                                 size_t* bytes) {
  return call("cudaFuncGetParamInfo", [&](Runtime& runtime) {
    const auto& parameters = kernel_of(runtime, function).code->parameters;
    require(offset && index < parameters.size());
    *offset = parameters[index].offset;
    if (bytes) *bytes = parameters[index].bytes;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks,
                                                          const void* function,
                                                          int threads,
                                                          size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      blocks, function, threads, shared_bytes, cudaOccupancyDefault);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* function, int threads, size_t shared_bytes,
    unsigned flags) {
  return call(
      "cudaOccupancyMaxActiveBlocksPerMultiprocessor", [&](Runtime& runtime) {
        require(blocks && threads > 0);
        require(flags == cudaOccupancyDefault ||
                flags == cudaOccupancyDisableCachingOverride);
        *blocks = static_cast<int>(resident_blocks(kernel_of(runtime, function),
                                                   static_cast<uint64_t>(threads),
                                                   shared_bytes));
      });
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes,
                                                      const void* function,
                                                      int blocks, int threads) {
  return call("cudaOccupancyAvailableDynamicSMemPerBlock", [&](Runtime& runtime) {
    require(bytes && blocks > 0 && threads > 0);
    const RegisteredKernel& kernel = kernel_of(runtime, function);
    require(resident_blocks(kernel, static_cast<uint64_t>(threads), 0) >=
            static_cast<unsigned>(blocks));
    const uint64_t share = h200::shared_per_multiprocessor /
                           static_cast<uint64_t>(blocks) / h200::shared_unit *
                           h200::shared_unit;
    // The system's own part of a block is not taken off: an H200 answers the same.
    const uint64_t taken = kernel.code->static_shared_bytes;
    *bytes = std::min<uint64_t>(share > taken ? share - taken : 0,
                                dynamic_shared_limit(kernel));
  });
}
