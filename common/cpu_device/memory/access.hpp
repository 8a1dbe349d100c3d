/// \file
/// The shape of a warp's access: how the lanes' addresses lie to one another.
/// Shapes repeat, so each memory instruction remembers its last few with all that
/// follows from them: wavefronts, sectors, the range touched, how to copy.
#pragma once

#include <array>
#include <cstdint>

#include "cpu_device/counters/counters.hpp"
#include "cpu_device/memory/global_memory.hpp"

namespace rungs::cpu_device {

enum class Path : uint8_t { shared, global, constant };

/// What of the base address a pattern depends on: its place in a sector, and the
/// path.
constexpr uint32_t access_key(uint64_t base, Path path) {
  return static_cast<uint32_t>(base & 31) | static_cast<uint32_t>(path) << 8;
}

/// How eight neighbouring lanes lie.
enum class Chunk : uint8_t { scattered, same, contiguous };

struct Pattern {
  alignas(64) std::array<int32_t, 32> delta{};  ///< from the first active lane; 0
                                                ///< if inactive
  uint32_t mask = 0;                            ///< 0: the entry is empty
  uint32_t key = 0;           ///< the base address modulo 32, and the path
  int64_t low = 0, high = 0;  ///< bytes touched, from the base: [low, high)
  uint32_t wavefronts = 0, conflicts = 0, sectors = 0;
  bool aligned = true;
  std::array<Chunk, 4> chunks{};
};

/// What one memory instruction has counted, and its memory of patterns. One per
/// runner.
struct AccessStatistics {
  struct Sums {
    uint64_t instructions = 0, threads = 0, wavefronts = 0, conflicts = 0,
             sectors = 0;
  };
  Sums shared, global, local;
  /// As many as a tree over a block has levels, and a few.
  std::array<Pattern, 16> patterns;
  std::array<uint32_t, 16> masks{};  ///< of the patterns, to be searched first
  uint32_t recent = 0, replace = 0;
  Allocation allocation;               ///< the last one used
  uint64_t last_base = 0, stride = 0;  ///< of the global accesses before this one
};

/// The pattern of these addresses; looked up, or worked out and remembered.
/// \param delta relative to the first active lane's address; 0 for inactive lanes
/// \param base the first active lane's address
/// \param bytes a lane's access
const Pattern& pattern_of(AccessStatistics& statistics,
                          const std::array<int32_t, 32>& delta, uint64_t base,
                          uint32_t mask, Path path, uint32_t bytes, bool store);

}  // namespace rungs::cpu_device
