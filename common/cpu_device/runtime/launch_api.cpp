/// \file
/// Kernel launches.
#include <vector>

#include "cpu_device/runtime/entry.hpp"

using namespace rungs::cpu_device;

namespace {

struct CallConfiguration {
  dim3 grid, block;
  size_t shared_bytes;
  cudaStream_t stream;
};

/// What stands between <<< and >>>, until the call behind it takes it.
std::vector<CallConfiguration>& configurations() {
  thread_local std::vector<CallConfiguration> stack;
  return stack;
}

Dim3 size_of(const dim3& size) { return {size.x, size.y, size.z}; }

cudaError_t launch(const char* name, const void* function, dim3 grid, dim3 block,
                   void** arguments, size_t shared_bytes, cudaStream_t stream) {
  return call(name, [&](Runtime& runtime) {
    Stream& into = runtime.streams.stream(stream);
    runtime.streams.submit(
        runtime, into,
        kernel_operation(runtime, function, size_of(grid), size_of(block),
                         arguments, shared_bytes));
  });
}

/// Attributes that change where or when a kernel runs on a GPU, but not what it
/// computes, hold here by themselves. The rest is refused.
void check_attribute(const cudaLaunchAttribute& attribute) {
  switch (attribute.id) {
    case cudaLaunchAttributeClusterDimension: {
      const auto& size = attribute.val.clusterDim;
      if (uint64_t{size.x} * size.y * size.z > 1) {
        throw Failure{cudaErrorNotSupported,
                      "thread block clusters are not supported by the CPU device"};
      }
      break;
    }
    case cudaLaunchAttributeCooperative:
      if (attribute.val.cooperative) {
        throw Failure{
            cudaErrorNotSupported,
            "cooperative launches are not supported by the CPU device: blocks "
            "run one after the other"};
      }
      break;
    case cudaLaunchAttributeIgnore:
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeSynchronizationPolicy:
    case cudaLaunchAttributeProgrammaticStreamSerialization:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeMemSyncDomainMap:
    case cudaLaunchAttributeMemSyncDomain:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
      break;
    default:
      throw Failure{cudaErrorNotSupported,
                    "launch attribute " + std::to_string(attribute.id) +
                        " is not supported by the CPU device"};
  }
}

}  // namespace

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                     cudaStream_t stream) {
  configurations().push_back({grid, block, shared_bytes, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block,
                                       size_t* shared_bytes, void* stream) {
  if (configurations().empty()) {
    return last_error() = cudaErrorMissingConfiguration;
  }
  const CallConfiguration top = configurations().back();
  configurations().pop_back();
  *grid = top.grid;
  *block = top.block;
  *shared_bytes = top.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = top.stream;
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host_function) {
  return cudaGetKernel(kernel, host_function);
}

cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* host_function) {
  return answer("cudaGetKernel", [&](Runtime& runtime) {
    RegisteredKernel* const found = runtime.modules.find_kernel(host_function);
    *kernel = reinterpret_cast<cudaKernel_t>(found);
    require(found, cudaErrorInvalidDeviceFunction);
  });
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* symbol) {
  return call("cudaGetFuncBySymbol", [&](Runtime& runtime) {
    RegisteredKernel* const found = runtime.modules.find_kernel(symbol);
    require(found, cudaErrorInvalidDeviceFunction);
    *function = reinterpret_cast<cudaFunction_t>(found);
  });
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                               void** arguments, size_t shared_bytes,
                               cudaStream_t stream) {
  return launch("kernel launch", kernel, grid, block, arguments, shared_bytes,
                stream);
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block,
                             void** arguments, size_t shared_bytes,
                             cudaStream_t stream) {
  return launch("cudaLaunchKernel", function, grid, block, arguments, shared_bytes,
                stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* configuration,
                                const void* function, void** arguments) {
  return call("cudaLaunchKernelExC", [&](Runtime& runtime) {
    require(configuration);
    for (unsigned i = 0; i < configuration->numAttrs; ++i) {
      check_attribute(configuration->attrs[i]);
    }
    Stream& into = runtime.streams.stream(configuration->stream);
    runtime.streams.submit(
        runtime, into,
        kernel_operation(runtime, function, size_of(configuration->gridDim),
                         size_of(configuration->blockDim), arguments,
                         configuration->dynamicSmemBytes));
  });
}
