#include "cpu_device/program/allocator.hpp"

#include <algorithm>
#include <set>

namespace rungs::cpu_device {
namespace {

constexpr size_t field_count = 6;

uint32_t* fields_of(Instruction& in) { return &in.d; }

/// A set of values as bits.
class ValueSet {
 public:
  explicit ValueSet(size_t count) : words_((count + 63) / 64) {}
  void add(uint32_t i) { words_[i / 64] |= uint64_t{1} << i % 64; }
  void remove(uint32_t i) { words_[i / 64] &= ~(uint64_t{1} << i % 64); }
  /// \return whether anything was new
  bool add(const ValueSet& other) {
    uint64_t news = 0;
    for (size_t i = 0; i < words_.size(); ++i) {
      news |= other.words_[i] & ~words_[i];
      words_[i] |= other.words_[i];
    }
    return news != 0;
  }
  template <class F>
  void each(F f) const {
    for (size_t i = 0; i < words_.size(); ++i) {
      for (uint64_t bits = words_[i]; bits != 0; bits &= bits - 1) {
        f(static_cast<uint32_t>(64 * i +
                                static_cast<size_t>(__builtin_ctzll(bits))));
      }
    }
  }

 private:
  std::vector<uint64_t> words_;
};

bool in_register(const Value& value) {
  return value.kind == Value::Kind::predicate || value.kind == Value::Kind::reg32 ||
         value.kind == Value::Kind::reg64;
}

// Calls f(value, written) for each register operand, reads first.
template <class F>
void each_operand(Draft& draft, uint32_t index, F f) {
  Instruction& in = draft.instructions[index];
  const Draft::Accesses& accesses = draft.accesses[index];
  uint32_t* fields = fields_of(in);
  const auto visit = [&](uint32_t value, bool written) {
    if (in_register(draft.values[value])) f(value, written);
  };
  for (size_t i = 0; i < field_count; ++i) {
    if (accesses.read >> i & 1) visit(fields[i], false);
  }
  if (in.guard != absent) visit(in.guard, false);
  for (size_t i = 0; i < field_count; ++i) {
    if (accesses.written >> i & 1) visit(fields[i], true);
  }
}

std::vector<Block> find_blocks(const Draft& draft) {
  std::set<uint32_t> leaders = {0};
  const uint32_t count = static_cast<uint32_t>(draft.instructions.size());
  leaders.insert(draft.label_positions.begin(), draft.label_positions.end());
  for (const auto& [index, ending] : draft.endings) {
    if (ending.members != absent || ending.exit == Exit::barrier)
      leaders.insert(index);
    if (ending.exit != Exit::next) leaders.insert(index + 1);
  }
  leaders.erase(count);
  std::vector<Block> blocks;
  for (const uint32_t leader : leaders) {
    if (!blocks.empty()) blocks.back().end = leader;
    blocks.push_back({leader, count, Exit::next, 0, absent});
  }
  return blocks;
}

uint32_t block_at(const std::vector<Block>& blocks, uint32_t instruction) {
  const auto after = std::upper_bound(
      blocks.begin(), blocks.end(), instruction,
      [](uint32_t i, const Block& block) { return i < block.first; });
  return static_cast<uint32_t>(after - blocks.begin()) - 1;
}

void link_blocks(const Draft& draft, Program& program) {
  for (Block& block : program.blocks) {
    const auto first = draft.endings.find(block.first);
    if (first != draft.endings.end()) block.members = first->second.members;
    const auto last = draft.endings.find(block.end - 1);
    if (last == draft.endings.end()) continue;
    block.exit = last->second.exit;
    if (block.exit == Exit::branch) {
      block.target =
          block_at(program.blocks, draft.label_positions[last->second.label]);
    } else if (block.exit == Exit::table) {
      block.target = last->second.label;
    }
  }
  for (const std::vector<uint32_t>& labels : draft.tables) {
    std::vector<uint32_t> targets;
    for (const uint32_t label : labels) {
      targets.push_back(block_at(program.blocks, draft.label_positions[label]));
    }
    program.tables.push_back(std::move(targets));
  }
}

std::vector<uint32_t> successors(const Draft& draft, const Program& program,
                                 uint32_t index) {
  const Block& block = program.blocks[index];
  const bool guarded = draft.instructions[block.end - 1].guard != absent;
  std::vector<uint32_t> next;
  if (block.exit == Exit::branch) next.push_back(block.target);
  if (block.exit == Exit::table) next = program.tables[block.target];
  const bool falls =
      block.exit == Exit::next || block.exit == Exit::barrier || guarded;
  if (falls && index + 1 < program.blocks.size()) next.push_back(index + 1);
  return next;
}

/// The instructions from which to which a value is needed.
struct Interval {
  uint32_t value, begin = absent, end = 0;
  void extend(uint32_t position) {
    begin = begin == absent ? position : std::min(begin, position);
    end = std::max(end, position);
  }
};

std::vector<Interval> find_intervals(Draft& draft, const Program& program) {
  const size_t values = draft.values.size(), blocks = program.blocks.size();
  std::vector<ValueSet> live_in(blocks, ValueSet(values)),
      live_out(blocks, ValueSet(values));
  // A block's live-in set from its live-out set, backward. A write under a guard,
  // or by some of the lanes, does not end what was there: the other lanes keep it.
  const auto transfer = [&](uint32_t block) {
    ValueSet live = live_out[block];
    for (uint32_t i = program.blocks[block].end;
         i-- > program.blocks[block].first;) {
      if (draft.instructions[i].guard == absent) {
        each_operand(draft, i, [&](uint32_t v, bool written) {
          if (written) live.remove(v);
        });
      }
      each_operand(draft, i, [&](uint32_t v, bool written) {
        if (!written) live.add(v);
      });
    }
    return live;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b = static_cast<uint32_t>(blocks); b-- > 0;) {
      bool news = false;
      for (const uint32_t next : successors(draft, program, b)) {
        news = live_out[b].add(live_in[next]) || news;
      }
      changed = live_in[b].add(transfer(b)) || news || changed;
    }
  }
  std::vector<Interval> intervals(values);
  for (uint32_t v = 0; v < values; ++v) intervals[v].value = v;
  for (uint32_t b = 0; b < blocks; ++b) {
    const Block& block = program.blocks[b];
    live_in[b].each([&](uint32_t v) { intervals[v].extend(block.first); });
    live_out[b].each([&](uint32_t v) { intervals[v].extend(block.end); });
    for (uint32_t i = block.first; i < block.end; ++i) {
      each_operand(draft, i, [&](uint32_t v, bool) { intervals[v].extend(i); });
    }
  }
  std::erase_if(intervals,
                [](const Interval& interval) { return interval.begin == absent; });
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  return intervals;
}

/// Hands out slots of one size; a slot is free again after its interval's last
/// instruction.
class SlotPool {
 public:
  uint32_t take(const Interval& interval) {
    while (!busy_.empty() && busy_.begin()->first < interval.begin) {
      free_.insert(busy_.begin()->second);
      busy_.erase(busy_.begin());
    }
    uint32_t slot = count_;
    if (free_.empty()) {
      ++count_;
    } else {
      slot = *free_.begin();
      free_.erase(free_.begin());
    }
    busy_.emplace(interval.end, slot);
    return slot;
  }
  uint32_t count() const { return count_; }

