#pragma once

#include <bit>
#include <cstdint>

namespace rungs {

/// Outputs are filled with this byte before a launch. Four of them are a NaN, so
/// that an element that no thread writes cannot pass for an answer.
inline constexpr unsigned char poison_byte = 0xFF;

/// True if `value` is, bit for bit, what poisoning left.
inline bool is_poison(float value) {
  return std::bit_cast<std::uint32_t>(value) == 0xFFFFFFFFu;
}

}  // namespace rungs
