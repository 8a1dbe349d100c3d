#include "cpu_device/warp/scheduler.hpp"

#include <algorithm>
#include <bit>

#include "cpu_device/warp/control.hpp"

namespace rungs::cpu_device {
namespace {

// A warp that spins on what another warp will write lets it run after so many
// instructions.
constexpr uint64_t slice = 1 << 20;

std::string lanes_text(uint32_t mask) {
  std::string text;
  for (uint32_t i = 0; i < lanes; ++i) {
    if (!(mask >> i & 1)) continue;
    uint32_t last = i;
    while (last + 1 < lanes && (mask >> (last + 1) & 1)) ++last;
    if (!text.empty()) text += ",";
    text += std::to_string(i);
    if (last > i) text += "-" + std::to_string(last);
    i = last;
  }
  return text;
}

}  // namespace

void Scheduler::prepare() { times_.assign(context_.program->blocks.size(), {}); }

inline uint32_t Scheduler::guarded(const Warp& warp, const Instruction& in,
                                   uint32_t mask) const {
  if (in.guard == absent) return mask;
  return mask & (warp.predicate(in.guard) ^ (in.guard_negated ? all_lanes : 0));
}

inline void Scheduler::execute(Warp& warp, const Block& block) {
  const Instruction* in = context_.program->instructions.data() + block.first;
  const Instruction* end = context_.program->instructions.data() + block.end;
  if (block.exit != Exit::next) --end;
  const uint32_t mask = warp.current.mask;
  const bool full = mask == all_lanes;
  for (; in != end; ++in) {
    if (in->guard == absent) {
      (full ? in->full : in->partial)(warp, *in, mask);
      continue;
    }
    const uint32_t passed = guarded(warp, *in, mask);
    if (passed == 0) continue;
    context_.guarded_lanes[warp.instruction_index(*in)] +=
        static_cast<uint64_t>(std::popcount(passed));
    (passed == all_lanes ? in->full : in->partial)(warp, *in, passed);
  }
}

bool Scheduler::converged(const Warp& warp, const Group& group) const {
  const Block& block = context_.program->blocks[group.block];
  uint32_t wanted = 0;
  if (block.exit == Exit::barrier) wanted = warp.live;
  if (block.members != absent) {
    const uint32_t lane = first_lane(group.mask);
    wanted = warp.words(block.members)[lane] & warp.live;
  }
  return (wanted & ~group.mask) == 0;
}

void Scheduler::choose_group(Warp& warp) {
  std::vector<Group>& others = warp.others;
  if (others.size() == 1 && warp.current.mask != 0) {
    // The usual two sides of a branch.
    Group& other = others.front();
    if (other.block == warp.current.block) {
      warp.current = {other.block, other.mask | warp.current.mask, false};
      others.clear();
      return;
    }
    if (!other.held && !warp.current.held) {
      if (other.block < warp.current.block) std::swap(other, warp.current);
      return;
    }
  }
  if (warp.current.mask != 0) others.push_back(warp.current);
  // Merge groups that have come to the same place.
  for (size_t i = 0; i < others.size(); ++i) {
    for (size_t j = i + 1; j < others.size();) {
      if (others[j].block == others[i].block) {
        others[i].mask |= others[j].mask;
        others[i].held = false;
        others.erase(others.begin() + static_cast<ptrdiff_t>(j));
      } else {
        ++j;
      }
    }
  }
  const auto lowest = [&] {
    auto best = others.end();
    for (auto it = others.begin(); it != others.end(); ++it) {
      if (!it->held && (best == others.end() || it->block < best->block)) best = it;
    }
    return best;
  };
  auto best = lowest();
  if (best == others.end()) {
    // All are held; lanes that ended since may have been what one of them waited
    // for.
    for (Group& group : others) group.held = !converged(warp, group);
    best = lowest();
    if (best == others.end()) divergent(warp);
  }
  warp.current = *best;
  others.erase(best);
}

void Scheduler::divergent(const Warp& warp) const {
  const Group& first = *std::min_element(
      warp.others.begin(), warp.others.end(),
      [](const Group& a, const Group& b) { return a.block < b.block; });
  const Instruction& in =
      context_.program->instructions[context_.program->blocks[first.block].first];
  std::string others;
  for (const Group& group : warp.others) {
    if (group.block == first.block) continue;
    const Block& block = context_.program->blocks[group.block];
    others += (others.empty() ? "" : "; ") + std::string("lanes ") +
              lanes_text(group.mask) + " at line " +
              std::to_string(context_.program->origins[block.first].source.line);
  }
  context_.fault(FaultKind::divergent_barrier, warp, in, first_lane(first.mask),
                 "waits with lanes " + lanes_text(first.mask) +
                     " of a warp for lanes that wait elsewhere (" + others + ")");
}

inline void Scheduler::branch(Warp& warp, const Block& block) {
  const Instruction& in = context_.program->instructions[block.end - 1];
  const uint32_t taken = guarded(warp, in, warp.current.mask);
  const uint32_t stays = warp.current.mask & ~taken;
  if (taken == 0) {
    ++warp.current.block;
  } else {
    if (stays != 0) warp.others.push_back({warp.current.block + 1, stays, false});
    warp.current = {block.target, taken, false};
  }
}

bool Scheduler::leave(Warp& warp, const Block& block) {
  const Instruction& in = context_.program->instructions[block.end - 1];
  const uint32_t ending = guarded(warp, in, warp.current.mask);
  warp.live &= ~ending;
  warp.current.mask &= ~ending;
  ++warp.current.block;
  return warp.live != 0;
}

void Scheduler::jump_by_table(Warp& warp, const Block& block) {
  const Instruction& in = context_.program->instructions[block.end - 1];
  const std::vector<uint32_t>& table = context_.program->tables[block.target];
  uint32_t left = warp.current.mask;
  while (left != 0) {
    const uint32_t lane = first_lane(left);
    const uint32_t index = warp.words(in.a)[lane];
    if (index >= table.size()) {
      context_.fault(FaultKind::trap, warp, in, lane,
                     "jumps by entry " + std::to_string(index) + " of a table of " +
                         std::to_string(table.size()));
    }
    uint32_t together = 0;
    for (uint32_t i = lane; i < lanes; ++i) {
      if ((left >> i & 1) && warp.words(in.a)[i] == index) together |= 1u << i;
    }
    warp.others.push_back({table[index], together, false});
    left &= ~together;
  }
  warp.current.mask = 0;
}

Scheduler::Status Scheduler::advance(Warp& warp) {
  const uint64_t stop = executed_ + slice;
  const Block* const blocks = context_.program->blocks.data();
  for (;;) {
    if (!warp.others.empty() || warp.current.mask == 0) choose_group(warp);
    const Block& block = blocks[warp.current.block];
    // All live lanes together are whom any instruction can wait for.
    if (warp.current.mask != warp.live && !converged(warp, warp.current)) {
      warp.current.held = true;
      continue;
    }
    BlockTimes& times = times_[warp.current.block];
    ++times.warps;
    times.lanes += static_cast<uint64_t>(std::popcount(warp.current.mask));
    executed_ += block.end - block.first;
    if (executed_ > context_.launch->budget) {
      const Instruction& in = context_.program->instructions[block.first];
      context_.fault(FaultKind::budget, warp, in, first_lane(warp.current.mask),
                     "has run " + std::to_string(context_.launch->budget) +
                         " warp instructions in one block and does not end");
    }
    execute(warp, block);
    switch (block.exit) {
      case Exit::next:
        ++warp.current.block;
        break;
      case Exit::branch:
        branch(warp, block);
        break;
      case Exit::table:
        jump_by_table(warp, block);
        break;
      case Exit::leave:
        if (!leave(warp, block)) return Status::ended;
        break;
      case Exit::barrier: {
        const Instruction& in = context_.program->instructions[block.end - 1];
        ++warp.current.block;
        if (barriers_.arrive(warp, in)) return Status::waiting;
        break;
      }
    }
    if (executed_ > stop) return Status::paused;
  }
}

void Scheduler::run(std::vector<Warp>& warps) {
  barriers_.begin();
  executed_ = 0;
  status_.assign(warps.size(), Status::paused);
  size_t ended = 0;
  while (ended < warps.size()) {
    bool ran = false;
    for (size_t w = 0; w < warps.size(); ++w) {
      if (status_[w] != Status::paused) continue;
      status_[w] = advance(warps[w]);
      ended += status_[w] == Status::ended;
      ran = true;
    }
    const uint32_t freed = barriers_.complete(warps);
    for (uint32_t left = freed; left != 0; left &= left - 1) {
      status_[first_lane(left)] = Status::paused;
    }
    if (!ran && freed == 0 && ended < warps.size()) barriers_.stuck(warps);
  }
}

}  // namespace rungs::cpu_device
