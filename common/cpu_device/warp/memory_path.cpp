#include "cpu_device/warp/memory_path.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "cpu_device/memory/banks.hpp"

namespace rungs::cpu_device {
namespace {

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%" PRIx64, value);
  return text;
}

std::string bytes_text(uint64_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

std::string verb(Direction direction, uint32_t bytes) {
  const char* word = direction == Direction::load    ? "reads "
                     : direction == Direction::store ? "writes "
                                                     : "updates ";
  return word + bytes_text(bytes);
}

[[noreturn]] void misaligned(const Warp& warp, const Instruction& in, uint32_t lane,
                             uint32_t bytes, Direction direction, const char* space,
                             uint64_t address) {
  warp.block->fault(FaultKind::misaligned, warp, in, lane,
                    verb(direction, bytes) + " at " + space + " address " +
                        hex(address) + ", which is no multiple of " +
                        std::to_string(bytes));
}

[[noreturn]] void outside_shared(const Warp& warp, const Instruction& in,
                                 uint32_t lane, uint32_t bytes, Direction direction,
                                 uint64_t address) {
  warp.block->fault(FaultKind::out_of_bounds, warp, in, lane,
                    verb(direction, bytes) + " at shared address " + hex(address) +
                        ", but the block has " +
                        bytes_text(warp.block->shared.size()) +
                        " of shared memory");
}

[[noreturn]] void outside_global(const Warp& warp, const Instruction& in,
                                 uint32_t lane, uint32_t bytes, Direction direction,
                                 uint64_t address) {
  const GlobalMemory& memory = *warp.block->memory;
  const std::string access =
      verb(direction, bytes) + " at global address " + hex(address);
  if (const auto freed = memory.find_freed(address)) {
    warp.block->fault(
        FaultKind::use_after_free, warp, in, lane,
        access + ", inside memory that was freed (" + freed->label + ")");
  }
  if (address == 0 || address + bytes < address) {
    warp.block->fault(FaultKind::out_of_bounds, warp, in, lane,
                      access + ", a null pointer");
  }
  if (const auto holder = memory.find(address)) {
    const bool writes_constant = holder->read_only && direction != Direction::load;
    warp.block->fault(FaultKind::out_of_bounds, warp, in, lane,
                      access +
                          (writes_constant ? ", in constant memory ("
                                           : ", over the end of its allocation (") +
                          holder->label + ")");
  }
  std::string where = ", which belongs to no allocation";
  if (const auto before = memory.before(address)) {
    const uint64_t past = address - before->end();
    if (past < (uint64_t{1} << 20)) {
      where = ", " + bytes_text(past) + " past the end of " + before->label;
    }
  }
  warp.block->fault(FaultKind::out_of_bounds, warp, in, lane, access + where);
}

void count_shared(AccessStatistics& statistics, const Pattern& pattern,
                  uint32_t mask) {
  AccessStatistics::Sums& sums = statistics.shared;
  ++sums.instructions;
  sums.threads += static_cast<uint32_t>(std::popcount(mask));
  sums.wavefronts += pattern.wavefronts;
  sums.conflicts += pattern.conflicts;
}

void count_global(AccessStatistics& statistics, uint32_t sectors, uint32_t mask) {
  AccessStatistics::Sums& sums = statistics.global;
  ++sums.instructions;
  sums.threads += static_cast<uint32_t>(std::popcount(mask));
  sums.sectors += sectors;
}

// The shared access with its shape known.
Route finish_shared(Warp& warp, const Instruction& in, uint32_t mask,
                    uint32_t bytes, Direction direction, uint32_t base,
                    const std::array<int32_t, 32>& delta) {
  BlockContext& block = *warp.block;
  AccessStatistics& statistics = block.accesses[in.memory];
  const Pattern& pattern = pattern_of(statistics, delta, base, mask, Path::shared,
                                      bytes, direction != Direction::load);
  const int64_t begin = int64_t{base} + pattern.low,
                end = int64_t{base} + pattern.high;
  if (begin < 0 || end > static_cast<int64_t>(block.shared.size()) ||
      !pattern.aligned) {
    for (uint32_t i = 0; i < lanes; ++i) {
      if (!(mask >> i & 1)) continue;
      const int64_t address = int64_t{base} + delta[i];
      if (address < 0 ||
          address + bytes > static_cast<int64_t>(block.shared.size())) {
        outside_shared(warp, in, i, bytes, direction,
                       static_cast<uint64_t>(address));
      }
      if (address % bytes != 0) {
        misaligned(warp, in, i, bytes, direction, "shared",
                   static_cast<uint64_t>(address));
      }
    }
  }
  if (block.shadow) shadow_access(warp, in, mask, bytes, direction, base, delta);
  count_shared(statistics, pattern, mask);
  return {block.shared.data() + base, &pattern};
}

// A loop over memory goes from one access to the next by the same stride, often one
// too long for the host to see. What it will need soon is fetched meanwhile; a
// prefetch past the end of memory does nothing.
void prefetch_ahead(AccessStatistics& statistics, uint64_t base, uint64_t bytes) {
  constexpr uint64_t accesses_ahead = 8, line_bytes = 64, most_bytes = 512;
  const uint64_t stride = base - statistics.last_base;
  statistics.last_base = base;
  if (stride != statistics.stride) {
    statistics.stride = stride;
    return;
  }
  const uint64_t begin = base + accesses_ahead * stride +
                         static_cast<uint64_t>(statistics.allocation.host_offset);
  for (uint64_t i = 0; i < std::min(bytes, most_bytes); i += line_bytes) {
    __builtin_prefetch(reinterpret_cast<const void*>(begin + i));
  }
}

bool covers(const Allocation& allocation, uint64_t begin, uint64_t end,
            Direction direction) {
  return begin >= allocation.begin && end <= allocation.end() && begin <= end &&
         (!allocation.read_only || direction == Direction::load);
}

// Lanes in different allocations, or a fault to be described: one lane after the
// other.
Route lane_by_lane(Warp& warp, const Instruction& in, uint32_t mask, uint32_t bytes,
                   Direction direction, const LaneAddresses& address, Path path) {
  const Route route{nullptr, nullptr, &warp.block->lane_places};
  uint32_t sectors = 0;
  for (uint32_t i = 0; i < lanes; ++i) {
    if (!(mask >> i & 1)) continue;
    const auto allocation = warp.block->memory->find(address[i]);
    if (!allocation ||
        !covers(*allocation, address[i], address[i] + bytes, direction)) {
      outside_global(warp, in, i, bytes, direction, address[i]);
    }
    if (address[i] % bytes != 0) {
      misaligned(warp, in, i, bytes, direction, "global", address[i]);
    }
    warp.block->lane_places[i] = reinterpret_cast<std::byte*>(
        address[i] + static_cast<uint64_t>(allocation->host_offset));
    // Far apart: each lane's sector counts unless an earlier lane has it.
    bool seen = false;
    for (uint32_t j = 0; j < i; ++j) {
      seen = seen || ((mask >> j & 1) && address[j] / 32 == address[i] / 32);
    }
    sectors += seen ? 0 : 1;
  }
  if (path == Path::global)
    count_global(warp.block->accesses[in.memory], sectors, mask);
  return route;
}

}  // namespace

LaneAddresses lane_addresses(const Warp& warp, const Instruction& in,
                             uint32_t mask) {
  LaneAddresses address{};
  for (uint32_t i = 0; i < lanes; ++i) {
    if (!(mask >> i & 1)) continue;
    const uint64_t base = in.a == absent  ? 0
                          : in.detail & 1 ? warp.doubles(in.a)[i]
                                          : uint64_t{warp.words(in.a)[i]};
    address[i] = base + static_cast<uint64_t>(in.immediate);
  }
  return address;
}

void shadow_access(Warp& warp, const Instruction& in, uint32_t mask, uint32_t bytes,
                   Direction direction, uint32_t base,
                   const std::array<int32_t, 32>& delta) {
  SharedShadow& shadow = *warp.block->shadow;
  const auto number = static_cast<uint32_t>(warp.instruction_index(in));
  for (uint32_t i = 0; i < lanes; ++i) {
    if (!(mask >> i & 1)) continue;
    const uint32_t address = base + static_cast<uint32_t>(delta[i]);
    const SharedShadow::Finding finding =
        direction == Direction::load
            ? shadow.read(warp.index, address, bytes, number)
        : direction == Direction::store
            ? shadow.write(warp.index, address, bytes, number)
            : shadow.update(warp.index, address, bytes, number);
    if (finding.kind == SharedShadow::Finding::Kind::fine) continue;
    const std::string access =
        verb(direction, bytes) + " at shared address " + hex(address);
    if (finding.kind == SharedShadow::Finding::Kind::uninitialised) {
      warp.block->fault(
          FaultKind::uninitialised, warp, in, i,
          access + ", which no thread of the block has written so far");
    }
    const uint32_t line =
        warp.block->program->origins[finding.other_instruction].source.line;
    const std::string where = line == 0 ? "" : " in line " + std::to_string(line);
    warp.block->fault(FaultKind::race, warp, in, i,
                      access + ", which warp " +
                          std::to_string(finding.other_warp) + " " +
                          (finding.other_wrote ? "wrote" : "read") + where +
                          " with no barrier between");
  }
}

Route route_shared(Warp& warp, const Instruction& in, uint32_t mask, uint32_t bytes,
                   Direction direction, const LaneAddresses& address) {
  const uint32_t first = first_lane(mask);
  std::array<int32_t, 32> delta{};
  for (uint32_t i = 0; i < lanes; ++i) {
    if (!(mask >> i & 1)) continue;
    if (address[i] + bytes > warp.block->shared.size() ||
        address[i] + bytes < address[i]) {
      outside_shared(warp, in, i, bytes, direction, address[i]);
    }
    delta[i] = static_cast<int32_t>(address[i] - address[first]);
  }
  return finish_shared(warp, in, mask, bytes, direction,
                       static_cast<uint32_t>(address[first]), delta);
}

template <bool Full>
Route route_shared_words(Warp& warp, const Instruction& in, uint32_t mask,
                         uint32_t bytes, Direction direction) {
  std::array<int32_t, 32> delta;
  const uint32_t first = Full ? 0 : first_lane(mask);
  uint32_t base = static_cast<uint32_t>(in.immediate);
  if (in.a == absent) {
    delta = {};
  } else {
    const uint32_t* a = warp.words(in.a);
    const uint32_t origin = a[first];
    base += origin;
    for (uint32_t i = 0; i < lanes; ++i) {
      const int32_t difference = static_cast<int32_t>(a[i] - origin);
      delta[i] = Full || (mask >> i & 1) ? difference : 0;
    }
  }
  return finish_shared(warp, in, mask, bytes, direction, base, delta);
}

template <bool Full>
Route route_global_doubles(Warp& warp, const Instruction& in, uint32_t mask,
                           uint32_t bytes, Direction direction, Path path) {
  const uint32_t first = Full ? 0 : first_lane(mask);
  const uint64_t* a = warp.doubles(in.a);
  const uint64_t origin = a[first];
  std::array<int32_t, 32> delta;
  uint64_t far = 0;  // bits that say a difference does not fit into 32
  for (uint32_t i = 0; i < lanes; ++i) {
    uint64_t difference = a[i] - origin;
    difference = Full || (mask >> i & 1) ? difference : 0;
    far |= difference + 0x80000000ull;
    delta[i] = static_cast<int32_t>(difference);
  }
  if (far >> 32 != 0) {
    return lane_by_lane(warp, in, mask, bytes, direction,
                        lane_addresses(warp, in, mask), path);
  }
  AccessStatistics& statistics = warp.block->accesses[in.memory];
  const uint64_t base = origin + static_cast<uint64_t>(in.immediate);
  const Pattern& pattern = pattern_of(statistics, delta, base, mask, path, bytes,
                                      direction != Direction::load);
  const uint64_t begin = base + static_cast<uint64_t>(pattern.low);
  const uint64_t end = base + static_cast<uint64_t>(pattern.high);
  if (!covers(statistics.allocation, begin, end, direction)) {
    if (const auto found = warp.block->memory->find(base))
      statistics.allocation = *found;
  }
  if (!covers(statistics.allocation, begin, end, direction) || !pattern.aligned) {
    return lane_by_lane(warp, in, mask, bytes, direction,
                        lane_addresses(warp, in, mask), path);
  }
  if (path == Path::global) count_global(statistics, pattern.sectors, mask);
  prefetch_ahead(statistics, base, end - begin);
  return {reinterpret_cast<std::byte*>(
              base + static_cast<uint64_t>(statistics.allocation.host_offset)),
          &pattern};
}

Route route_global(Warp& warp, const Instruction& in, uint32_t mask, uint32_t bytes,
                   Direction direction, const LaneAddresses& address, Path path) {
  return lane_by_lane(warp, in, mask, bytes, direction, address, path);
}

Route route_local(Warp& warp, const Instruction& in, uint32_t mask, uint32_t bytes,
                  Direction direction, const LaneAddresses& address) {
  const Route route{nullptr, nullptr, &warp.block->lane_places};
  const uint32_t size = warp.block->program->local_bytes;
  std::array<uint32_t, 32> offset{};
  for (uint32_t i = 0; i < lanes; ++i) {
    if (!(mask >> i & 1)) continue;
    if (address[i] + bytes > size || address[i] + bytes < address[i]) {
      warp.block->fault(FaultKind::out_of_bounds, warp, in, i,
                        verb(direction, bytes) + " at local address " +
                            hex(address[i]) + ", but a thread has " +
                            bytes_text(size) + " of local memory");
    }
    if (address[i] % bytes != 0) {
      misaligned(warp, in, i, bytes, direction, "local", address[i]);
    }
    offset[i] = static_cast<uint32_t>(address[i]);
    warp.block->lane_places[i] = warp.local.data() + size_t{i} * size + offset[i];
  }
  AccessStatistics::Sums& sums = warp.block->accesses[in.memory].local;
  ++sums.instructions;
  sums.threads += static_cast<uint32_t>(std::popcount(mask));
  sums.sectors += local_sectors(offset, mask, bytes);
  return route;
}

template Route route_shared_words<true>(Warp&, const Instruction&, uint32_t,
                                        uint32_t, Direction);
template Route route_shared_words<false>(Warp&, const Instruction&, uint32_t,
                                         uint32_t, Direction);
template Route route_global_doubles<true>(Warp&, const Instruction&, uint32_t,
                                          uint32_t, Direction, Path);
template Route route_global_doubles<false>(Warp&, const Instruction&, uint32_t,
                                           uint32_t, Direction, Path);

}  // namespace rungs::cpu_device
