#pragma once

#include <span>
#include <string>
#include <vector>

#include "check/tolerance.hpp"

namespace rungs {

/// What comparing an output with its reference found.
struct Comparison {
  bool passed = false;
  double max_relative_error =
      0;                     ///< see Tolerance; NaN if an element is not finite
  double tolerance = 0;      ///< the largest that was allowed
  std::string message = {};  ///< one sentence on what is wrong; empty if passed
};

/// Compares `output`, called `name`, with its float64 `reference`, element by
/// element.
///
/// Both are row-major, with `extents` (none for a scalar), which only serve to name
/// the first wrong element. NaN, infinity and poison are wrong, whatever the
/// tolerance. Throws std::invalid_argument if the lengths differ or nothing is
/// there to compare.
Comparison compare(const std::string& name, const std::vector<int>& extents,
                   std::span<const float> output, std::span<const double> reference,
                   const Tolerance& tolerance);

}  // namespace rungs
