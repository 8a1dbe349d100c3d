/// \file
/// What is known of every byte of a block's shared memory: whether it was written,
/// by which warp, and who read it since. Finds races and reads of memory never
/// written.
///
/// Order between warps is kept in vector clocks, so that named barriers, which only
/// some warps join, order just those. Within a warp nothing is checked: a warp's
/// lanes run in step here.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cpu_device/memory/checks.hpp"

namespace rungs::cpu_device {

class SharedShadow {
 public:
  static constexpr uint32_t max_warps = 32;

  explicit SharedShadow(const Checks& checks) : checks_(checks) {}

  /// Forgets everything: a new block begins.
  void begin(uint32_t bytes, uint32_t warps);

  /// What an access is found to be.
  struct Finding {
    enum class Kind : uint8_t { fine, race, uninitialised } kind = Kind::fine;
    uint32_t byte = 0;        ///< address of the first byte concerned
    uint32_t other_warp = 0;  ///< of a race
    uint32_t other_instruction = 0;
    bool other_wrote = false;
  };
  /// \param instruction any number that stands for it: a finding hands it back
  Finding read(uint32_t warp, uint32_t address, uint32_t bytes,
               uint32_t instruction);
  Finding write(uint32_t warp, uint32_t address, uint32_t bytes,
                uint32_t instruction);
  /// An atomic access: it races with plain ones, not with other atomics.
  Finding update(uint32_t warp, uint32_t address, uint32_t bytes,
                 uint32_t instruction);

  /// Orders everything these warps did before against everything they do after.
  /// \param warps bit mask
  void barrier(uint32_t warps);

 private:
  struct Access {
    uint32_t clock = 0;  ///< 0: none
    uint8_t warp = 0;
    uint32_t instruction = 0;
  };
  struct Byte {
    Access writer;
    /// The last two warps that read it, and that updated it atomically, since then.
    std::array<Access, 2> readers, updaters;
    bool written = false;
  };
  static Finding race(uint32_t byte, const Access& other, bool wrote);
  static Finding unwritten(uint32_t byte);
  static void remember(std::array<Access, 2>& last, Access access);
  bool before(const Access& access, uint32_t warp) const {
    return access.clock == 0 || access.warp == warp ||
           clocks_[warp][access.warp] >= access.clock;
  }

  Checks checks_;
  uint32_t warps_ = 0;
  std::vector<Byte> bytes_;
  std::array<std::array<uint32_t, max_warps>, max_warps> clocks_{};
};

}  // namespace rungs::cpu_device
