/// \file
/// The sixteen barriers of a block (PTX ISA, "bar, barrier").
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cpu_device/warp/warp.hpp"

namespace rungs::cpu_device {

/// Keeps who has arrived where. Arrivals count whole warps, as the machine's do.
class Barriers {
 public:
  explicit Barriers(BlockContext& context) : context_(context) {}

  void begin();
  /// A warp, all its live lanes together, executes a barrier instruction.
  /// \return whether it has to wait
  bool arrive(Warp& warp, const Instruction& in);
  /// Completes each barrier that all it waits for have reached.
  /// \return the warps that these free, bit mask
  uint32_t complete(const std::vector<Warp>& warps);
  /// Stops the kernel: every warp that has not ended waits, and nothing will come.
  [[noreturn]] void stuck(const std::vector<Warp>& warps) const;

 private:
  struct Barrier {
    uint32_t arrived = 0;   ///< warps, bit mask
    uint32_t waiting = 0;   ///< those of them that wait
    uint32_t expected = 0;  ///< threads; 0: all of the block
    uint32_t count = 0;     ///< threads whose predicate held, for bar.red
    uint32_t voters = 0;    ///< threads that voted
    const Instruction* instruction = nullptr;
  };
  bool ready(const Barrier& barrier, const std::vector<Warp>& warps) const;
  void finish(Barrier& barrier, const std::vector<Warp>& warps);

  BlockContext& context_;
  std::array<Barrier, 16> barriers_;
  uint32_t used_ = 0;  ///< barriers that a warp has arrived at, bit mask
  std::array<const Instruction*, 32> waits_at_{};
};

}  // namespace rungs::cpu_device
