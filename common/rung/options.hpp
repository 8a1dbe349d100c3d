#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "check/ranges.hpp"
#include "rung/device.hpp"
#include "rung/rung.hpp"

namespace rungs {

/// What a program does with its rungs.
enum class Action {
  check_and_count,  ///< the default; on a GPU nothing is counted but machine code
  count,            ///< --counts: the same, on the CPU device
  check,            ///< --check
  profile,          ///< --profile
  list,             ///< --list
  describe,         ///< --describe
  worker,           ///< --worker
};

/// What the command line asks for.
struct Options {
  Action action = Action::check_and_count;
  DeviceKind device = DeviceKind::automatic;
  Shape shape;  ///< the full shape, --shape or the operation's own
  std::uint64_t seed = 1;
  Ranges ranges;     ///< --range; with any, the check is at the full shape alone
  int threads = 0;   ///< of the CPU device; 0 for one a processor
  std::string json;  ///< file for the document, "-" for stdout, or empty
  std::vector<const Rung*>
      rungs;  ///< at least one, all of one ladder, in its order
};

/// Reads the command line of a program that holds `rungs`, all of one ladder.
///
/// --help and --version print and throw Stop(good, ""). Throws Stop (2) with one
/// sentence for anything that cannot be done, a shape that a chosen rung refuses
/// included.
Options parse_options(int argc, const char* const argv[],
                      const std::vector<const Rung*>& rungs);

/// The shape that `text`, such as "1024,512,64", gives an operation.
/// Throws Stop (2) if it is not one whole number for each size, at least
/// Operation::least.
Shape parse_shape(const std::string& text, const Operation& operation);

}  // namespace rungs