 private:
  std::multimap<uint32_t, uint32_t> busy_;
  std::set<uint32_t> free_;
  uint32_t count_ = 0;
};

uint32_t align64(uint32_t bytes) { return (bytes + 63) / 64 * 64; }

// Gives every value its frame offset.
std::vector<uint32_t> place_values(Draft& draft, Program& program,
                                   uint32_t* registers) {
  SlotPool predicates, words, doubles;
  std::vector<uint32_t> slot(draft.values.size(), absent);
  for (const Interval& interval : find_intervals(draft, program)) {
    const Value::Kind kind = draft.values[interval.value].kind;
    SlotPool& pool = kind == Value::Kind::predicate ? predicates
                     : kind == Value::Kind::reg32   ? words
                                                    : doubles;
    slot[interval.value] = pool.take(interval);
  }
  *registers = words.count() + 2 * doubles.count();
  const uint32_t words_at = align64(4 * predicates.count());
  const uint32_t doubles_at = words_at + 4 * lanes * words.count();
  uint32_t end = doubles_at + 8 * lanes * doubles.count();
  std::vector<uint32_t> offset(draft.values.size(), absent);
  for (uint32_t v = 0; v < draft.values.size(); ++v) {
    const Value& value = draft.values[v];
    switch (value.kind) {
      case Value::Kind::predicate:
        offset[v] = slot[v] == absent ? absent : 4 * slot[v];
        break;
      case Value::Kind::reg32:
        offset[v] = words_at + 4 * lanes * slot[v];
        break;
      case Value::Kind::reg64:
        offset[v] = doubles_at + 8 * lanes * slot[v];
        break;
      case Value::Kind::constant:
        offset[v] = end;
        program.constants.push_back({end, value.wide, value.bits});
        break;
      case Value::Kind::special:
        offset[v] = end;
        program.specials.push_back(
            {end, value.wide, static_cast<Special>(value.bits)});
        break;
    }
    if (!in_register(value)) end += (value.wide ? 8 : 4) * lanes;
  }
  program.frame_bytes = align64(end);
  return offset;
}

}  // namespace

Program finish_program(Draft draft, uint32_t* registers) {
  Program program;
  program.blocks = find_blocks(draft);
  link_blocks(draft, program);
  const std::vector<uint32_t> offset = place_values(draft, program, registers);
  for (uint32_t i = 0; i < draft.instructions.size(); ++i) {
    Instruction& in = draft.instructions[i];
    const uint8_t bound = draft.accesses[i].read | draft.accesses[i].written;
    uint32_t* fields = fields_of(in);
    for (size_t f = 0; f < field_count; ++f) {
      if (bound >> f & 1) fields[f] = offset[fields[f]];
    }
    if (in.guard != absent) in.guard = offset[in.guard];
  }
  for (Block& block : program.blocks) {
    if (block.members != absent) block.members = offset[block.members];
  }
  program.instructions = std::move(draft.instructions);
  program.origins = std::move(draft.origins);
  program.memory = std::move(draft.memory);
  program.static_shared_bytes = draft.static_shared_bytes;
  program.local_bytes = (draft.local_bytes + 15) / 16 * 16;
  return program;
}

}  // namespace rungs::cpu_device
