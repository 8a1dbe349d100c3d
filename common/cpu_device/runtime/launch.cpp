#include <algorithm>
#include <cstring>

#include "cpu_device/runtime/executor.hpp"
#include "cpu_device/runtime/function_attributes.hpp"
#include "cpu_device/runtime/h200.hpp"
#include "cpu_device/runtime/operation.hpp"
#include "cpu_device/runtime/runtime.hpp"

namespace rungs::cpu_device {
namespace {

/// The code that a GPU reports for this fault.
cudaError_t error_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::out_of_bounds:
    case FaultKind::use_after_free:
      return cudaErrorIllegalAddress;
    case FaultKind::misaligned:
      return cudaErrorMisalignedAddress;
    case FaultKind::assertion:
      return cudaErrorAssert;
    case FaultKind::budget:
      return cudaErrorLaunchTimeout;
    case FaultKind::trap:
    case FaultKind::divergent_barrier:
    case FaultKind::race:
    case FaultKind::uninitialised:
      break;
  }
  return cudaErrorLaunchFailure;
}

/// Refuses what a GPU refuses before the launch.
void check_configuration(const RegisteredKernel& kernel, const Dim3& grid,
                         const Dim3& block, size_t shared_bytes) {
  require(grid.x > 0 && grid.y > 0 && grid.z > 0 && block.x > 0 && block.y > 0 &&
          block.z > 0);
  require(grid.x <= h200::most_grid_x && grid.y <= h200::most_grid_yz &&
          grid.z <= h200::most_grid_yz);
  require(block.x <= h200::most_block_xy && block.y <= h200::most_block_xy &&
          block.z <= h200::most_block_z &&
          block.count() <= h200::threads_per_block);
  // Not more threads than __launch_bounds__ promised.
  require(block.count() <= kernel.code->max_threads);
  require(registers_of_block(kernel, block.count()) <= h200::registers_per_block,
          cudaErrorLaunchOutOfResources);
  require(shared_bytes <= dynamic_shared_limit(kernel));
}

}  // namespace

KernelOperation kernel_operation(Runtime& runtime, const void* function, Dim3 grid,
                                 Dim3 block, void** arguments,
                                 size_t shared_bytes) {
  RegisteredKernel* const found = runtime.modules.find_kernel(function);
  require(found, cudaErrorInvalidResourceHandle);
  const Kernel& code = *runtime.modules.code(*found).code;
  check_configuration(*found, grid, block, shared_bytes);

  KernelOperation operation;
  operation.kernel = found;
  operation.function = function;
  operation.grid = grid;
  operation.block = block;
  operation.dynamic_shared_bytes = static_cast<uint32_t>(shared_bytes);
  operation.parameters.resize(code.parameter_bytes);
  require(arguments || code.parameters.empty());
  for (size_t i = 0; i < code.parameters.size(); ++i) {
    require(arguments[i]);
    std::memcpy(operation.parameters.data() + code.parameters[i].offset,
                arguments[i], code.parameters[i].bytes);
  }
  return operation;
}

void run_kernel(Runtime& runtime, const KernelOperation& operation) {
  Launch launch;
  launch.kernel = runtime.modules.code(*operation.kernel).code;
  launch.grid = operation.grid;
  launch.block = operation.block;
  launch.dynamic_shared_bytes = operation.dynamic_shared_bytes;
  launch.parameters = operation.parameters;
  launch.checks = runtime.configuration.checks;
  launch.budget = runtime.configuration.budget;
  try {
    runtime.counts.add(launch, run_blocks(launch, runtime.memory.table(),
                                          runtime.configuration.threads));
  } catch (const Fault& fault) {
    // The launch itself has succeeded, as on a GPU: the next call that waits finds
    // out.
    runtime.stop(error_of(fault.kind()), fault.what());
  } catch (const Unsupported& unsupported) {
    runtime.stop(cudaErrorNotSupported, unsupported.what());
    throw Failure{cudaErrorNotSupported};
  }
}

}  // namespace rungs::cpu_device
