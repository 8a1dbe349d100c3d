/// \file
/// Integer arithmetic (PTX ISA, "Integer Arithmetic Instructions"). The file is
/// compiled with -fwrapv: signed arithmetic wraps as the machine's does.
#include <algorithm>
#include <limits>

#include "cpu_device/warp/lanewise.hpp"

namespace rungs::cpu_device {
namespace {

using ptx::Type;

// add, sub: `.sat` exists for s32 only.
void add_or_subtract(Builder& b, bool add) {
  const bool saturate = b.take("sat");
  const Type type = b.take_type();
  Instruction in = operands_of(b, type, 2);
  if (saturate) {
    if (type != Type::s32) b.unsupported();
    if (add) {
      bind<int32_t, int32_t, int32_t>(in, [](int32_t x, int32_t y) {
        return std::clamp<int64_t>(int64_t{x} + y, INT32_MIN, INT32_MAX);
      });
    } else {
      bind<int32_t, int32_t, int32_t>(in, [](int32_t x, int32_t y) {
        return std::clamp<int64_t>(int64_t{x} - y, INT32_MIN, INT32_MAX);
      });
    }
  } else {
    with_integer(type, [&](auto t) {
      using T = Bits<decltype(t)>;
      if (add)
        bind<T, T, T>(in, [](T x, T y) { return x + y; });
      else
        bind<T, T, T>(in, [](T x, T y) { return x - y; });
    });
  }
  finish(b, in, InstructionClass::integer);
}

// mul.{lo,hi,wide}, mad.{lo,hi,wide}: c of a wide mad is wide.
void multiply(Builder& b, bool add) {
  const bool low = b.take("lo"), high = b.take("hi"), is_wide = b.take("wide");
  const bool saturate = b.take("sat");
  const Type type = b.take_type();
  Instruction in = b.make();
  const bool known = with_integer(type, [&](auto t) {
    using T = decltype(t);
    using W = typename Twice<T>::type;
    const Type result = !is_wide ? type : sizeof(T) == 2 ? Type::u32 : Type::u64;
    b.write(in, in.d, b.operand(0), result);
    b.read(in, in.a, b.operand(1), type);
    b.read(in, in.b, b.operand(2), type);
    if (add) b.read(in, in.c, b.operand(3), result);
    if (saturate) {
      if constexpr (std::is_same_v<T, int32_t>) {
        if (add && high) {
          bind<T, T, T, T>(in, [](T x, T y, T z) {
            return std::clamp<int64_t>((W{x} * y >> 32) + z, INT32_MIN, INT32_MAX);
          });
        }
      }
    } else if (low) {
      if (add)
        bind<T, T, T, T>(in, [](T x, T y, T z) { return W{x} * y + z; });
      else
        bind<T, T, T>(in, [](T x, T y) { return W{x} * y; });
    } else if (high) {
      constexpr int bits = 8 * sizeof(T);
      if (add) {
        bind<T, T, T, T>(in, [](T x, T y, T z) {
          return static_cast<T>(W{x} * y >> bits) + Bits<T>(z);
        });
      } else {
        bind<T, T, T>(in,
                      [](T x, T y) { return static_cast<T>(W{x} * y >> bits); });
      }
    } else if (is_wide) {
      if constexpr (sizeof(T) < 8) {
        if (add)
          bind<W, T, T, W>(in, [](T x, T y, W z) { return W{x} * y + z; });
        else
          bind<W, T, T>(in, [](T x, T y) { return W{x} * y; });
      }
    }
  });
  if (!known) b.unsupported();
  finish(b, in, InstructionClass::integer);
}

// mul24, mad24: 24-bit operands; lo is bits 0 to 31 of the 48-bit product, hi 16
// to 47.
template <class T>
int64_t low24(T x) {
  return static_cast<int64_t>(static_cast<Bits<T>>(x) << 8 & 0xFFFFFFFF) << 32 >>
         40;
}
template <>
int64_t low24(uint32_t x) {
  return x & 0xFFFFFF;
}

void multiply24(Builder& b, bool add) {
  const bool low = b.take("lo"), high = b.take("hi"), clamps = b.take("sat");
  const Type type = b.take_type();
  if (low == high || (type != Type::u32 && type != Type::s32)) b.unsupported();
  if (clamps && (!add || !high || type != Type::s32)) b.unsupported();
  Instruction in = operands_of(b, type, add ? 3 : 2);
  if (clamps) {
    bind<int32_t, int32_t, int32_t, int32_t>(
        in, [](int32_t x, int32_t y, int32_t z) {
          return std::clamp<int64_t>((low24(x) * low24(y) >> 16) + z, INT32_MIN,
                                     INT32_MAX);
        });
    finish(b, in, InstructionClass::integer);
    return;
  }
  with_integer(type, [&](auto t) {
    using T = decltype(t);
    if (add) {
      if (low)
        bind<T, T, T, T>(in, [](T x, T y, T z) { return low24(x) * low24(y) + z; });
      else
        bind<T, T, T, T>(
            in, [](T x, T y, T z) { return (low24(x) * low24(y) >> 16) + z; });
    } else {
      if (low)
        bind<T, T, T>(in, [](T x, T y) { return low24(x) * low24(y); });
      else
        bind<T, T, T>(in, [](T x, T y) { return low24(x) * low24(y) >> 16; });
    }
  });
  finish(b, in, InstructionClass::integer);
}

// div and rem by zero give all ones and the dividend on NVIDIA hardware; the manual
// leaves both unspecified. INT_MIN / -1 wraps.
template <class T>
T quotient(T x, T y) {
  if (y == 0) return static_cast<T>(-1);
  if constexpr (std::is_signed_v<T>) {
    if (y == -1) return static_cast<T>(0 - static_cast<Bits<T>>(x));
  }
  return static_cast<T>(x / y);
}
template <class T>
T remainder(T x, T y) {
  if (y == 0) return x;
  if constexpr (std::is_signed_v<T>) {
    if (y == -1) return 0;
  }
  return static_cast<T>(x % y);
}

// op.type d, a, b for every integer type.
template <class F>
void binary(Builder& b, F f) {
  const Type type = b.take_type();
  Instruction in = operands_of(b, type, 2);
  with_integer(type, [&](auto t) {
    using T = decltype(t);
    bind<T, T, T>(in, f);
  });
  finish(b, in, InstructionClass::integer);
}

template <class F>
void unary(Builder& b, F f) {
  const Type type = b.take_type();
  Instruction in = operands_of(b, type, 1);
  with_integer(type, [&](auto t) {
    using T = decltype(t);
    bind<T, T>(in, f);
  });
  finish(b, in, InstructionClass::integer);
}

// dp4a, dp2a: dot products of bytes, or of halfwords with two of the bytes.
template <class A, class B>
int32_t dot4(uint32_t x, uint32_t y, uint32_t z) {
  int64_t sum = 0;
  for (int i = 0; i < 4; ++i) {
    sum += int64_t{static_cast<A>(x >> 8 * i)} * static_cast<B>(y >> 8 * i);
  }
  return static_cast<int32_t>(z + static_cast<uint32_t>(sum));
}
template <class A, class B, int First>
int32_t dot2(uint32_t x, uint32_t y, uint32_t z) {
  int64_t sum = 0;
  for (int i = 0; i < 2; ++i) {
    sum +=
        int64_t{static_cast<A>(x >> 16 * i)} * static_cast<B>(y >> 8 * (First + i));
  }
  return static_cast<int32_t>(z + static_cast<uint32_t>(sum));
}

template <class F>
void bind_words(Instruction& in, F f) {
  bind<uint32_t, uint32_t, uint32_t, uint32_t>(in, f);
}

void dot_product(Builder& b, bool four) {
  const bool low = b.take("lo"), high = b.take("hi");
  if (four == (low || high)) b.unsupported();
  const bool signed_a = b.take_type() == Type::s32;
  const bool signed_b = b.take_type() == Type::s32;
  Instruction in = operands_of(b, Type::b32, 3);
  const auto choose = [&](auto a, auto byte) {
    using A = decltype(a);
    using B = decltype(byte);
    if constexpr (sizeof(A) == 1) {
      bind_words(in, [](uint32_t x, uint32_t y, uint32_t z) {
        return dot4<A, B>(x, y, z);
      });
    } else if (low) {
      bind_words(in, [](uint32_t x, uint32_t y, uint32_t z) {
        return dot2<A, B, 0>(x, y, z);
      });
    } else {
      bind_words(in, [](uint32_t x, uint32_t y, uint32_t z) {
        return dot2<A, B, 2>(x, y, z);
      });
    }
  };
  const auto choose_byte = [&](auto a) {
    if (signed_b)
      choose(a, int8_t{});
    else
      choose(a, uint8_t{});
  };
  if (four) {
    if (signed_a)
      choose_byte(int8_t{});
    else
      choose_byte(uint8_t{});
  } else {
    if (signed_a)
      choose_byte(int16_t{});
    else
      choose_byte(uint16_t{});
  }
  finish(b, in, InstructionClass::integer);
}

bool is_integer(const Builder& b) {
  for (const std::string_view word : b.rest()) {
    const Type type = ptx::type_named(word);
    if (ptx::is_float(type)) return false;
  }
  return true;
}

}  // namespace

bool decode_integer(Builder& b) {
  const std::string_view op = b.opcode();
  if (!is_integer(b)) return false;
  for (const std::string_view word : b.rest()) {
    if (word == "cc") return false;
  }
  if (op == "add" || op == "sub") {
    add_or_subtract(b, op == "add");
  } else if (op == "mul" || op == "mad") {
    multiply(b, op == "mad");
  } else if (op == "mul24" || op == "mad24") {
    multiply24(b, op == "mad24");
  } else if (op == "div") {
    binary(b, [](auto x, auto y) { return quotient(x, y); });
  } else if (op == "rem") {
    binary(b, [](auto x, auto y) { return remainder(x, y); });
  } else if (op == "min") {
    if (b.take("relu")) b.unsupported();
    binary(b, [](auto x, auto y) { return x < y ? x : y; });
  } else if (op == "max") {
    if (b.take("relu")) b.unsupported();
    binary(b, [](auto x, auto y) { return x > y ? x : y; });
  } else if (op == "abs") {
    unary(b, [](auto x) { return x < 0 ? 0 - x : x; });
  } else if (op == "neg") {
    unary(b, [](auto x) { return 0 - x; });
  } else if (op == "sad") {
    const Type type = b.take_type();
    Instruction in = operands_of(b, type, 3);
    with_integer(type, [&](auto t) {
      using T = decltype(t);
      using U = Bits<T>;
      bind<T, T, T, T>(in, [](T x, T y, T z) {
        return static_cast<U>(z) +
               static_cast<U>(x > y ? U(x) - U(y) : U(y) - U(x));
      });
    });
    finish(b, in, InstructionClass::integer);
  } else if (op == "dp4a" || op == "dp2a") {
    dot_product(b, op == "dp4a");
  } else {
    return false;
  }
  return true;
}

}  // namespace rungs::cpu_device
