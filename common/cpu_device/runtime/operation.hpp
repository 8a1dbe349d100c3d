/// \file
/// What a program can put into a stream or a graph. One description serves both: a
/// stream performs it at once, a capture makes a graph node of it.
#pragma once

#include <driver_types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "cpu_device/warp/block_runner.hpp"

namespace rungs::cpu_device {

class Runtime;
struct Graph;
struct RegisteredKernel;

/// A kernel launch, with its own copy of the arguments.
struct KernelOperation {
  RegisteredKernel* kernel = nullptr;
  const void* function = nullptr;  ///< as the program named it
  Dim3 grid, block;
  uint32_t dynamic_shared_bytes = 0;
  std::vector<std::byte> parameters;
  std::vector<void*>
      pointers;  ///< into `parameters`, for cudaGraphKernelNodeGetParams
};

/// One side of a copy: rows of `pitch` bytes, slices of `rows` rows.
struct CopySide {
  void* pointer = nullptr;
  size_t pitch = 0;
  size_t rows = 0;
};

/// A copy of `width` bytes by `height` rows by `depth` slices.
struct CopyOperation {
  CopySide to, from;
  size_t width = 0, height = 1, depth = 1;
  cudaMemcpyKind kind = cudaMemcpyDefault;
};

/// Fills `width` elements by `height` rows by `depth` slices.
struct FillOperation {
  CopySide to;
  unsigned value = 0;
  unsigned element_bytes = 1;
  size_t width = 0, height = 1, depth = 1;
};

struct HostOperation {
  cudaHostFn_t function = nullptr;
  void* data = nullptr;
};

struct EmptyOperation {};
struct RecordOperation {
  cudaEvent_t event = nullptr;
};
struct WaitOperation {
  cudaEvent_t event = nullptr;
};
struct ChildOperation {
  std::shared_ptr<Graph> graph;  ///< the node's own copy
};

using Operation =
    std::variant<EmptyOperation, KernelOperation, CopyOperation, FillOperation,
                 HostOperation, RecordOperation, WaitOperation, ChildOperation>;

/// The launch of a kernel with these arguments.
/// \param function host function or cudaKernel_t
/// \throws Failure when a GPU would refuse the launch
KernelOperation kernel_operation(Runtime& runtime, const void* function, Dim3 grid,
                                 Dim3 block, void** arguments, size_t shared_bytes);

/// Whether the operation's pointers, sizes and directions are good.
/// \throws Failure
void check(Runtime& runtime, const Operation& operation);

/// Does it, to the end. A fault of a kernel stops the device (Runtime::stop).
/// \throws Failure
void perform(Runtime& runtime, const Operation& operation);

void run_kernel(Runtime& runtime, const KernelOperation& operation);
void check_copy(Runtime& runtime, const CopyOperation& copy);
void run_copy(Runtime& runtime, const CopyOperation& copy);
void check_fill(Runtime& runtime, const FillOperation& fill);
void run_fill(Runtime& runtime, const FillOperation& fill);

/// A copy of `bytes` bytes in a row.
inline CopyOperation linear_copy(void* to, const void* from, size_t bytes,
                                 cudaMemcpyKind kind) {
  return {{to, bytes, 1}, {const_cast<void*>(from), bytes, 1}, bytes, 1, 1, kind};
}

}  // namespace rungs::cpu_device
