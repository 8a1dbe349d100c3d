/// \file
/// Logic, shifts, bit fields and byte permutation (PTX ISA, "Logic and Shift
/// Instructions", and the bit instructions of "Integer Arithmetic Instructions").
#include <algorithm>
#include <bit>

#include "cpu_device/warp/lanewise.hpp"

namespace rungs::cpu_device {
namespace {

using ptx::Type;

template <class F>
void bitwise(Builder& b, size_t sources, F) {
  const Type type = b.take_type();
  if (type ==
      Type::pred) {  // predicates are lane masks: the same operation on whole words
    Instruction in = operands_of(b, type, sources);
    in.full = in.partial = [](Warp& warp, const Instruction& i, uint32_t mask) {
      uint32_t& d = warp.predicate(i.d);
      const uint32_t x = warp.predicate(i.a) ^ (i.detail & 1 ? all_lanes : 0);
      const uint32_t y =
          i.b == absent ? 0 : warp.predicate(i.b) ^ (i.detail & 2 ? all_lanes : 0);
      d = (d & ~mask) | (static_cast<uint32_t>(F{}(x, y)) & mask);
    };
    in.detail =
        static_cast<uint16_t>((b.operand(1).negated ? 1 : 0) |
                              (sources > 1 && b.operand(2).negated ? 2 : 0));
    finish(b, in, InstructionClass::integer);
    return;
  }
  Instruction in = operands_of(b, type, sources);
  with_integer(type, [&](auto t) {
    using T = Bits<decltype(t)>;
    if (sources == 2)
      bind<T, T, T>(in, F{});
    else
      bind<T, T>(in, [](T x) { return F{}(x, T{0}); });
  });
  finish(b, in, InstructionClass::integer);
}

// shl, shr: the amount is 32 bits wide and clamped to the register's width.
void shift(Builder& b, bool left) {
  const Type type = b.take_type();
  Instruction in = b.make();
  b.write(in, in.d, b.operand(0), type);
  b.read(in, in.a, b.operand(1), type);
  b.read(in, in.b, b.operand(2), Type::u32);
  with_integer(type, [&](auto t) {
    using T = decltype(t);
    constexpr uint32_t width = 8 * sizeof(T);
    if (left) {
      using U = Bits<T>;
      bind<U, U, uint32_t>(in, [](U x, uint32_t n) {
        return n >= width ? U{0} : static_cast<U>(x << (n & (width - 1)));
      });
    } else {
      bind<T, T, uint32_t>(in, [](T x, uint32_t n) {
        const T beyond = x < 0 ? static_cast<T>(-1) : T{0};
        return n >= width ? beyond : static_cast<T>(x >> (n & (width - 1)));
      });
    }
  });
  finish(b, in, InstructionClass::integer);
}

// shf: a funnel shift of the pair {b, a}; the amount clamps at 32 or wraps.
void funnel_shift(Builder& b) {
  const bool left = b.take("l"), right = b.take("r");
  const bool clamp = b.take("clamp"), wrap = b.take("wrap");
  b.take("b32");
  if (left == right || clamp == wrap) b.unsupported();
  Instruction in = operands_of(b, Type::b32, 3);
  const auto choose = [&](auto f) {
    bind<uint32_t, uint32_t, uint32_t, uint32_t>(in, f);
  };
  if (left && clamp) {
    choose([](uint32_t x, uint32_t y, uint32_t n) {
      return ((uint64_t{y} << 32 | x) << std::min(n, 32u)) >> 32;
    });
  } else if (left) {
    choose([](uint32_t x, uint32_t y, uint32_t n) {
      return ((uint64_t{y} << 32 | x) << (n & 31)) >> 32;
    });
  } else if (clamp) {
    choose([](uint32_t x, uint32_t y, uint32_t n) {
      return (uint64_t{y} << 32 | x) >> std::min(n, 32u);
    });
  } else {
    choose([](uint32_t x, uint32_t y, uint32_t n) {
      return (uint64_t{y} << 32 | x) >> (n & 31);
    });
  }
  finish(b, in, InstructionClass::integer);
}

// lop3: each bit of the table is the result for one combination of the three
// inputs.
void logic3(Builder& b) {
  b.take("b32");
  if (b.operands().size() != 5) b.unsupported();
  Instruction in = operands_of(b, Type::b32, 3);
  in.immediate = static_cast<int64_t>(b.operand(4).bits & 0xFF);
  bind_handler(in, [](Warp& warp, const Instruction& i, uint32_t mask) {
    const uint32_t *x = warp.words(i.a), *y = warp.words(i.b), *z = warp.words(i.c);
    uint32_t result[lanes] = {};
    for (uint32_t combination = 0; combination < 8; ++combination) {
      if (!(i.immediate >> combination & 1)) continue;
      const uint32_t fx = combination & 4 ? 0 : all_lanes;
      const uint32_t fy = combination & 2 ? 0 : all_lanes;
      const uint32_t fz = combination & 1 ? 0 : all_lanes;
      for (uint32_t lane = 0; lane < lanes; ++lane) {
        result[lane] |= (x[lane] ^ fx) & (y[lane] ^ fy) & (z[lane] ^ fz);
      }
    }
    uint32_t* d = warp.words(i.d);
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      d[lane] = mask >> lane & 1 ? result[lane] : d[lane];
    }
  });
  finish(b, in, InstructionClass::integer);
}

// popc, clz, bfind, brev: counts are 32 bits wide whatever the operand's type.
template <class T>
uint32_t find_leading(T x) {
  using U = Bits<T>;
  U bits = static_cast<U>(x);
  if (std::is_signed_v<T> && x < 0) bits = static_cast<U>(~bits);
  return bits == 0
             ? all_lanes
             : static_cast<uint32_t>(8 * sizeof(T) - 1 - std::countl_zero(bits));
}

template <class T>
T reverse_bits(T x) {
  T result = 0;
  for (size_t i = 0; i < 8 * sizeof(T); ++i) {
    result |= static_cast<T>((x >> i & 1) << (8 * sizeof(T) - 1 - i));
  }
  return result;
}

template <class F>
void count_bits(Builder& b, F) {
  const Type type = b.take_type();
  Instruction in = b.make();
  b.write(in, in.d, b.operand(0), Type::u32);
  b.read(in, in.a, b.operand(1), type);
  with_integer(type, [&](auto t) {
    using T = decltype(t);
    if constexpr (sizeof(T) >= 4) bind<uint32_t, T>(in, F{});
  });
  finish(b, in, InstructionClass::integer);
}

// Position and length are 8 bits wide by the manual. An H200 looks at no more of
// 32-bit fields, but at all bits of 64-bit ones.
template <class T>
void wrap_field(uint32_t& position, uint32_t& length) {
  if (sizeof(T) == 8) return;
  position &= 0xFF;
  length &= 0xFF;
}

// bfe: length bits from position; signed fields extend their top bit, or bit 31 /
// 63 where the field runs over the end.
template <class T>
T extract_field(T x, uint32_t position, uint32_t length) {
  constexpr uint32_t top = 8 * sizeof(T) - 1;
  wrap_field<T>(position, length);
  const auto bit = [&](uint64_t i) { return static_cast<Bits<T>>(x) >> i & 1; };
  Bits<T> sign = 0;
  if (std::is_signed_v<T> && length != 0)
    sign = bit(std::min<uint64_t>(uint64_t{position} + length - 1, top));
  Bits<T> result = 0;
  for (uint32_t i = 0; i <= top; ++i) {
    const Bits<T> value =
        i < length && uint64_t{position} + i <= top ? bit(position + i) : sign;
    result |= static_cast<Bits<T>>(value << i);
  }
  return static_cast<T>(result);
}

template <class T>
T insert_field(T field, T into, uint32_t position, uint32_t length) {
  constexpr uint32_t width = 8 * sizeof(T);
  wrap_field<T>(position, length);
  for (uint32_t i = 0; i < length && uint64_t{position} + i < width; ++i) {
    const T bit = T{1} << (position + i);
    into = (into & ~bit) | (field >> i & 1 ? bit : 0);
  }
  return into;
}

void bit_field(Builder& b, bool extract) {
  const Type type = b.take_type();
  Instruction in = b.make();
  b.write(in, in.d, b.operand(0), type);
  b.read(in, in.a, b.operand(1), type);
  if (extract) {
    b.read(in, in.b, b.operand(2), Type::u32);
    b.read(in, in.c, b.operand(3), Type::u32);
  } else {
    b.read(in, in.b, b.operand(2), type);
    b.read(in, in.c, b.operand(3), Type::u32);
    b.read(in, in.e, b.operand(4), Type::u32);
  }
  with_integer(type, [&](auto t) {
    using T = decltype(t);
    if constexpr (sizeof(T) >= 4) {
      if (extract) {
        bind<T, T, uint32_t, uint32_t>(
            in, [](T x, uint32_t p, uint32_t n) { return extract_field(x, p, n); });
      } else {
        using U = Bits<T>;
        bind_handler(in, [](Warp& warp, const Instruction& i, uint32_t mask) {
          for (uint32_t lane = 0; lane < lanes; ++lane) {
            if (!(mask >> lane & 1)) continue;
            auto* d = reinterpret_cast<Slot<U>*>(warp.frame + i.d);
            d[lane] = insert_field<U>(slots<U>(warp, i.a)[lane],
                                      slots<U>(warp, i.b)[lane],
                                      warp.words(i.c)[lane], warp.words(i.e)[lane]);
          }
        });
      }
    }
  });
  finish(b, in, InstructionClass::integer);
}

// prmt: picks four bytes of the pair {b, a}; the modes spell out common selectors.
uint32_t permute(uint32_t x, uint32_t y, uint32_t selector) {
  const uint64_t bytes = uint64_t{y} << 32 | x;
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const uint32_t control = selector >> 4 * i & 0xF;
    uint32_t byte = static_cast<uint32_t>(bytes >> 8 * (control & 7)) & 0xFF;
    if (control & 8) byte = byte & 0x80 ? 0xFF : 0;
    result |= byte << 8 * i;
  }
  return result;
}

