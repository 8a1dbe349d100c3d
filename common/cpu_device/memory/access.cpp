#include "cpu_device/memory/access.hpp"

#include <algorithm>
#include <bit>

#include "cpu_device/memory/banks.hpp"

namespace rungs::cpu_device {
namespace {

Chunk chunk_of(const std::array<int32_t, 32>& delta, uint32_t first,
               uint32_t bytes) {
  bool same = true, contiguous = true;
  for (uint32_t i = 1; i < 8; ++i) {
    same = same && delta[first + i] == delta[first];
    contiguous = contiguous &&
                 delta[first + i] == delta[first] + static_cast<int32_t>(i * bytes);
  }
  return same ? Chunk::same : contiguous ? Chunk::contiguous : Chunk::scattered;
}

Pattern work_out(const std::array<int32_t, 32>& delta, uint64_t base, uint32_t mask,
                 uint32_t key, Path path, uint32_t bytes, bool store) {
  Pattern pattern;
  pattern.delta = delta;
  pattern.mask = mask;
  pattern.key = key;
  std::array<uint32_t, 32> address;
  for (uint32_t i = 0; i < 32; ++i) {
    address[i] = static_cast<uint32_t>(base) + static_cast<uint32_t>(delta[i]);
    if (!(mask >> i & 1)) continue;
    pattern.low = std::min<int64_t>(pattern.low, delta[i]);
    pattern.high = std::max<int64_t>(pattern.high, int64_t{delta[i]} + bytes);
    pattern.aligned = pattern.aligned && address[i] % bytes == 0;
  }
  if (path == Path::shared) {
    // Only how the words lie to each other and to the banks matters, not where they
    // begin, so the low bits of the base do, and a pattern below the base must not
    // wrap around zero.
    std::array<uint32_t, 32> shifted = address;
    for (uint32_t& a : shifted) a -= static_cast<uint32_t>(base) & ~127u;
    for (uint32_t& a : shifted) a += 1u << 30;
    const Wavefronts wavefronts = shared_wavefronts(shifted, mask, bytes, store);
    pattern.wavefronts = wavefronts.total;
    pattern.conflicts = wavefronts.conflicts;
  } else {
    pattern.sectors = global_sectors(delta, base, mask, bytes);
  }
  for (uint32_t i = 0; i < 4; ++i)
    pattern.chunks[i] = chunk_of(delta, 8 * i, bytes);
  return pattern;
}

bool matches(const Pattern& pattern, const std::array<int32_t, 32>& delta,
             uint32_t mask, uint32_t key) {
  if (pattern.mask != mask || pattern.key != key) return false;
  uint32_t difference = 0;
  for (uint32_t i = 0; i < 32; ++i) {
    difference |= static_cast<uint32_t>(pattern.delta[i] ^ delta[i]);
  }
  return difference == 0;
}

}  // namespace

const Pattern& pattern_of(AccessStatistics& statistics,
                          const std::array<int32_t, 32>& delta, uint64_t base,
                          uint32_t mask, Path path, uint32_t bytes, bool store) {
  const uint32_t key =
      static_cast<uint32_t>(base & 31) | static_cast<uint32_t>(path) << 8;
  const Pattern& recent = statistics.patterns[statistics.recent];
  if (matches(recent, delta, mask, key)) return recent;
  for (uint32_t i = 0; i < statistics.patterns.size(); ++i) {
    if (statistics.masks[i] == mask &&
        matches(statistics.patterns[i], delta, mask, key)) {
      statistics.recent = i;
      return statistics.patterns[i];
    }
  }
  statistics.recent = statistics.replace;
  statistics.replace =
      (statistics.replace + 1) % static_cast<uint32_t>(statistics.patterns.size());
  Pattern& pattern = statistics.patterns[statistics.recent];
  pattern = work_out(delta, base, mask, key, path, bytes, store);
  statistics.masks[statistics.recent] = mask;
  return pattern;
}

}  // namespace rungs::cpu_device
