/// \file
/// cvt (PTX ISA, "Data Movement and Conversion Instructions: cvt").
#include <algorithm>
#include <cmath>
#include <limits>

#include "cpu_device/warp/floating.hpp"
#include "cpu_device/warp/formats.hpp"

namespace rungs::cpu_device {
namespace {

using ptx::Type;

/// What a conversion's modifiers say; packed into Instruction::immediate.
struct Modifiers {
  Rounding rounding = Rounding::nearest_even;
  bool to_integer = false;  ///< rni, rzi, rmi, rpi
  bool ftz = false, sat = false, relu = false;
  int64_t packed() const {
    return static_cast<int64_t>(rounding) | (to_integer ? 16 : 0) | (ftz ? 32 : 0) |
           (sat ? 64 : 0) | (relu ? 128 : 0);
  }
  static Modifiers of(int64_t packed) {
    return {static_cast<Rounding>(packed & 15), (packed & 16) != 0,
            (packed & 32) != 0, (packed & 64) != 0, (packed & 128) != 0};
  }
};

Modifiers take_modifiers(Builder& b) {
  Modifiers m;
  struct {
    std::string_view name;
    Rounding rounding;
    bool to_integer;
  } const names[] = {{"rn", Rounding::nearest_even, false},
                     {"rna", Rounding::nearest_away, false},
                     {"rz", Rounding::toward_zero, false},
                     {"rm", Rounding::down, false},
                     {"rp", Rounding::up, false},
                     {"rni", Rounding::nearest_even, true},
                     {"rzi", Rounding::toward_zero, true},
                     {"rmi", Rounding::down, true},
                     {"rpi", Rounding::up, true}};
  for (const auto& entry : names) {
    if (b.take(entry.name)) {
      m.rounding = entry.rounding;
      m.to_integer = entry.to_integer;
    }
  }
  m.ftz = b.take("ftz");
  m.sat = b.take("sat");
  m.relu = b.take("relu");
  return m;
}

int host_mode(Rounding rounding) {
  switch (rounding) {
    case Rounding::toward_zero:
      return FE_TOWARDZERO;
    case Rounding::down:
      return FE_DOWNWARD;
    case Rounding::up:
      return FE_UPWARD;
    default:
      return FE_TONEAREST;
  }
}

double round_to_integer(double x, Rounding rounding) {
  switch (rounding) {
    case Rounding::toward_zero:
      return std::trunc(x);
    case Rounding::down:
      return std::floor(x);
    case Rounding::up:
      return std::ceil(x);
    default:
      return std::nearbyint(x);
  }
}

// Integers clamp to the destination's range; NaN gives 0, or the top bit alone
// where one side is 64 bits wide (PTX ISA, cvt, "Integer Notes").
template <class D>
D integer_from(double x, const Modifiers& m, bool source_is_double) {
  if (x != x) {
    return source_is_double || sizeof(D) == 8
               ? static_cast<D>(Bits<D>{1} << (8 * sizeof(D) - 1))
               : D{0};
  }
  x = round_to_integer(x, m.rounding);
  const double low = static_cast<double>(std::numeric_limits<D>::min());
  // 2^n, exact in double, where the largest value may not be
  const double beyond = std::ldexp(1.0, std::numeric_limits<D>::digits);
  if (x < low) return std::numeric_limits<D>::min();
  if (x >= beyond) return std::numeric_limits<D>::max();
  return static_cast<D>(x);
}

// One operand type or result type: how it is stored and what it means.
template <class T>
struct Integer {
  using Value = T;
  static constexpr bool is_float = false;
  static T decode(Slot<T> slot) { return from_slot<T>(slot); }
};
template <>
struct Integer<int8_t> {
  using Value = int8_t;
  static constexpr bool is_float = false;
  static int8_t decode(uint32_t slot) { return static_cast<int8_t>(slot); }
};
struct Single {
  using Value = float;
  static constexpr bool is_float = true;
  static double decode(uint32_t slot) { return std::bit_cast<float>(slot); }
};
struct Double {
  using Value = double;
  static constexpr bool is_float = true;
  static double decode(uint64_t slot) { return std::bit_cast<double>(slot); }
};
struct Half {
  using Value = uint16_t;
  static constexpr bool is_float = true;
  static double decode(uint32_t slot) {
    return value_of(half_format, slot & 0xFFFF);
  }
};
struct Bfloat {
  using Value = uint16_t;
  static constexpr bool is_float = true;
  static double decode(uint32_t slot) {
    return value_of(bfloat_format, slot & 0xFFFF);
  }
};

// A double that lies on the same side of every narrower format's ties as the
// integer: cut off, with the last bit set where anything was lost.
template <class T>
double to_odd(T x) {
  const RoundingScope scope(FE_TOWARDZERO);
  volatile T source = x;
  volatile double cut = static_cast<double>(source);
  const bool exact = static_cast<Int128>(double{cut}) == static_cast<Int128>(x);
  return std::bit_cast<double>(std::bit_cast<uint64_t>(double{cut}) |
                               (exact ? 0 : 1));
}

double adjust(double x, const Modifiers& m) {
  if (m.to_integer) x = round_to_integer(x, m.rounding);
  if (m.sat) x = saturate(x);
  if (m.relu && !(x > 0) && x == x) x = 0;
  return x;
}

// A NaN of double precision keeps its sign and the upper bits of its payload; one
// of single precision becomes the format's only NaN.
uint32_t narrow_nan(Format format, double nan) {
  const uint64_t bits = std::bit_cast<uint64_t>(canonical(nan));
  const uint32_t sign = static_cast<uint32_t>(bits >> 63)
                        << (format.exponent_bits + format.fraction_bits);
  const uint32_t infinity = ((1u << format.exponent_bits) - 1)
                            << format.fraction_bits;
  const uint64_t payload = bits & 0x000FFFFFFFFFFFFFull;
  return sign | infinity |
         static_cast<uint32_t>(payload >> (52 - format.fraction_bits));
}

uint32_t encode_narrow(Format format, double x, const Modifiers& m,
                       bool from_double) {
  return x != x && from_double ? narrow_nan(format, x)
                               : round_to(format, x, m.rounding);
}

template <class D>
Slot<typename D::Value> encode_float(double x, const Modifiers& m,
                                     bool from_double) {
  if constexpr (std::is_same_v<D, Half>) {
    return encode_narrow(half_format, x, m, from_double);
  } else if constexpr (std::is_same_v<D, Bfloat>) {
    return encode_narrow(bfloat_format, x, m, from_double);
  } else if constexpr (std::is_same_v<D, Double>) {
    return std::bit_cast<uint64_t>(x);
  } else {
    if (x != x && from_double) return narrow_nan({8, 23}, x);
    // What is subnormal before rounding is flushed, even if rounding would lift it
    // out.
    if (m.ftz && std::fabs(x) < std::numeric_limits<float>::min())
      x = std::copysign(0.0, x);
    const RoundingScope scope(host_mode(m.rounding));
    volatile double wide = x;
    volatile float narrow = static_cast<float>(wide);
    return std::bit_cast<uint32_t>(canonical(float{narrow}));
  }
}

template <class D, class S>
void convert(Warp& warp, const Instruction& in, uint32_t mask) {
  const Modifiers m = Modifiers::of(in.immediate);
  using V = typename D::Value;
  auto* d = reinterpret_cast<Slot<V>*>(warp.frame + in.d);
  const auto* a = slots<typename S::Value>(warp, in.a);
  for (uint32_t i = 0; i < lanes; ++i) {
    if (!(mask >> i & 1)) continue;
    auto x = S::decode(a[i]);
    if constexpr (S::is_float) {
      if constexpr (std::is_same_v<S, Single>) {
        if (m.ftz) x = flush(canonical(static_cast<float>(x)));
      }
      if constexpr (D::is_float) {
        d[i] = encode_float<D>(adjust(x, m), m, std::is_same_v<S, Double>);
      } else {
        d[i] = to_slot<V>(integer_from<V>(x, m, std::is_same_v<S, Double>));
      }
    } else if constexpr (std::is_same_v<D, Half> || std::is_same_v<D, Bfloat>) {
      d[i] = encode_float<D>(adjust(to_odd(x), m), m, false);
    } else if constexpr (D::is_float) {
      const RoundingScope scope(host_mode(m.rounding));
      volatile auto source = x;
      volatile V result = static_cast<V>(source);
      d[i] = to_slot<V>(m.sat ? saturate(V{result}) : V{result});
    } else {
      Int128 wide = x;
      if (m.sat) {
        wide = std::clamp<Int128>(wide, std::numeric_limits<V>::min(),
                                  std::numeric_limits<V>::max());
      }
      d[i] = to_slot<V>(static_cast<V>(wide));
    }
  }
}

template <class D>
Handler from(Type source) {
  switch (source) {
    case Type::u8:
    case Type::b8:
      return &convert<D, Integer<uint8_t>>;
    case Type::s8:
      return &convert<D, Integer<int8_t>>;
    case Type::u16:
    case Type::b16:
      return &convert<D, Integer<uint16_t>>;
    case Type::s16:
      return &convert<D, Integer<int16_t>>;
    case Type::u32:
    case Type::b32:
      return &convert<D, Integer<uint32_t>>;
    case Type::s32:
      return &convert<D, Integer<int32_t>>;
    case Type::u64:
    case Type::b64:
      return &convert<D, Integer<uint64_t>>;
    case Type::s64:
      return &convert<D, Integer<int64_t>>;
    case Type::f16:
      return &convert<D, Half>;
    case Type::bf16:
      return &convert<D, Bfloat>;
    case Type::f32:
      return &convert<D, Single>;
    case Type::f64:
      return &convert<D, Double>;
    default:
      return nullptr;
  }
}

Handler conversion(Type result, Type source) {
  switch (result) {
    case Type::u8:
    case Type::b8:
      return from<Integer<uint8_t>>(source);
    case Type::s8:
      return from<Integer<int8_t>>(source);
    case Type::u16:
    case Type::b16:
      return from<Integer<uint16_t>>(source);
    case Type::s16:
      return from<Integer<int16_t>>(source);
    case Type::u32:
    case Type::b32:
      return from<Integer<uint32_t>>(source);
    case Type::s32:
      return from<Integer<int32_t>>(source);
    case Type::u64:
    case Type::b64:
      return from<Integer<uint64_t>>(source);
    case Type::s64:
      return from<Integer<int64_t>>(source);
    case Type::f16:
      return from<Half>(source);
    case Type::bf16:
      return from<Bfloat>(source);
    case Type::f32:
      return from<Single>(source);
    case Type::f64:
      return from<Double>(source);
    default:
      return nullptr;
  }
}

// Two numbers into the halves of one register: a goes into the upper one.
template <bool IsHalf>
void convert_pair(Warp& warp, const Instruction& in, uint32_t mask) {
  const Modifiers m = Modifiers::of(in.immediate);
  constexpr Format format = IsHalf ? half_format : bfloat_format;
  for (uint32_t i = 0; i < lanes; ++i) {
    if (!(mask >> i & 1)) continue;
    const auto half = [&](uint32_t field) {
      const double x = std::bit_cast<float>(warp.words(field)[i]);
      return round_to(format, adjust(x, m), m.rounding);
    };
    warp.words(in.d)[i] = half(in.a) << 16 | half(in.b);
  }
}

bool plain_integers(Type result, Type source) {
  return !ptx::is_float(result) && !ptx::is_float(source);
}

// The conversions that loops are full of get vector code.
bool bind_fast(Instruction& in, Type result, Type source, const Modifiers& m) {
  if (m.packed() != 0) return false;
  if (plain_integers(result, source)) {
    bool bound = false;
    with_integer(source, [&](auto s) {
      with_integer(result, [&](auto r) {
        bind<decltype(r), decltype(s)>(in, [](auto x) { return x; });
        bound = true;
      });
    });
    return bound;
  }
  if (result == Type::f32 && source == Type::f32) {
    bind<uint32_t, uint32_t>(
        in, [](uint32_t x) { return x; });  // a NaN stays what it is
    return true;
  }
  if (result == Type::f32 && source == Type::s32) {
    bind<float, int32_t>(in, [](int32_t x) { return static_cast<float>(x); });
    return true;
  }
  return false;
}

}  // namespace

bool decode_convert(Builder& b) {
  if (b.opcode() != "cvt") return false;
  const Modifiers m = take_modifiers(b);
  const Type result = b.take_type(), source = b.take_type();
  Instruction in = b.make();
  in.immediate = m.packed();
  if (result == Type::f16x2 || result == Type::bf16x2) {
    if (source != Type::f32 || m.to_integer || m.ftz) b.unsupported();
    b.write(in, in.d, b.operand(0), Type::b32);
    b.read(in, in.a, b.operand(1), Type::f32);
    b.read(in, in.b, b.operand(2), Type::f32);
    bind_handler(
        in, result == Type::f16x2 ? &convert_pair<true> : &convert_pair<false>);
  } else if (result == Type::tf32) {
    if (source != Type::f32 || m.to_integer || m.ftz || m.sat) b.unsupported();
    b.write(in, in.d, b.operand(0), Type::b32);
    b.read(in, in.a, b.operand(1), Type::f32);
    bind_handler(in, [](Warp& warp, const Instruction& i, uint32_t mask) {
      const Modifiers modifiers = Modifiers::of(i.immediate);
      for (uint32_t lane = 0; lane < lanes; ++lane) {
        if (!(mask >> lane & 1)) continue;
        const uint32_t bits = warp.words(i.a)[lane];
        const double x = adjust(std::bit_cast<float>(bits), modifiers);
        // `.rna` cuts a NaN's bits off; the other roundings make it the canonical
        // one.
        const bool cut = x != x && modifiers.rounding == Rounding::nearest_away;
        warp.words(i.d)[lane] = cut ? bits & 0xFFFFE000u
                                    : round_to(tf32_format, x, modifiers.rounding)
                                          << 13;
      }
    });
  } else {
    b.write(in, in.d, b.operand(0), result);
    b.read(in, in.a, b.operand(1), source);
    if (!bind_fast(in, result, source, m))
      bind_handler(in, conversion(result, source));
  }
  finish(b, in, InstructionClass::conversion);
  return true;
}

}  // namespace rungs::cpu_device