constexpr uint16_t permute_modes[6][4] = {
    {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
    {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
    {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232},
};

template <size_t Mode>
void bind_permute_mode(Instruction& in) {
  bind<uint32_t, uint32_t, uint32_t, uint32_t>(
      in, [](uint32_t x, uint32_t y, uint32_t c) {
        return permute(x, y, permute_modes[Mode][c & 3]);
      });
}

void permute_bytes(Builder& b) {
  b.take("b32");
  Instruction in = operands_of(b, Type::b32, 3);
  if (b.take("f4e"))
    bind_permute_mode<0>(in);
  else if (b.take("b4e"))
    bind_permute_mode<1>(in);
  else if (b.take("rc8"))
    bind_permute_mode<2>(in);
  else if (b.take("ecl"))
    bind_permute_mode<3>(in);
  else if (b.take("ecr"))
    bind_permute_mode<4>(in);
  else if (b.take("rc16"))
    bind_permute_mode<5>(in);
  else {
    bind<uint32_t, uint32_t, uint32_t, uint32_t>(
        in, [](uint32_t x, uint32_t y, uint32_t c) { return permute(x, y, c); });
  }
  finish(b, in, InstructionClass::integer);
}

// fns: the position of the n-th set bit from a base, upward for n > 0, downward for
// n < 0.
uint32_t find_nth_set(uint32_t bits, uint32_t base, int32_t n) {
  if (n == 0) return bits >> (base & 31) & 1 ? base : all_lanes;
  int32_t left = n < 0 ? -n : n;
  for (int64_t i = base; i >= 0 && i<32; i += n> 0 ? 1 : -1) {
    if ((bits >> i & 1) && --left == 0) return static_cast<uint32_t>(i);
  }
  return all_lanes;
}

// bmsk, szext: amounts clamp or wrap at 32.
void mask_or_extend(Builder& b, bool mask) {
  const bool clamp = b.take("clamp"), wrap = b.take("wrap");
  if (clamp == wrap) b.unsupported();
  const Type type = b.take_type();
  Instruction in = operands_of(b, Type::b32, 2);
  const auto choose = [&](auto f) { bind<uint32_t, uint32_t, uint32_t>(in, f); };
  if (mask) {
    if (clamp) {
      choose([](uint32_t p, uint32_t n) {
        return p >= 32 ? 0 : ((uint64_t{1} << std::min(n, 32u)) - 1) << p;
      });
    } else {
      choose([](uint32_t p, uint32_t n) {
        return ((uint64_t{1} << (n & 31)) - 1) << (p & 31);
      });
    }
  } else if (type == Type::s32) {
    if (clamp) {
      choose([](uint32_t x, uint32_t n) {
        return n == 0    ? 0
               : n >= 32 ? x
                         : static_cast<uint32_t>(
                               static_cast<int32_t>(x << (32 - n)) >> (32 - n));
      });
    } else {
      choose([](uint32_t x, uint32_t n) {
        n &= 31;
        return n == 0 ? 0
                      : static_cast<uint32_t>(static_cast<int32_t>(x << (32 - n)) >>
                                              (32 - n));
      });
    }
  } else {
    if (clamp) {
      choose([](uint32_t x, uint32_t n) {
        return n >= 32 ? x : x & ((uint64_t{1} << n) - 1);
      });
    } else {
      choose([](uint32_t x, uint32_t n) {
        return x & ((uint64_t{1} << (n & 31)) - 1);
      });
    }
  }
  finish(b, in, InstructionClass::integer);
}

}  // namespace

bool decode_bits(Builder& b) {
  const std::string_view op = b.opcode();
  if (op == "and") {
    bitwise(b, 2, [](auto x, auto y) { return x & y; });
  } else if (op == "or") {
    bitwise(b, 2, [](auto x, auto y) { return x | y; });
  } else if (op == "xor") {
    bitwise(b, 2, [](auto x, auto y) { return x ^ y; });
  } else if (op == "not") {
    bitwise(b, 1, [](auto x, auto) { return ~x; });
  } else if (op == "cnot") {
    bitwise(b, 1, [](auto x, auto) { return x == 0 ? 1 : 0; });
  } else if (op == "shl" || op == "shr") {
    shift(b, op == "shl");
  } else if (op == "shf") {
    funnel_shift(b);
  } else if (op == "lop3") {
    logic3(b);
  } else if (op == "popc") {
    count_bits(
        b, [](auto x) { return std::popcount(static_cast<Bits<decltype(x)>>(x)); });
  } else if (op == "clz") {
    count_bits(b, [](auto x) {
      return std::countl_zero(static_cast<Bits<decltype(x)>>(x));
    });
  } else if (op == "bfind") {
    if (b.take("shiftamt")) {
      count_bits(b, [](auto x) {
        const uint32_t place = find_leading(x);
        return place == all_lanes ? place : 8 * sizeof(x) - 1 - place;
      });
    } else {
      count_bits(b, [](auto x) { return find_leading(x); });
    }
  } else if (op == "brev") {
    const Type type = b.take_type();
    Instruction in = operands_of(b, type, 1);
    if (type == Type::b32)
      bind<uint32_t, uint32_t>(in, [](uint32_t x) { return reverse_bits(x); });
    if (type == Type::b64)
      bind<uint64_t, uint64_t>(in, [](uint64_t x) { return reverse_bits(x); });
    finish(b, in, InstructionClass::integer);
  } else if (op == "bfe" || op == "bfi") {
    bit_field(b, op == "bfe");
  } else if (op == "prmt") {
    permute_bytes(b);
  } else if (op == "fns") {
    b.take("b32");
    Instruction in = operands_of(b, Type::b32, 3);
    bind<uint32_t, uint32_t, uint32_t, int32_t>(
        in, [](uint32_t x, uint32_t base, int32_t n) {
          return find_nth_set(x, base, n);
        });
    finish(b, in, InstructionClass::integer);
  } else if (op == "bmsk" || op == "szext") {
    mask_or_extend(b, op == "bmsk");
  } else {
    return false;
  }
  return true;
}

}  // namespace rungs::cpu_device
