/// \file
/// What the machine's floating-point units do that C++ leaves open: NaN results,
/// flushing of subnormals, saturation, rounding modes (PTX ISA, "Floating-Point
/// Instructions").
#pragma once

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "cpu_device/warp/lanewise.hpp"

namespace rungs::cpu_device {

/// A single-precision NaN result is always this one, whatever NaN came in.
inline float canonical(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  // Without a branch, so that loops over lanes become vector code.
  const uint32_t is_nan = 0u - uint32_t{(bits & 0x7FFFFFFFu) > 0x7F800000u};
  return std::bit_cast<float>((bits & ~is_nan) | (0x7FFFFFFFu & is_nan));
}
/// Double precision keeps the sign and the payload of an input NaN, made quiet.
inline double canonical(double x) {
  return x != x ? std::bit_cast<double>(std::bit_cast<uint64_t>(x) |
                                        0x0008000000000000ull)
                : x;
}

/// Which NaN a double-precision instruction hands on, as an H200 does: the first of
/// these that is one. Single precision has only one NaN.
template <class T, class... Operands>
T hand_on_nan(T result, T first, Operands... rest) {
  if constexpr (sizeof(T) == 8) {
    if (result != result && first == first) {
      if constexpr (sizeof...(rest) > 0) return hand_on_nan(result, rest...);
    }
    if (result != result && first != first) return canonical(first);
  }
  return result;
}

/// Subnormals become zeros of the same sign.
inline float flush(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  return std::bit_cast<float>((bits & 0x7F800000u) == 0 ? bits & 0x80000000u
                                                        : bits);
}
inline double flush(double x) { return x; }

/// `.sat`: to [0, 1]; NaN becomes +0.
template <class T>
T saturate(T x) {
  return x > T{0} ? (x < T{1} ? x : T{1}) : T{0};
}

/// The modifiers of an arithmetic instruction.
struct FloatModifiers {
  bool ftz = false, sat = false;
  int rounding = FE_TONEAREST;
  bool plain() const { return !ftz && !sat && rounding == FE_TONEAREST; }
  int64_t packed() const {
    return (ftz ? 1 : 0) | (sat ? 2 : 0) | int64_t{rounding} << 8;
  }
};

FloatModifiers take_float_modifiers(Builder& b);

/// Sets the host's rounding mode while it lives.
class RoundingScope {
 public:
  explicit RoundingScope(int mode) : changed_(mode != FE_TONEAREST) {
    if (changed_) std::fesetround(mode);
  }
  ~RoundingScope() {
    if (changed_) std::fesetround(FE_TONEAREST);
  }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  bool changed_;
};

/// min and max: a NaN operand loses against a number; -0 is less than +0.
template <class T>
T float_min(T x, T y) {
  if (x != x) return canonical(y);
  if (y != y) return x;
  if (x == y) return std::signbit(x) ? x : y;
  return x < y ? x : y;
}
template <class T>
T float_max(T x, T y) {
  if (x != x) return canonical(y);
  if (y != y) return x;
  if (x == y) return std::signbit(x) ? y : x;
  return x > y ? x : y;
}

}  // namespace rungs::cpu_device
