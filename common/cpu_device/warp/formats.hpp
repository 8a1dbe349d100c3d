/// \file
/// Floating-point formats narrower than f32: f16, bf16, tf32, as bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace rungs::cpu_device {

/// How a value that lies between two neighbours is rounded.
enum class Rounding : uint8_t { nearest_even, nearest_away, toward_zero, down, up };

/// A format with one sign bit, like IEEE 754's.
struct Format {
  int exponent_bits, fraction_bits;
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
};
constexpr Format half_format{5, 10};
constexpr Format bfloat_format{8, 7};
constexpr Format tf32_format{8, 10};

/// The bits of the value rounded into the format. A NaN gives all ones below the
/// sign.
inline uint32_t round_to(Format format, double value, Rounding rounding) {
  const int fraction = format.fraction_bits;
  const uint32_t infinity = ((1u << format.exponent_bits) - 1) << fraction;
  if (value != value) return infinity | ((1u << fraction) - 1);
  const uint32_t sign =
      std::signbit(value) ? 1u << (format.exponent_bits + fraction) : 0;
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return sign | infinity;
  if (magnitude == 0) return sign;
  int exponent = std::ilogb(magnitude);
  const int lowest = 1 - format.bias();
  if (exponent < lowest) exponent = lowest;
  // In units of the last place: below 2^(fraction+1), exact in double.
  const double scaled = std::ldexp(magnitude, fraction - exponent);
  double units = std::floor(scaled);
  const double rest = scaled - units;
  bool up = false;
  switch (rounding) {
    case Rounding::nearest_even:
      up = rest > 0.5 || (rest == 0.5 && std::fmod(units, 2) == 1);
      break;
    case Rounding::nearest_away:
      up = rest >= 0.5;
      break;
    case Rounding::toward_zero:
      break;
    case Rounding::down:
      up = rest > 0 && sign != 0;
      break;
    case Rounding::up:
      up = rest > 0 && sign == 0;
      break;
  }
  if (up) units += 1;
  // A carry out of the fraction runs into the exponent, as it should.
  const uint32_t bits =
      static_cast<uint32_t>(units) +
      (static_cast<uint32_t>(exponent + format.bias() - 1) << fraction);
  if (bits < infinity) return sign | bits;
  const bool to_largest = rounding == Rounding::toward_zero ||
                          (rounding == Rounding::down && sign == 0) ||
                          (rounding == Rounding::up && sign != 0);
  return sign | (to_largest ? infinity - 1 : infinity);
}

/// The value of the format's bits.
inline double value_of(Format format, uint32_t bits) {
  const int fraction = format.fraction_bits;
  const uint32_t exponent = bits >> fraction & ((1u << format.exponent_bits) - 1);
  const uint32_t field = bits & ((1u << fraction) - 1);
  const double sign = bits >> (format.exponent_bits + fraction) & 1 ? -1.0 : 1.0;
  if (exponent == (1u << format.exponent_bits) - 1) {
    if (field == 0) return sign * HUGE_VAL;
    return std::bit_cast<double>((sign < 0 ? uint64_t{1} << 63 : 0) |
                                 0x7FF8000000000000ull |
                                 uint64_t{field} << (52 - fraction));
  }
  if (exponent == 0) return sign * std::ldexp(field, 1 - format.bias() - fraction);
  return sign * std::ldexp(field + (1u << fraction),
                           static_cast<int>(exponent) - format.bias() - fraction);
}

}  // namespace rungs::cpu_device
