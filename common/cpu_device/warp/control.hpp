/// \file
/// What a barrier instruction asks for; read by the block's scheduler.
#pragma once

#include <cstdint>

namespace rungs::cpu_device {

enum class BarrierKind : uint16_t { sync, arrive, count, all, any };

/// Instruction::detail of a barrier: the kind, and whether the predicate is
/// negated.
constexpr uint16_t barrier_negated = 16;
constexpr BarrierKind barrier_kind(uint16_t detail) {
  return static_cast<BarrierKind>(detail & 15);
}

}  // namespace rungs::cpu_device
