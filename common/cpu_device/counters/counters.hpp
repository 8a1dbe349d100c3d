/// \file
/// What the CPU device counts while it runs PTX. All numbers are exact and are of
/// the PTX as it ran: the machine code can differ (ptxas merges and unrolls).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cpu_device/fault.hpp"

namespace rungs::cpu_device {

/// The classes that instructions are counted in.
enum class InstructionClass : uint8_t {
  integer,
  float32,
  float64,
  conversion,
  compare,
  move,
  control,
  shared,
  global,
  local,
  constant,
  param,
  atomic,
  shuffle,
  vote,
  barrier,
  other,
  count
};

/// The name of a class as the counts document spells it.
const char* class_name(InstructionClass instruction_class);

/// Accesses of one direction in one memory space.
struct AccessCounts {
  uint64_t instructions = 0;  ///< warp-level; one per load or store of any width
  uint64_t thread_instructions = 0;  ///< instructions times their active lanes
  uint64_t bytes = 0;                ///< bytes that threads asked for
  std::array<uint64_t, 5>
      by_width{};           ///< warp-level, by bytes a lane: 1, 2, 4, 8, 16
  uint64_t wavefronts = 0;  ///< shared: passes through the banks (memory/banks.hpp)
  uint64_t bank_conflicts = 0;  ///< shared: wavefronts above one a phase
  uint64_t sectors =
      0;  ///< global, local: 32-byte sectors touched, per instruction
  void add(const AccessCounts& other);
};

/// Everything counted in one source line or one kernel.
struct Counts {
  uint64_t warp_instructions = 0;
  uint64_t thread_instructions = 0;
  std::array<uint64_t, static_cast<size_t>(InstructionClass::count)>
      by_class{};                  ///< warp-level
  uint64_t multiply_adds = 0;      ///< f32 fma, by thread
  uint64_t multiply_adds_f64 = 0;  ///< f64 fma, by thread
  AccessCounts shared_load, shared_store;
  AccessCounts global_load, global_store;
  AccessCounts local_load, local_store;
  uint64_t shared_atomics = 0, global_atomics = 0;  ///< warp-level
  uint64_t barriers = 0, shuffles = 0, votes = 0;   ///< warp-level
  void add(const Counts& other);
};

/// The counts of one source line.
struct LineCounts {
  SourceLine where;
  Counts counts;
};

/// What one kernel's launches counted. Sums of exact integers: the order of blocks
/// and the number of threads do not change them.
struct KernelCounts {
  Counts total;
  std::vector<LineCounts> lines;  ///< sorted by file and line
  void add(const KernelCounts& other);
};

}  // namespace rungs::cpu_device
