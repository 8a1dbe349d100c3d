#include "cpu_device/memory/shared_shadow.hpp"

#include <algorithm>

namespace rungs::cpu_device {

void SharedShadow::begin(uint32_t bytes, uint32_t warps) {
  warps_ = warps;
  bytes_.assign(bytes, Byte{});
  for (uint32_t w = 0; w < warps; ++w) {
    clocks_[w].fill(0);
    clocks_[w][w] = 1;
  }
}

void SharedShadow::remember(std::array<Access, 2>& last, Access access) {
  if (last[0].clock != 0 && last[0].warp != access.warp) last[1] = last[0];
  last[0] = access;
}

SharedShadow::Finding SharedShadow::race(uint32_t byte, const Access& other,
                                         bool wrote) {
  return {Finding::Kind::race, byte, other.warp, other.instruction, wrote};
}

SharedShadow::Finding SharedShadow::unwritten(uint32_t byte) {
  return {Finding::Kind::uninitialised, byte, 0, 0, false};
}

SharedShadow::Finding SharedShadow::read(uint32_t warp, uint32_t address,
                                         uint32_t bytes, uint32_t instruction) {
  const Access access{clocks_[warp][warp], static_cast<uint8_t>(warp), instruction};
  for (uint32_t i = address; i < address + bytes; ++i) {
    Byte& byte = bytes_[i];
    if (checks_.races) {
      for (const Access* other :
           {&byte.writer, &byte.updaters[0], &byte.updaters[1]}) {
        if (!before(*other, warp)) return race(i, *other, true);
      }
    }
    if (checks_.uninitialised && !byte.written) return unwritten(i);
    remember(byte.readers, access);
  }
  return {};
}

SharedShadow::Finding SharedShadow::write(uint32_t warp, uint32_t address,
                                          uint32_t bytes, uint32_t instruction) {
  const Access access{clocks_[warp][warp], static_cast<uint8_t>(warp), instruction};
  for (uint32_t i = address; i < address + bytes; ++i) {
    Byte& byte = bytes_[i];
    if (checks_.races) {
      for (const Access* other :
           {&byte.writer, &byte.updaters[0], &byte.updaters[1]}) {
        if (!before(*other, warp)) return race(i, *other, true);
      }
      for (const Access& reader : byte.readers) {
        if (!before(reader, warp)) return race(i, reader, false);
      }
    }
    byte.writer = access;
    for (Access& one : byte.readers) one.clock = 0;
    for (Access& one : byte.updaters) one.clock = 0;
    byte.written = true;
  }
  return {};
}

SharedShadow::Finding SharedShadow::update(uint32_t warp, uint32_t address,
                                           uint32_t bytes, uint32_t instruction) {
  const Access access{clocks_[warp][warp], static_cast<uint8_t>(warp), instruction};
  for (uint32_t i = address; i < address + bytes; ++i) {
    Byte& byte = bytes_[i];
    if (checks_.uninitialised && !byte.written) return unwritten(i);
    if (checks_.races) {
      if (!before(byte.writer, warp)) return race(i, byte.writer, true);
      for (const Access& reader : byte.readers) {
        if (!before(reader, warp)) return race(i, reader, false);
      }
    }
    remember(byte.updaters, access);
  }
  return {};
}

void SharedShadow::barrier(uint32_t warps) {
  std::array<uint32_t, max_warps> joined{};
  for (uint32_t w = 0; w < warps_; ++w) {
    if (!(warps >> w & 1)) continue;
    for (uint32_t v = 0; v < warps_; ++v)
      joined[v] = std::max(joined[v], clocks_[w][v]);
  }
  for (uint32_t w = 0; w < warps_; ++w) {
    if (!(warps >> w & 1)) continue;
    clocks_[w] = joined;
    ++clocks_[w][w];
  }
}

}  // namespace rungs::cpu_device
