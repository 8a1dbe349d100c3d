/// \file
/// setp, set, selp, slct (PTX ISA, "Comparison and Selection Instructions").
#ifdef __AVX2__
#include <immintrin.h>
#endif

#include <array>
#include <cmath>
#include <cstring>

#include "cpu_device/warp/floating.hpp"

namespace rungs::cpu_device {
namespace {

using ptx::Type;

enum Detail : uint16_t {
  op_and = 1,
  op_or = 2,
  op_xor = 3,
  combine = 3,  ///< mask of the three above
  negate_c = 4,
  flushes = 8,
  as_float = 16,
};

// The highest bits of 32 bytes.
uint32_t packed(const std::array<uint8_t, lanes>& held) {
#ifdef __AVX2__
  __m256i bytes;
  std::memcpy(&bytes, held.data(), sizeof bytes);
  return static_cast<uint32_t>(_mm256_movemask_epi8(bytes));
#else
  uint32_t result = 0;
  for (uint32_t i = 0; i < lanes; ++i) result |= uint32_t{held[i]} >> 7 << i;
  return result;
#endif
}

// The comparison's name is known when decoding: one handler each.
template <class T, class F>
uint32_t compare_lanes(const Warp& warp, const Instruction& in, F f) {
  const auto* a = slots<T>(warp, in.a);
  const auto* b = slots<T>(warp, in.b);
  std::array<uint8_t, lanes> held;
  if constexpr (std::is_same_v<T, float>) {
    if (in.detail & flushes) {
      for (uint32_t i = 0; i < lanes; ++i) {
        held[i] = f(flush(from_slot<T>(a[i])), flush(from_slot<T>(b[i]))) ? 255 : 0;
      }
      return packed(held);
    }
  }
  for (uint32_t i = 0; i < lanes; ++i) {
    held[i] = f(from_slot<T>(a[i]), from_slot<T>(b[i])) ? 255 : 0;
  }
  return packed(held);
}

uint32_t combined(const Warp& warp, const Instruction& in, uint32_t result) {
  if (!(in.detail & combine)) return result;
  const uint32_t c = warp.predicate(in.c) ^ (in.detail & negate_c ? all_lanes : 0);
  switch (in.detail & combine) {
    case op_and:
      return result & c;
    case op_or:
      return result | c;
    default:
      return result ^ c;
  }
}

template <class T, class F>
void set_predicate(Warp& warp, const Instruction& in, uint32_t mask) {
  const uint32_t result = compare_lanes<T>(warp, in, F{});
  uint32_t& d = warp.predicate(in.d);
  const uint32_t value = combined(warp, in, result);
  const uint32_t opposite = in.e == absent ? 0 : combined(warp, in, ~result);
  d = (d & ~mask) | (value & mask);
  if (in.e != absent) {
    uint32_t& e = warp.predicate(in.e);
    e = (e & ~mask) | (opposite & mask);
  }
}

template <class T, class F>
void set_number(Warp& warp, const Instruction& in, uint32_t mask) {
  const uint32_t result = combined(warp, in, compare_lanes<T>(warp, in, F{}));
  uint32_t* d = warp.words(in.d);
  const uint32_t yes = in.detail & as_float ? 0x3F800000u : all_lanes;
  for (uint32_t i = 0; i < lanes; ++i) {
    const uint32_t value = result >> i & 1 ? yes : 0;
    d[i] = mask >> i & 1 ? value : d[i];
  }
}

template <class T, class F>
void bind_compare(Instruction& in, bool number, F) {
  bind_handler(in, number ? &set_number<T, F> : &set_predicate<T, F>);
}

template <class T>
bool unordered(T x, T y) {
  return x != x || y != y;
}

template <class T>
bool bind_comparison(Instruction& in, bool number, std::string_view op) {
  if (op == "eq")
    bind_compare<T>(in, number, [](T x, T y) { return x == y; });
  else if (op == "lt" || op == "lo")
    bind_compare<T>(in, number, [](T x, T y) { return x < y; });
  else if (op == "le" || op == "ls")
    bind_compare<T>(in, number, [](T x, T y) { return x <= y; });
  else if (op == "gt" || op == "hi")
    bind_compare<T>(in, number, [](T x, T y) { return x > y; });
  else if (op == "ge" || op == "hs")
    bind_compare<T>(in, number, [](T x, T y) { return x >= y; });
  else if constexpr (std::is_floating_point_v<T>) {
    // `ne` is ordered: false when either operand is NaN.
    if (op == "ne")
      bind_compare<T>(in, number, [](T x, T y) { return x < y || x > y; });
    else if (op == "equ")
      bind_compare<T>(in, number, [](T x, T y) { return !(x < y || x > y); });
    else if (op == "neu")
      bind_compare<T>(in, number, [](T x, T y) { return !(x == y); });
    else if (op == "ltu")
      bind_compare<T>(in, number, [](T x, T y) { return !(x >= y); });
    else if (op == "leu")
      bind_compare<T>(in, number, [](T x, T y) { return !(x > y); });
    else if (op == "gtu")
      bind_compare<T>(in, number, [](T x, T y) { return !(x <= y); });
    else if (op == "geu")
      bind_compare<T>(in, number, [](T x, T y) { return !(x < y); });
    else if (op == "num")
      bind_compare<T>(in, number, [](T x, T y) { return !unordered(x, y); });
    else if (op == "nan")
      bind_compare<T>(in, number, [](T x, T y) { return unordered(x, y); });
    else
      return false;
  } else if (op == "ne") {
    bind_compare<T>(in, number, [](T x, T y) { return x != y; });
  } else {
    return false;
  }
  return true;
}

bool bind_for_type(Instruction& in, Type type, bool ftz, bool number,
                   std::string_view op) {
  if (type == Type::f32) {
    if (ftz) in.detail |= flushes;
    return bind_comparison<float>(in, number, op);
  }
  if (type == Type::f64) return bind_comparison<double>(in, number, op);
  bool bound = false;
  with_integer(
      type, [&](auto t) { bound = bind_comparison<decltype(t)>(in, number, op); });
  return bound;
}

// setp.op{.bool}{.ftz}.type p{|q}, a, b{, {!}c}  and set.op{.bool}{.ftz}.dtype.type
// d, a, b{, c}
void compare(Builder& b, bool number) {
  constexpr std::array<std::string_view, 20> comparisons = {
      "eq", "ne",  "lt",  "le",  "gt",  "ge",  "lo",  "ls",  "hi",
      "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
  std::string_view op;
  for (const std::string_view name : comparisons) {
    if (!name.empty() && b.take(name)) op = name;
  }
  uint16_t detail = 0;
  if (b.take("and")) detail |= op_and;
  if (b.take("or")) detail |= op_or;
  if (b.take("xor")) detail |= op_xor;
  const bool ftz = b.take("ftz");
  Type result_type = Type::pred;
  if (number) {
    result_type = b.take_type();
    if (result_type == Type::f32)
      detail |= as_float;
    else if (ptx::bytes_of(result_type) != 4)
      b.unsupported();
  }
  const Type type = b.take_type();
  Instruction in = b.make();
  const ptx::Operand& destination = b.operand(0);
  if (destination.kind == ptx::Operand::Kind::vector && destination.pair &&
      !number) {
    b.write(in, in.d, destination.elements[0], Type::pred);
    b.write(in, in.e, destination.elements[1], Type::pred);
  } else {
    b.write(in, in.d, destination, result_type);
  }
  b.read(in, in.a, b.operand(1), type);
  b.read(in, in.b, b.operand(2), type);
  if (detail & combine) {
    b.read(in, in.c, b.operand(3), Type::pred);
    if (b.operand(3).negated) detail |= negate_c;
  }
  in.detail = detail;
  if (!bind_for_type(in, type, ftz, number, op)) b.unsupported();
  finish(b, in, InstructionClass::compare);
}

template <class T>
void select(Warp& warp, const Instruction& in, uint32_t mask) {
  auto* d = reinterpret_cast<T*>(warp.frame + in.d);
  const auto* a = reinterpret_cast<const T*>(warp.frame + in.a);
  const auto* b = reinterpret_cast<const T*>(warp.frame + in.b);
  const uint32_t choice =
      warp.predicate(in.c) ^ (in.detail & negate_c ? all_lanes : 0);
#pragma GCC ivdep
  for (uint32_t i = 0; i < lanes; ++i) {
    const T value = choice >> i & 1 ? a[i] : b[i];
    d[i] = mask >> i & 1 ? value : d[i];
  }
}

// slct: c >= 0 ? a : b.
template <class T, class C>
void bind_slct(Instruction& in) {
  bind<T, T, T, C>(in, [](T x, T y, C c) { return c >= C{0} ? x : y; });
}

}  // namespace

bool decode_compare(Builder& b) {
  const std::string_view op = b.opcode();
  if (op == "setp" || op == "set") {
    compare(b, op == "set");
  } else if (op == "selp") {
    const Type type = b.take_type();
    Instruction in = operands_of(b, type, 2);
    b.read(in, in.c, b.operand(3), Type::pred);
    if (b.operand(3).negated) in.detail |= negate_c;
    bind_handler(in,
                 ptx::bytes_of(type) == 8 ? &select<uint64_t> : &select<uint32_t>);
    finish(b, in, InstructionClass::move);
  } else if (op == "slct") {
    const bool ftz = b.take("ftz");
    const Type type = b.take_type(), condition = b.take_type();
    Instruction in = operands_of(b, type, 2);
    b.read(in, in.c, b.operand(3), condition);
    const bool is_wide = ptx::bytes_of(type) == 8;
    if (condition == Type::s32) {
      if (is_wide)
        bind_slct<uint64_t, int32_t>(in);
      else
        bind_slct<uint32_t, int32_t>(in);
    } else if (condition == Type::f32) {
      // -0 counts as >= 0; so do flushed negative subnormals.
      if (ftz) {
        if (is_wide)
          bind<uint64_t, uint64_t, uint64_t, float>(
              in, [](uint64_t x, uint64_t y, float c) {
                return flush(c) >= 0 ? x : y;
              });
        else
          bind<uint32_t, uint32_t, uint32_t, float>(
              in, [](uint32_t x, uint32_t y, float c) {
                return flush(c) >= 0 ? x : y;
              });
      } else if (is_wide) {
        bind_slct<uint64_t, float>(in);
      } else {
        bind_slct<uint32_t, float>(in);
      }
    }
    finish(b, in, InstructionClass::move);
  } else {
    return false;
  }
  return true;
}

}  // namespace rungs::cpu_device
