#include "cpu_device/memory/banks.hpp"

#include <algorithm>
#include <bit>

namespace rungs::cpu_device {
namespace {

constexpr uint32_t lanes = 32, banks = 32, word = 4, sector = 32;

bool active(uint32_t mask, uint32_t lane) { return mask >> lane & 1; }

bool paired(const std::array<uint32_t, 32>& address, uint32_t mask,
            uint32_t distance) {
  for (uint32_t i = 0; i < lanes; ++i) {
    const uint32_t partner = i ^ distance;
    if (active(mask, i) && active(mask, partner) &&
        address[i] != address[partner]) {
      return false;
    }
  }
  return true;
}

uint32_t phase_lanes(const std::array<uint32_t, 32>& address, uint32_t mask,
                     uint32_t bytes, bool store) {
  if (bytes <= word) return lanes;
  const uint32_t plain = lanes * word / bytes;
  if (store) return plain;
  return paired(address, mask, 1) || paired(address, mask, 2) ? 2 * plain : plain;
}

template <size_t N>
uint32_t distinct(std::array<uint64_t, N>& values, size_t count) {
  std::sort(values.begin(), values.begin() + count);
  return static_cast<uint32_t>(std::unique(values.begin(), values.begin() + count) -
                               values.begin());
}

}  // namespace

Wavefronts shared_wavefronts(const std::array<uint32_t, 32>& address, uint32_t mask,
                             uint32_t bytes, bool store) {
  const uint32_t width = phase_lanes(address, mask, bytes, store);
  Wavefronts result;
  for (uint32_t first = 0; first < lanes; first += width) {
    std::array<uint32_t, lanes * 4> words;
    size_t count = 0;
    for (uint32_t i = first; i < first + width; ++i) {
      if (!active(mask, i)) continue;
      const uint32_t last_word = (address[i] + bytes - 1) / word;
      for (uint32_t w = address[i] / word; w <= last_word && count < words.size();
           ++w) {
        words[count++] = w;
      }
    }
    if (count == 0) continue;
    std::sort(words.begin(), words.begin() + count);
    const auto end = std::unique(words.begin(), words.begin() + count);
    std::array<uint32_t, banks> load{};
    for (auto w = words.begin(); w != end; ++w) ++load[*w % banks];
    const uint32_t passes = *std::max_element(load.begin(), load.end());
    result.total += passes;
    result.conflicts += passes - 1;
  }
  return result;
}

uint32_t global_sectors(const std::array<int32_t, 32>& delta, uint64_t base,
                        uint32_t mask, uint32_t bytes) {
  std::array<uint64_t, 2 * lanes> sectors;
  size_t count = 0;
  for (uint32_t i = 0; i < lanes; ++i) {
    if (!active(mask, i)) continue;
    const uint64_t address = base + static_cast<uint64_t>(int64_t{delta[i]});
    sectors[count++] = address / sector;
    if ((address + bytes - 1) / sector != address / sector) {
      sectors[count++] = (address + bytes - 1) / sector;
    }
  }
  return distinct(sectors, count);
}

uint32_t local_sectors(const std::array<uint32_t, 32>& offset, uint32_t mask,
                       uint32_t bytes) {
  std::array<uint64_t, 4 * lanes> sectors;
  size_t count = 0;
  for (uint32_t i = 0; i < lanes; ++i) {
    if (!active(mask, i)) continue;
    for (uint32_t w = offset[i] / word; w <= (offset[i] + bytes - 1) / word; ++w) {
      sectors[count++] = (uint64_t{w} * lanes + i) * word / sector;
    }
  }
  return distinct(sectors, count);
}

}  // namespace rungs::cpu_device
