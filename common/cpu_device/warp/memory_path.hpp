/// \file
/// From a warp's addresses to host bytes: bounds, alignment, races, counting. What
/// loads, stores, atomics and asynchronous copies share.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "cpu_device/memory/access.hpp"
#include "cpu_device/warp/lanewise.hpp"
#include "cpu_device/warp/warp.hpp"

namespace rungs::cpu_device {

enum class Direction : uint8_t { load, store, atomic };

/// Where a warp's lanes find their bytes.
struct Route {
  std::byte* base = nullptr;  ///< of the first active lane; lane i is delta[i] on
  /// Null when the lanes lie in different allocations.
  const Pattern* pattern = nullptr;
  /// Each lane's own place, used then.
  const std::array<std::byte*, 32>* lane = nullptr;
  std::byte* at(uint32_t i) const {
    return pattern ? base + pattern->delta[i] : (*lane)[i];
  }
};

/// Lane addresses as 64-bit numbers, base register plus immediate.
using LaneAddresses = std::array<uint64_t, 32>;
LaneAddresses lane_addresses(const Warp& warp, const Instruction& in,
                             uint32_t mask);

/// Checks a shared-memory access, counts it, and says where the bytes are.
/// Instruction::detail bit 0 says that the base register is 64 bits wide.
Route route_shared(Warp& warp, const Instruction& in, uint32_t mask, uint32_t bytes,
                   Direction direction, const LaneAddresses& address);
/// The same for global (or constant) memory.
Route route_global(Warp& warp, const Instruction& in, uint32_t mask, uint32_t bytes,
                   Direction direction, const LaneAddresses& address, Path path);
/// The same for the lanes' local memory.
Route route_local(Warp& warp, const Instruction& in, uint32_t mask, uint32_t bytes,
                  Direction direction, const LaneAddresses& address);

/// The fast way for shared addresses in 32-bit registers and global ones in 64-bit
/// registers; both end in the functions above when anything is unusual.
template <bool Full>
Route route_shared_words(Warp& warp, const Instruction& in, uint32_t mask,
                         uint32_t bytes, Direction direction);
template <bool Full>
Route route_global_doubles(Warp& warp, const Instruction& in, uint32_t mask,
                           uint32_t bytes, Direction direction, Path path);

/// The common case in one pass: all lanes active, and the same shape as the last
/// time. Empty (base null) when anything differs; the functions above then do it
/// all.
inline Route route_shared_again(Warp& warp, const Instruction& in) {
  BlockContext& block = *warp.block;
  AccessStatistics& statistics = block.accesses[in.memory];
  const Pattern& pattern = statistics.patterns[statistics.recent];
  if (in.a == absent || block.shadow || !pattern.aligned) return {};
  const uint32_t* a = warp.words(in.a);
  const uint32_t origin = a[0];
  uint32_t difference = 0;
  for (uint32_t i = 0; i < lanes; ++i) {
    difference |= (a[i] - origin) ^ static_cast<uint32_t>(pattern.delta[i]);
  }
  const uint32_t base = origin + static_cast<uint32_t>(in.immediate);
  const uint32_t key = access_key(base, Path::shared);
  const int64_t begin = int64_t{base} + pattern.low,
                end = int64_t{base} + pattern.high;
  if (difference != 0 || pattern.mask != all_lanes || pattern.key != key ||
      begin < 0 || end > static_cast<int64_t>(block.shared.size())) {
    return {};
  }
  AccessStatistics::Sums& sums = statistics.shared;
  ++sums.instructions;
  sums.threads += lanes;
  sums.wavefronts += pattern.wavefronts;
  sums.conflicts += pattern.conflicts;
  return {block.shared.data() + base, &pattern};
}

/// Tells the shadow of an access, if one is kept; faults on a race or an unwritten
/// byte.
void shadow_access(Warp& warp, const Instruction& in, uint32_t mask, uint32_t bytes,
                   Direction direction, uint32_t base,
                   const std::array<int32_t, 32>& delta);

/// Splits generic addresses by window: calls f(path mask, address in its space) for
/// each of shared, local and global that has lanes.
template <class Shared, class Local, class Global>
void split_generic(const LaneAddresses& address, uint32_t mask, Shared&& shared,
                   Local&& local, Global&& global) {
  uint32_t in_shared = 0, in_local = 0;
  LaneAddresses inner = address;
  for (uint32_t i = 0; i < lanes; ++i) {
    if (address[i] - shared_window < window_bytes) {
      in_shared |= 1u << i;
      inner[i] = address[i] - shared_window;
    } else if (address[i] - local_window < window_bytes) {
      in_local |= 1u << i;
      inner[i] = address[i] - local_window;
    }
  }
  if (mask & in_shared) shared(mask & in_shared, inner);
  if (mask & in_local) local(mask & in_local, inner);
  if (mask & ~in_shared & ~in_local) global(mask & ~in_shared & ~in_local, inner);
}

}  // namespace rungs::cpu_device
