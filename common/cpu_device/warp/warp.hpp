/// \file
/// A warp while it runs, and the block it belongs to, as the handlers see them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "cpu_device/memory/access.hpp"
#include "cpu_device/memory/shared_shadow.hpp"
#include "cpu_device/program/program.hpp"
#include "cpu_device/warp/block_runner.hpp"

namespace rungs::cpu_device {

/// Generic addresses of shared and local memory stand in windows that no host
/// pointer and no device address can lie in (bits 48 and 49 of an address are never
/// set).
constexpr uint64_t shared_window = uint64_t{1} << 48;
constexpr uint64_t local_window = uint64_t{1} << 49;
constexpr uint64_t window_bytes = uint64_t{1} << 32;

struct Warp;

/// What the warps of a block share, and what they count.
struct BlockContext {
  const Program* program = nullptr;
  const Launch* launch = nullptr;
  const GlobalMemory* memory = nullptr;
  std::vector<std::byte> shared;
  std::vector<AccessStatistics> accesses;  ///< by Instruction::memory
  std::vector<uint64_t>
      guarded_lanes;               ///< by instruction: lanes that passed the guard
  SharedShadow* shadow = nullptr;  ///< null when nothing of it is checked
  uint64_t block_index = 0;
  std::array<std::byte*, 32> lane_places{};  ///< see Route::lane

  /// Stops the kernel with one sentence that says where.
  [[noreturn]] void fault(FaultKind kind, const Warp& warp, const Instruction& in,
                          uint32_t lane, const std::string& what) const;
};

/// The lowest lane of a mask that is not empty.
inline uint32_t first_lane(uint32_t mask) {
  return static_cast<uint32_t>(std::countr_zero(mask));
}

/// A set of lanes that run together.
struct Group {
  uint32_t block = 0;  ///< basic block to run next
  uint32_t mask = 0;
  bool held = false;  ///< waits for lanes of another group
};

/// A copy that cp.async has issued and no wait has completed.
struct PendingCopy {
  uint32_t lane, shared_address, bytes, copied;
  uint64_t source;
  uint32_t group;  ///< the lane's commit group
  uint32_t instruction;
};

struct Warp {
  BlockContext* block = nullptr;
  std::byte* frame = nullptr;  ///< 64-byte aligned
  uint32_t index = 0;          ///< in the block
  uint32_t begun = 0;          ///< lanes that the block has in this warp
  uint32_t live = 0;           ///< those of them that have not ended
  Group current;
  std::vector<Group> others;     ///< of a diverged warp
  std::vector<std::byte> local;  ///< lane after lane, Program::local_bytes each
  std::vector<PendingCopy> copies;
  std::array<uint32_t, lanes>
      copy_group{};    ///< commit groups closed so far, by lane
  uint64_t ticks = 0;  ///< what %clock reads

  uint32_t* words(uint32_t offset) const {
    return reinterpret_cast<uint32_t*>(frame + offset);
  }
  uint64_t* doubles(uint32_t offset) const {
    return reinterpret_cast<uint64_t*>(frame + offset);
  }
  uint32_t& predicate(uint32_t offset) const {
    return *reinterpret_cast<uint32_t*>(frame + offset);
  }
  size_t instruction_index(const Instruction& in) const {
    return static_cast<size_t>(&in - block->program->instructions.data());
  }
};

}  // namespace rungs::cpu_device
