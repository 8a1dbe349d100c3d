/// \file
/// cp.async (PTX ISA, "Data Movement and Conversion Instructions: Asynchronous
/// copy"). A copy takes effect at the wait that completes it and not before: a
/// kernel that forgets the wait reads old data here, as it may on the machine.
#include <algorithm>
#include <cstring>

#include "cpu_device/warp/memory_path.hpp"

namespace rungs::cpu_device {
namespace {

using ptx::Type;

// cp.async.{ca,cg}.shared.global [dst], [src], bytes{, source bytes or ignore
// predicate}
void issue(Warp& warp, const Instruction& in, uint32_t mask) {
  const uint32_t bytes = in.detail >> 4;
  Instruction source = in, target = in;
  source.a = in.b;
  source.detail = in.detail >> 1 & 1;
  source.immediate = in.immediate >> 32;
  target.detail = in.detail & 1;
  target.immediate = static_cast<int32_t>(in.immediate);
  const LaneAddresses to = lane_addresses(warp, target, mask);
  const LaneAddresses from = lane_addresses(warp, source, mask);
  for (uint32_t i = 0; i < lanes; ++i) {
    if (!(mask >> i & 1)) continue;
    const uint32_t copied =
        in.c == absent ? bytes : std::min(bytes, warp.words(in.c)[i]);
    if (to[i] + bytes > warp.block->shared.size() || to[i] % bytes != 0) {
      route_shared(warp, in, 1u << i, bytes, Direction::store, to);  // faults
    }
    warp.copies.push_back({i, static_cast<uint32_t>(to[i]), bytes, copied, from[i],
                           warp.copy_group[i],
                           static_cast<uint32_t>(warp.instruction_index(in))});
  }
  // The global side is read when the copy is issued, as far as checks and counts
  // go.
  uint32_t reading = 0;
  for (uint32_t i = 0; i < lanes; ++i) {
    if ((mask >> i & 1) && (in.c == absent || warp.words(in.c)[i] != 0))
      reading |= 1u << i;
  }
  if (reading)
    route_global(warp, in, reading, bytes, Direction::load, from, Path::global);
}

// Carries out a lane's copies of the groups below the limit.
void complete(Warp& warp, uint32_t mask, uint32_t pending_groups, bool everything) {
  auto keep = warp.copies.begin();
  for (auto copy = warp.copies.begin(); copy != warp.copies.end(); ++copy) {
    const uint32_t closed = warp.copy_group[copy->lane];
    const bool done = (mask >> copy->lane & 1) &&
                      (everything || copy->group + pending_groups < closed);
    if (!done) {
      *keep++ = *copy;
      continue;
    }
    const Instruction& in = warp.block->program->instructions[copy->instruction];
    const uint32_t lane = 1u << copy->lane;
    if (warp.block->shadow) {
      shadow_access(warp, in, lane, copy->bytes, Direction::store,
                    copy->shared_address, {});
    }
    std::byte* target = warp.block->shared.data() + copy->shared_address;
    std::memset(target, 0, copy->bytes);
    if (copy->copied != 0) {
      const auto allocation = warp.block->memory->find(copy->source);
      std::memcpy(
          target,
          reinterpret_cast<const std::byte*>(
              copy->source + static_cast<uint64_t>(allocation->host_offset)),
          copy->copied);
    }
  }
  warp.copies.erase(keep, warp.copies.end());
}

}  // namespace

bool decode_async_copy(Builder& b) {
  if (b.opcode() != "cp" || !b.take("async")) return false;
  if (b.take("commit_group")) {
    Instruction in = b.make();
    bind_handler(in, [](Warp& warp, const Instruction&, uint32_t mask) {
      for (uint32_t i = 0; i < lanes; ++i) warp.copy_group[i] += mask >> i & 1;
    });
    finish(b, in, InstructionClass::other);
    return true;
  }
  if (b.take("wait_group") || b.take("wait_all")) {
    Instruction in = b.make();
    in.immediate =
        b.operands().empty() ? -1 : static_cast<int64_t>(b.operand(0).bits);
    bind_handler(in, [](Warp& warp, const Instruction& i, uint32_t mask) {
      complete(warp, mask, static_cast<uint32_t>(i.immediate), i.immediate < 0);
    });
    finish(b, in, InstructionClass::other);
    return true;
  }
  const bool all_levels = b.take("ca"), cached_globally = b.take("cg");
  if (all_levels == cached_globally) b.unsupported();
  if (!b.take("shared") && !b.take("shared::cta")) b.unsupported();
  if (!b.take("global")) b.unsupported();
  for (const char* word : {"L2::64B", "L2::128B", "L2::256B"}) b.take(word);
  const bool hinted = b.take("L2::cache_hint");  // and a policy, the last operand
  const uint64_t bytes = b.operand(2).bits;
  if (bytes != 4 && bytes != 8 && bytes != 16) b.unsupported();
  Instruction in = b.make();
  const uint32_t to = b.read_address(in, in.a, b.operand(0));
  const int64_t to_offset = in.immediate;
  const uint32_t from = b.read_address(in, in.b, b.operand(1));
  const int64_t from_offset = in.immediate;
  in.immediate = from_offset << 32 | (to_offset & 0xFFFFFFFF);
  in.detail =
      static_cast<uint16_t>((to == 8 ? 1 : 0) | (from == 8 ? 2 : 0) | bytes << 4);
  if (b.operands().size() == (hinted ? 5 : 4)) {
    if (b.register_type(b.operand(3)) == Type::pred) b.unsupported();
    b.read(in, in.c, b.operand(3), Type::u32);
  }
  bind_handler(in, &issue);
  b.count_access(in, MemoryAccess::Kind::load, static_cast<uint32_t>(bytes));
  finish(b, in, InstructionClass::global);
  return true;
}

}  // namespace rungs::cpu_device
