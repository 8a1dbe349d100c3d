/// \file
/// Runs the warps of a block: basic block by basic block, diverged lanes apart,
/// barriers between.
///
/// Divergence: a warp is a set of groups, each with its lanes and the basic block
/// they come to next. The group with the lowest block runs; groups that come to the
/// same block become one. Compilers lay code out so that branches meet again
/// further down, so this brings lanes together as early as the code allows, with no
/// analysis of the control flow.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu_device/warp/barriers.hpp"
#include "cpu_device/warp/warp.hpp"

namespace rungs::cpu_device {

/// How often a basic block ran, and with how many lanes in all.
struct BlockTimes {
  uint64_t warps = 0, lanes = 0;
};

class Scheduler {
 public:
  explicit Scheduler(BlockContext& context)
      : context_(context), barriers_(context) {}
  /// Once the context has its program.
  void prepare();
  /// Runs a block's warps to their end.
  /// \throws Fault
  void run(std::vector<Warp>& warps);
  BlockTimes times(size_t block) const { return times_[block]; }

 private:
  enum class Status : uint8_t { ended, waiting, paused };
  Status advance(Warp& warp);
  /// Makes the runnable group with the lowest block the current one. Faults when
  /// all wait.
  void choose_group(Warp& warp);
  /// Whether the current group has all the lanes that its block wants together.
  bool converged(const Warp& warp, const Group& group) const;
  void execute(Warp& warp, const Block& block);
  void branch(Warp& warp, const Block& block);
  /// \return false when no lane of the warp is left
  bool leave(Warp& warp, const Block& block);
  void jump_by_table(Warp& warp, const Block& block);
  [[noreturn]] void divergent(const Warp& warp) const;
  uint32_t guarded(const Warp& warp, const Instruction& in, uint32_t mask) const;

  BlockContext& context_;
  Barriers barriers_;
  std::vector<BlockTimes> times_;
  std::vector<Status> status_;  ///< by warp
  uint64_t executed_ = 0;       ///< by the block so far
};

}  // namespace rungs::cpu_device
