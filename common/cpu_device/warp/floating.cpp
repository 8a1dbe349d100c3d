/// \file
/// f32 and f64 arithmetic (PTX ISA, "Floating-Point Instructions"). The directed
/// roundings change the host's rounding mode; volatile operands and results keep
/// the arithmetic inside that scope, since -frounding-math would cost the vector
/// code.
#include "cpu_device/warp/floating.hpp"

#include <algorithm>

namespace rungs::cpu_device {

using ptx::Type;

FloatModifiers take_float_modifiers(Builder& b) {
  FloatModifiers modifiers;
  modifiers.ftz = b.take("ftz");
  modifiers.sat = b.take("sat");
  b.take("rn");
  if (b.take("rz")) modifiers.rounding = FE_TOWARDZERO;
  if (b.take("rm")) modifiers.rounding = FE_DOWNWARD;
  if (b.take("rp")) modifiers.rounding = FE_UPWARD;
  return modifiers;
}

namespace {

// Round to nearest even, no flushing: the common case, in vector code.
template <class T, size_t Sources, class F>
void bind_plain(Instruction& in, F) {
  if constexpr (Sources == 1) {
    bind<T, T>(in, [](T x) { return canonical(F{}(x)); });
  } else if constexpr (Sources == 2) {
    bind<T, T, T>(in, [](T x, T y) { return canonical(F{}(x, y)); });
  } else {
    bind<T, T, T, T>(in, [](T x, T y, T z) { return canonical(F{}(x, y, z)); });
  }
}

template <class T>
struct Divide {
  T operator()(T x, T y) const { return x / y; }
  /// Whether the exact quotient is below the smallest normal number: `.ftz` makes
  /// it zero then, even where the rounding would bring it up to that number.
  static bool is_tiny(T x, T y) {
    return std::fabs(double{x} / double{y}) < std::numeric_limits<T>::min();
  }
};

// Any rounding, flushing and saturation, one lane at a time.
template <class T, size_t Sources, class F>
void general(Warp& warp, const Instruction& in, uint32_t mask) {
  const bool ftz = in.immediate & 1, sat = in.immediate & 2;
  const RoundingScope scope(static_cast<int>(in.immediate >> 8));
  auto* d = reinterpret_cast<Slot<T>*>(warp.frame + in.d);
  for (uint32_t i = 0; i < lanes; ++i) {
    if (!(mask >> i & 1)) continue;
    const auto operand = [&](uint32_t field) {
      const T x = from_slot<T>(slots<T>(warp, field)[i]);
      return ftz ? flush(x) : x;
    };
    // volatile keeps the compiler from moving the arithmetic out of the rounding
    // scope
    volatile T x = operand(in.a);
    T result;
    if constexpr (Sources == 1) {
      result = F{}(T{x});
    } else if constexpr (Sources == 2) {
      volatile T y = operand(in.b);
      result = F{}(T{x}, T{y});
      if constexpr (std::is_same_v<F, Divide<float>>) {
        if (ftz && F::is_tiny(x, y)) result = std::copysign(0.0f, result);
      }
    } else {
      volatile T y = operand(in.b), z = operand(in.c);
      result = F{}(T{x}, T{y}, T{z});
    }
    volatile T settled = result;
    result = canonical(T{settled});
    if (ftz) result = flush(result);
    if (sat) result = saturate(result);
    d[i] = to_slot<T>(result);
  }
}

template <class T, size_t Sources, class F>
void arithmetic(Builder& b, const FloatModifiers& modifiers, F f,
                Origin::Tally tally = Origin::Tally::none) {
  constexpr bool single = sizeof(T) == 4;
  Instruction in = operands_of(b, single ? Type::f32 : Type::f64, Sources);
  if (modifiers.plain()) {
    bind_plain<T, Sources>(in, f);
  } else {
    in.immediate = modifiers.packed();
    bind_handler(in, &general<T, Sources, F>);
  }
  finish(b, in, single ? InstructionClass::float32 : InstructionClass::float64,
         tally);
}

template <class T>
void minimum_or_maximum(Builder& b, bool minimum) {
  const bool ftz = b.take("ftz"), propagate = b.take("NaN"),
             xorsign = b.take("xorsign");
  if (xorsign && !b.take("abs")) b.unsupported();
  if (b.operands().size() != 3) b.unsupported();
  Instruction in = operands_of(b, sizeof(T) == 4 ? Type::f32 : Type::f64, 2);
  in.detail = static_cast<uint16_t>((minimum ? 1 : 0) | (ftz ? 2 : 0) |
                                    (propagate ? 4 : 0) | (xorsign ? 8 : 0));
  if (in.detail == 1) {
    bind<T, T, T>(in, [](T x, T y) { return float_min(x, y); });
  } else if (in.detail == 0) {
    bind<T, T, T>(in, [](T x, T y) { return float_max(x, y); });
  } else {
    bind_handler(in, [](Warp& warp, const Instruction& i, uint32_t mask) {
      auto* d = reinterpret_cast<Slot<T>*>(warp.frame + i.d);
      for (uint32_t lane = 0; lane < lanes; ++lane) {
        if (!(mask >> lane & 1)) continue;
        T x = from_slot<T>(slots<T>(warp, i.a)[lane]);
        T y = from_slot<T>(slots<T>(warp, i.b)[lane]);
        if (i.detail & 2) {
          x = flush(x);
          y = flush(y);
        }
        const bool negative = std::signbit(x) != std::signbit(y);
        if (i.detail & 8) {
          x = std::fabs(x);
          y = std::fabs(y);
        }
        T result = i.detail & 1 ? float_min(x, y) : float_max(x, y);
        if ((i.detail & 4) && (x != x || y != y)) {
          result = canonical(std::numeric_limits<T>::quiet_NaN());
        }
        if ((i.detail & 8) && result == result)
          result = std::copysign(result, negative ? T{-1} : T{1});
        d[lane] = to_slot<T>(result);
      }
    });
  }
  finish(b, in,
         sizeof(T) == 4 ? InstructionClass::float32 : InstructionClass::float64);
}

// abs and neg change the sign bit, but not a NaN's.
template <class T>
void change_sign(Builder& b, bool absolute) {
  const bool ftz = b.take("ftz");
  Instruction in = operands_of(b, sizeof(T) == 4 ? Type::f32 : Type::f64, 1);
  const auto bind_sign = [&](auto f) {
    using F = decltype(f);
    if (ftz)
      bind<T, T>(in, [](T x) { return canonical(F{}(flush(x))); });
    else
      bind<T, T>(in, [](T x) { return canonical(F{}(x)); });
  };
  if (absolute)
    bind_sign([](T x) { return x != x ? x : std::fabs(x); });
  else
    bind_sign([](T x) { return x != x ? x : -x; });
  finish(b, in,
         sizeof(T) == 4 ? InstructionClass::float32 : InstructionClass::float64);
}

template <class T>
bool decode_arithmetic(Builder& b) {
  const std::string_view op = b.opcode();
  const auto tally = sizeof(T) == 4 ? Origin::Tally::multiply_add
                                    : Origin::Tally::multiply_add_f64;
  if (op == "min" || op == "max") {
    minimum_or_maximum<T>(b, op == "min");
  } else if (op == "abs" || op == "neg") {
    change_sign<T>(b, op == "abs");
  } else if (op == "copysign") {
    Instruction in = operands_of(b, sizeof(T) == 4 ? Type::f32 : Type::f64, 2);
    bind<T, T, T>(in, [](T x, T y) { return std::copysign(y, x); });
    finish(b, in,
           sizeof(T) == 4 ? InstructionClass::float32 : InstructionClass::float64);
  } else if (op == "add") {
    arithmetic<T, 2>(b, take_float_modifiers(b),
                     [](T x, T y) { return hand_on_nan(x + y, y, x); });
  } else if (op == "sub") {
    arithmetic<T, 2>(b, take_float_modifiers(b),
                     [](T x, T y) { return hand_on_nan(x - y, y, x); });
  } else if (op == "mul") {
    arithmetic<T, 2>(b, take_float_modifiers(b),
                     [](T x, T y) { return hand_on_nan(x * y, y, x); });
  } else if (op == "fma" || op == "mad") {
    arithmetic<T, 3>(
        b, take_float_modifiers(b),
        [](T x, T y, T z) { return hand_on_nan(std::fma(x, y, z), z, y, x); },
        tally);
  } else if (op == "div") {
    // `.approx` and `.full` are within 2 ulp on the machine; here they round
    // correctly.
    if (!b.take("approx")) b.take("full");
    arithmetic<T, 2>(b, take_float_modifiers(b), Divide<T>{});
  } else if (op == "rcp" || op == "sqrt") {
    const FloatModifiers modifiers = take_float_modifiers(b);
    if (op == "rcp")
      arithmetic<T, 1>(b, modifiers, [](T x) { return T{1} / x; });
    else
      arithmetic<T, 1>(b, modifiers, [](T x) { return std::sqrt(x); });
  } else {
    return false;
  }
  return true;
}

// Arithmetic ends in its type; loads, moves and comparisons of floats are other
// families'.
bool is_arithmetic(const Builder& b, std::string_view type) {
  const auto& words = b.rest();
  if (words.empty() || words.back() != type) return false;
  const std::string_view op = b.opcode();
  if (op == "rcp" || op == "sqrt") {
    return std::find(words.begin(), words.end(), "approx") == words.end();
  }
  for (const std::string_view known : {"add", "sub", "mul", "fma", "mad", "div",
                                       "min", "max", "abs", "neg", "copysign"}) {
    if (op == known) return true;
  }
  return false;
}

}  // namespace

bool decode_float32(Builder& b) {
  return is_arithmetic(b, "f32") && b.take("f32") && decode_arithmetic<float>(b);
}

bool decode_float64(Builder& b) {
  return is_arithmetic(b, "f64") && b.take("f64") && decode_arithmetic<double>(b);
}

}  // namespace rungs::cpu_device
