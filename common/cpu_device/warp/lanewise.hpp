/// \file
/// How an instruction's meaning, given as a function of one lane's operands, is run
/// over 32 lanes. The loops are plain so that the compiler turns them into vector
/// instructions.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "cpu_device/program/builder.hpp"
#include "cpu_device/warp/warp.hpp"

namespace rungs::cpu_device {

/// The storage of one lane of a register that holds a T: 4 bytes, or 8.
template <class T>
using Slot = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <class T>
T from_slot(Slot<T> slot) {
  if constexpr (sizeof(T) >= 4) {
    return std::bit_cast<T>(slot);
  } else {
    return static_cast<T>(slot);
  }
}

/// Narrow signed values are kept sign-extended, as a load into a wider register
/// wants them.
template <class T>
Slot<T> to_slot(T value) {
  if constexpr (sizeof(T) >= 4) {
    return std::bit_cast<Slot<T>>(value);
  } else {
    return static_cast<uint32_t>(
        static_cast<std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>>(
            value));
  }
}

template <class T>
const Slot<T>* slots(const Warp& warp, uint32_t offset) {
  return reinterpret_cast<const Slot<T>*>(warp.frame + offset);
}

template <bool Full, class D, class F, class... S>
struct Lanewise;

template <bool Full, class D, class F, class A>
struct Lanewise<Full, D, F, A> {
  static void run(Warp& warp, const Instruction& in, uint32_t mask) {
    auto* d = reinterpret_cast<Slot<D>*>(warp.frame + in.d);
    const auto* a = slots<A>(warp, in.a);
#pragma GCC ivdep
    for (uint32_t i = 0; i < lanes; ++i) {
      const Slot<D> result = to_slot<D>(static_cast<D>(F{}(from_slot<A>(a[i]))));
      d[i] = Full || (mask >> i & 1) ? result : d[i];
    }
  }
};

template <bool Full, class D, class F, class A, class B>
struct Lanewise<Full, D, F, A, B> {
  static void run(Warp& warp, const Instruction& in, uint32_t mask) {
    auto* d = reinterpret_cast<Slot<D>*>(warp.frame + in.d);
    const auto* a = slots<A>(warp, in.a);
    const auto* b = slots<B>(warp, in.b);
#pragma GCC ivdep
    for (uint32_t i = 0; i < lanes; ++i) {
      const Slot<D> result =
          to_slot<D>(static_cast<D>(F{}(from_slot<A>(a[i]), from_slot<B>(b[i]))));
      d[i] = Full || (mask >> i & 1) ? result : d[i];
    }
  }
};

template <bool Full, class D, class F, class A, class B, class C>
struct Lanewise<Full, D, F, A, B, C> {
  static void run(Warp& warp, const Instruction& in, uint32_t mask) {
    auto* d = reinterpret_cast<Slot<D>*>(warp.frame + in.d);
    const auto* a = slots<A>(warp, in.a);
    const auto* b = slots<B>(warp, in.b);
    const auto* c = slots<C>(warp, in.c);
#pragma GCC ivdep
    for (uint32_t i = 0; i < lanes; ++i) {
      const Slot<D> result = to_slot<D>(static_cast<D>(
          F{}(from_slot<A>(a[i]), from_slot<B>(b[i]), from_slot<C>(c[i]))));
      d[i] = Full || (mask >> i & 1) ? result : d[i];
    }
  }
};

/// Gives the instruction a meaning: result type, function of one lane, operand
/// types.
template <class D, class... S, class F>
void bind(Instruction& in, F) {
  in.full = &Lanewise<true, D, F, S...>::run;
  in.partial = &Lanewise<false, D, F, S...>::run;
}

/// Binds one handler for both masks: for meanings that are not lane by lane.
inline void bind_handler(Instruction& in, Handler handler) {
  in.full = in.partial = handler;
}

/// Calls f with a value of the C++ type of an integer PTX type: `.b` counts as
/// unsigned.
template <class F>
bool with_integer(ptx::Type type, F&& f) {
  using ptx::Type;
  switch (type) {
    case Type::b16:
    case Type::u16:
      f(uint16_t{});
      return true;
    case Type::b32:
    case Type::u32:
      f(uint32_t{});
      return true;
    case Type::b64:
    case Type::u64:
      f(uint64_t{});
      return true;
    case Type::s16:
      f(int16_t{});
      return true;
    case Type::s32:
      f(int32_t{});
      return true;
    case Type::s64:
      f(int64_t{});
      return true;
    default:
      return false;
  }
}

/// The unsigned type of the same size.
template <class T>
using Bits = std::conditional_t<
    sizeof(T) == 8, uint64_t,
    std::conditional_t<sizeof(T) == 4, uint32_t,
                       std::conditional_t<sizeof(T) == 2, uint16_t, uint8_t>>>;

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;

/// The integer type of twice the size.
template <class T>
struct Twice;
template <>
struct Twice<uint16_t> {
  using type = uint32_t;
};
template <>
struct Twice<int16_t> {
  using type = int32_t;
};
template <>
struct Twice<uint32_t> {
  using type = uint64_t;
};
template <>
struct Twice<int32_t> {
  using type = int64_t;
};
template <>
struct Twice<uint64_t> {
  using type = Uint128;
};
template <>
struct Twice<int64_t> {
  using type = Int128;
};

/// Reads d, a, b, c of the form `op d, a, b, c` with one type for all.
inline Instruction operands_of(Builder& b, ptx::Type type, size_t sources) {
  Instruction in = b.make();
  b.write(in, in.d, b.operand(0), type);
  b.read(in, in.a, b.operand(1), type);
  if (sources > 1) b.read(in, in.b, b.operand(2), type);
  if (sources > 2) b.read(in, in.c, b.operand(3), type);
  return in;
}

/// Refuses what no family took off, then appends.
inline uint32_t finish(Builder& b, Instruction& in,
                       InstructionClass instruction_class,
                       Origin::Tally tally = Origin::Tally::none) {
  if (!b.rest().empty() || in.full == nullptr) b.unsupported();
  return b.append(in, instruction_class, tally);
}

}  // namespace rungs::cpu_device
