#pragma once

#include <map>
#include <string>

#include "check/operation.hpp"

namespace rungs {

/// What an input is filled with in place of its own range: values spread evenly
/// over [low, high), or that one value where both are equal. Never whole numbers
/// only.
struct Range {
  float low = 0;
  float high = 0;
};

/// Ranges by the names of inputs.
using Ranges = std::map<std::string, Range>;

/// Why an operation's inputs cannot be filled so, in one sentence: a name is no
/// input's, or a range is not finite or ends below its beginning. Empty if they
/// can.
std::string wrong_ranges(const Operation& operation, const Ranges& ranges);

/// The operation with these ranges in place of its inputs' own. Its tolerance
/// stays: it was derived for the inputs' own ranges, and may be exceeded.
Operation with_ranges(Operation operation, const Ranges& ranges);

}  // namespace rungs
