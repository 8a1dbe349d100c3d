/// \file
/// The options of the CPU device, from the environment or
/// rungsCpuDeviceConfigure().
#pragma once

#include <cstdint>
#include <string>

#include "cpu_device/warp/block_runner.hpp"

namespace rungs::cpu_device {

struct Configuration {
  unsigned threads = 1;  ///< host threads that run blocks
  Checks checks;
  uint64_t budget = Launch{}.budget;
  std::string report;  ///< file for the counts document at exit; empty: none

  /// The defaults, changed by the environment. Exits 2 for a bad value, in one
  /// sentence.
  static Configuration from_environment();

  /// Sets "threads", "checks" or "budget".
  /// \return empty, or the sentence that says what is wrong
  std::string set(const std::string& key, const std::string& value);
};

}  // namespace rungs::cpu_device
