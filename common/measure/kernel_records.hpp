#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "measure/samples.hpp"

namespace rungs {

/// What is the same for every launch of a kernel in an operation.
struct KernelLaunch {
  std::string name;
  std::array<int, 3> grid{};
  std::array<int, 3> block{};
  int registers = 0;
  int static_shared_bytes = 0;
  int dynamic_shared_bytes = 0;

  bool operator==(const KernelLaunch&) const = default;
};

/// One kernel that ran, on the GPU's clock, in nanoseconds.
struct KernelRecord {
  KernelLaunch launch;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
};

/// The kernel times of operations: the sum of an operation's kernels, and each of
/// them.
struct KernelTimes {
  struct Part {
    KernelLaunch launch;
    int launches_per_operation = 0;
    Samples samples = {};  ///< of all its launches in the operation
  };

  Samples samples = {};
  std::vector<Part> parts = {};  ///< in the order of their first launch
};

/// Gives each of `operations` operations its kernels, by the order in which they
/// started. Throws Missing if the records cannot be those of so many equal
/// operations.
KernelTimes match(std::vector<KernelRecord> records, int operations);

/// Takes the first `operations` out, which are fewer than there are.
void forget_first(KernelTimes& times, int operations);

}  // namespace rungs
