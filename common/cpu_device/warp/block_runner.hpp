/// \file
/// Runs the blocks of one launch, one at a time, and counts. A launch on several
/// host threads has one runner per thread; runners share only global memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cpu_device/counters/counters.hpp"
#include "cpu_device/memory/checks.hpp"
#include "cpu_device/memory/global_memory.hpp"
#include "cpu_device/program/module.hpp"

namespace rungs::cpu_device {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
};

/// One kernel launch.
struct Launch {
  const Kernel* kernel = nullptr;
  Dim3 grid, block;
  uint32_t dynamic_shared_bytes = 0;
  std::vector<std::byte>
      parameters;  ///< kernel->parameter_bytes long, laid out by `parameters`
  Checks checks;
  /// Warp instructions that one block may run before it counts as hung.
  uint64_t budget = 1'000'000'000;
  /// Receives what device-side printf writes, one call per printf and thread, in
  /// the order of a warp's lanes. Called from the runner's thread.
  std::function<void(const std::string&)> print;
};

/// Runs blocks. Not thread-safe; make one per thread.
class BlockRunner {
 public:
  /// \param memory outlives the runner; must not change while a block runs.
  BlockRunner(const Launch& launch, const GlobalMemory& memory);
  ~BlockRunner();
  BlockRunner(const BlockRunner&) = delete;
  BlockRunner& operator=(const BlockRunner&) = delete;

  /// Runs the block with this linear index (x fastest).
  /// \throws Fault, Unsupported
  void run(uint64_t block);

  /// The sum over all blocks run so far.
  KernelCounts counts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rungs::cpu_device
