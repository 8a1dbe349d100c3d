#include "cpu_device/warp/barriers.hpp"

#include <bit>

#include "cpu_device/warp/control.hpp"

namespace rungs::cpu_device {
namespace {

uint32_t ended_threads(const std::vector<Warp>& warps) {
  uint32_t count = 0;
  for (const Warp& warp : warps) {
    count += static_cast<uint32_t>(std::popcount(warp.begun & ~warp.live));
  }
  return count;
}

}  // namespace

void Barriers::begin() {
  for (; used_ != 0; used_ &= used_ - 1) barriers_[first_lane(used_)] = {};
}

bool Barriers::arrive(Warp& warp, const Instruction& in) {
  const uint32_t lane = first_lane(warp.live);
  const uint32_t number = warp.words(in.a)[lane];
  if (number >= barriers_.size()) {
    context_.fault(
        FaultKind::divergent_barrier, warp, in, lane,
        "names barrier " + std::to_string(number) + ", but a block has 16");
  }
  Barrier& barrier = barriers_[number];
  used_ |= 1u << number;
  const BarrierKind kind = barrier_kind(in.detail);
  barrier.instruction = &in;
  barrier.arrived |= 1u << warp.index;
  barrier.expected = in.b == absent ? 0 : warp.words(in.b)[lane];
  if (barrier.expected % lanes != 0) {
    context_.fault(FaultKind::divergent_barrier, warp, in, lane,
                   "gives a barrier " + std::to_string(barrier.expected) +
                       " threads, which is no multiple of 32");
  }
  if (kind == BarrierKind::arrive) return false;
  barrier.waiting |= 1u << warp.index;
  waits_at_[warp.index] = &in;
  if (kind != BarrierKind::sync) {
    const uint32_t votes =
        (warp.predicate(in.c) ^ (in.detail & barrier_negated ? all_lanes : 0)) &
        warp.live;
    barrier.count += static_cast<uint32_t>(std::popcount(votes));
    barrier.voters += static_cast<uint32_t>(std::popcount(warp.live));
  }
  return true;
}

bool Barriers::ready(const Barrier& barrier, const std::vector<Warp>& warps) const {
  if (barrier.arrived == 0) return false;
  if (barrier.expected != 0) {
    return lanes * static_cast<uint32_t>(std::popcount(barrier.arrived)) >=
           barrier.expected;
  }
  for (const Warp& warp : warps) {
    if (warp.live != 0 && !(barrier.arrived >> warp.index & 1)) return false;
  }
  // Everyone who still runs is here: so must have been everyone who does not.
  if (const uint32_t ended = ended_threads(warps); ended != 0) {
    const Warp& warp = warps[first_lane(barrier.arrived)];
    context_.fault(FaultKind::divergent_barrier, warp, *barrier.instruction,
                   warp.live == 0 ? 0 : first_lane(warp.live),
                   "waits at a barrier that " + std::to_string(ended) +
                       " threads of the block ended without reaching");
  }
  return true;
}

void Barriers::finish(Barrier& barrier, const std::vector<Warp>& warps) {
  if (context_.shadow) context_.shadow->barrier(barrier.arrived);
  for (const Warp& warp : warps) {
    if (!(barrier.waiting >> warp.index & 1)) continue;
    const Instruction& in = *waits_at_[warp.index];
    switch (barrier_kind(in.detail)) {
      case BarrierKind::sync:
      case BarrierKind::arrive:
        break;
      case BarrierKind::count:
        for (uint32_t i = 0; i < lanes; ++i) {
          if (warp.live >> i & 1) warp.words(in.d)[i] = barrier.count;
        }
        break;
      case BarrierKind::all:
      case BarrierKind::any: {
        const bool value = barrier_kind(in.detail) == BarrierKind::all
                               ? barrier.count == barrier.voters
                               : barrier.count != 0;
        uint32_t& d = warp.predicate(in.d);
        d = value ? d | warp.live : d & ~warp.live;
        break;
      }
    }
  }
}

uint32_t Barriers::complete(const std::vector<Warp>& warps) {
  uint32_t freed = 0;
  for (uint32_t left = used_; left != 0; left &= left - 1) {
    const uint32_t number = first_lane(left);
    Barrier& barrier = barriers_[number];
    if (!ready(barrier, warps)) continue;
    finish(barrier, warps);
    freed |= barrier.waiting;
    barrier = {};
    used_ &= ~(1u << number);
  }
  return freed;
}

void Barriers::stuck(const std::vector<Warp>& warps) const {
  for (const Barrier& barrier : barriers_) {
    if (barrier.waiting == 0) continue;
    const Warp& warp = warps[first_lane(barrier.waiting)];
    const std::string expected =
        barrier.expected == 0 ? "all threads of the block"
                              : std::to_string(barrier.expected) + " threads";
    context_.fault(FaultKind::divergent_barrier, warp, *barrier.instruction,
                   first_lane(warp.live),
                   "waits at a barrier for " + expected + ", but only " +
                       std::to_string(lanes * std::popcount(barrier.arrived)) +
                       " ever reach it");
  }
  throw Fault(FaultKind::divergent_barrier,
              "divergent barrier: a block's warps all wait");
}

}  // namespace rungs::cpu_device
