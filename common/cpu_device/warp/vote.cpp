/// \file
/// vote, match, redux, activemask, elect, bar.warp.sync (PTX ISA, "Parallel
/// Synchronization and Communication Instructions").
#include <bit>

#include "cpu_device/warp/lanewise.hpp"

namespace rungs::cpu_device {
namespace {

using ptx::Type;

uint32_t votes_of(const Warp& warp, const Instruction& in, uint32_t mask) {
  return (warp.predicate(in.a) ^ (in.detail & 1 ? all_lanes : 0)) & mask;
}

void set_all(Warp& warp, uint32_t field, uint32_t mask, bool value) {
  uint32_t& d = warp.predicate(field);
  d = value ? d | mask : d & ~mask;
}

void set_words(Warp& warp, uint32_t field, uint32_t mask, uint32_t value) {
  uint32_t* d = warp.words(field);
  for (uint32_t i = 0; i < lanes; ++i) d[i] = mask >> i & 1 ? value : d[i];
}

void vote(Builder& b) {
  if (!b.take("sync")) b.unsupported();
  Instruction in = b.make();
  const bool ballot = b.take("ballot");
  b.write(in, in.d, b.operand(0), ballot ? Type::b32 : Type::pred);
  b.read(in, in.a, b.operand(1), Type::pred);
  b.read(in, in.f, b.operand(2), Type::b32);
  in.detail = b.operand(1).negated ? 1 : 0;
  if (ballot) {
    b.take("b32");
    bind_handler(in, [](Warp& warp, const Instruction& i, uint32_t mask) {
      set_words(warp, i.d, mask, votes_of(warp, i, mask));
    });
  } else {
    if (b.take("all")) {
      bind_handler(in, [](Warp& warp, const Instruction& i, uint32_t mask) {
        set_all(warp, i.d, mask, votes_of(warp, i, mask) == mask);
      });
    } else if (b.take("any")) {
      bind_handler(in, [](Warp& warp, const Instruction& i, uint32_t mask) {
        set_all(warp, i.d, mask, votes_of(warp, i, mask) != 0);
      });
    } else if (b.take("uni")) {
      bind_handler(in, [](Warp& warp, const Instruction& i, uint32_t mask) {
        const uint32_t votes = votes_of(warp, i, mask);
        set_all(warp, i.d, mask, votes == 0 || votes == mask);
      });
    }
    b.take("pred");
  }
  const uint32_t members = in.f;
  b.begin_synchronous(finish(b, in, InstructionClass::vote, Origin::Tally::vote),
                      members);
}

// match.any: who has my value; match.all: everyone if all values are equal, else no
// one.
template <class T>
void match_any(Warp& warp, const Instruction& in, uint32_t mask) {
  const auto* a = slots<T>(warp, in.a);
  for (uint32_t i = 0; i < lanes; ++i) {
    if (!(mask >> i & 1)) continue;
    uint32_t equal = 0;
    for (uint32_t j = 0; j < lanes; ++j) {
      if ((mask >> j & 1) && a[j] == a[i]) equal |= 1u << j;
    }
    warp.words(in.d)[i] = equal;
  }
}

template <class T>
void match_all(Warp& warp, const Instruction& in, uint32_t mask) {
  const auto* a = slots<T>(warp, in.a);
  const uint32_t first = static_cast<uint32_t>(std::countr_zero(mask));
  bool all = true;
  for (uint32_t i = 0; i < lanes; ++i)
    all = all && (!(mask >> i & 1) || a[i] == a[first]);
  set_words(warp, in.d, mask, all ? mask : 0);
  if (in.e != absent) set_all(warp, in.e, mask, all);
}

void match(Builder& b) {
  const bool any = b.take("any"), all = b.take("all");
  if (!b.take("sync") || any == all) b.unsupported();
  const Type type = b.take_type();
  Instruction in = b.make();
  const ptx::Operand& destination = b.operand(0);
  b.write(in, in.d, destination.pair ? destination.elements[0] : destination,
          Type::b32);
  if (destination.pair) b.write(in, in.e, destination.elements[1], Type::pred);
  b.read(in, in.a, b.operand(1), type);
  b.read(in, in.f, b.operand(2), Type::b32);
  const bool is_wide = ptx::bytes_of(type) == 8;
  if (any)
    bind_handler(in, is_wide ? &match_any<uint64_t> : &match_any<uint32_t>);
  else
    bind_handler(in, is_wide ? &match_all<uint64_t> : &match_all<uint32_t>);
  const uint32_t members = in.f;
  b.begin_synchronous(finish(b, in, InstructionClass::vote, Origin::Tally::vote),
                      members);
}

template <class T, class F>
void reduce(Warp& warp, const Instruction& in, uint32_t mask) {
  const auto* a = slots<T>(warp, in.a);
  const uint32_t first = static_cast<uint32_t>(std::countr_zero(mask));
  T result = from_slot<T>(a[first]);
  for (uint32_t i = first + 1; i < lanes; ++i) {
    if (mask >> i & 1) result = static_cast<T>(F{}(result, from_slot<T>(a[i])));
  }
  set_words(warp, in.d, mask, to_slot<T>(result));
}

template <class T, class F>
void bind_reduce(Instruction& in, F) {
  bind_handler(in, &reduce<T, F>);
}

template <class T>
void choose_reduction(Builder& b, Instruction& in) {
  if (b.take("add"))
    bind_reduce<T>(in, [](T x, T y) { return uint32_t(x) + uint32_t(y); });
  else if (b.take("min"))
    bind_reduce<T>(in, [](T x, T y) { return x < y ? x : y; });
  else if (b.take("max"))
    bind_reduce<T>(in, [](T x, T y) { return x > y ? x : y; });
  else if (b.take("and"))
    bind_reduce<T>(in, [](T x, T y) { return x & y; });
  else if (b.take("or"))
    bind_reduce<T>(in, [](T x, T y) { return x | y; });
  else if (b.take("xor"))
    bind_reduce<T>(in, [](T x, T y) { return x ^ y; });
}

void reduction(Builder& b) {
  if (!b.take("sync")) b.unsupported();
  const Type type = b.take_type();
  if (ptx::bytes_of(type) != 4 || ptx::is_float(type)) b.unsupported();
  Instruction in = b.make();
  b.write(in, in.d, b.operand(0), type);
  b.read(in, in.a, b.operand(1), type);
  b.read(in, in.f, b.operand(2), Type::b32);
  if (type == Type::s32)
    choose_reduction<int32_t>(b, in);
  else
    choose_reduction<uint32_t>(b, in);
  const uint32_t members = in.f;
  b.begin_synchronous(finish(b, in, InstructionClass::vote, Origin::Tally::vote),
                      members);
}

// elect.sync d|p, members: the lowest lane is the leader.
void elect(Builder& b) {
  if (!b.take("sync") || !b.operand(0).pair) b.unsupported();
  Instruction in = b.make();
  b.write(in, in.d, b.operand(0).elements[0], Type::b32);
  b.write(in, in.e, b.operand(0).elements[1], Type::pred);
  b.read(in, in.f, b.operand(1), Type::b32);
  bind_handler(in, [](Warp& warp, const Instruction& i, uint32_t mask) {
    const uint32_t leader = static_cast<uint32_t>(std::countr_zero(mask));
    set_words(warp, i.d, mask, leader);
    set_all(warp, i.e, mask, false);
    set_all(warp, i.e, 1u << leader, true);
  });
  const uint32_t members = in.f;
  b.begin_synchronous(finish(b, in, InstructionClass::vote, Origin::Tally::vote),
                      members);
}

}  // namespace

bool decode_vote(Builder& b) {
  const std::string_view op = b.opcode();
  if (op == "vote") {
    vote(b);
  } else if (op == "match") {
    match(b);
  } else if (op == "redux") {
    reduction(b);
  } else if (op == "elect") {
    elect(b);
  } else if (op == "activemask") {
    b.take("b32");
    Instruction in = b.make();
    b.write(in, in.d, b.operand(0), Type::b32);
    bind_handler(in, [](Warp& warp, const Instruction& i, uint32_t mask) {
      set_words(warp, i.d, mask, mask);
    });
    finish(b, in, InstructionClass::vote, Origin::Tally::vote);
  } else if ((op == "bar" || op == "barrier") && b.take("warp")) {
    if (!b.take("sync")) b.unsupported();
    Instruction in = b.make();
    b.read(in, in.f, b.operand(0), Type::b32);
    bind_handler(in, [](Warp&, const Instruction&, uint32_t) {});
    const uint32_t members = in.f;
    b.begin_synchronous(finish(b, in, InstructionClass::barrier), members);
  } else {
    return false;
  }
  return true;
}

}  // namespace rungs::cpu_device
