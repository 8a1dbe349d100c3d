#include "check/ranges.hpp"

#include <algorithm>
#include <cmath>

namespace rungs {

std::string wrong_ranges(const Operation& operation, const Ranges& ranges) {
  for (const auto& [name, range] : ranges) {
    const bool known = std::any_of(
        operation.inputs.begin(), operation.inputs.end(),
        [&wanted = name](const Input& input) { return input.name == wanted; });
    if (!known) {
      std::string names;
      for (const Input& input : operation.inputs) {
        names += (names.empty() ? "" : ", ") + input.name;
      }
      return "no input is called \"" + name + "\"; there is " + names;
    }
    if (!std::isfinite(range.low) || !std::isfinite(range.high - range.low)) {
      return "the range of " + name + " is not finite";
    }
    if (range.low > range.high) {
      return "the range of " + name + " ends below its beginning";
    }
  }
  return "";
}

Operation with_ranges(Operation operation, const Ranges& ranges) {
  for (Input& input : operation.inputs) {
    const auto found = ranges.find(input.name);
    if (found == ranges.end()) continue;
    input.low = found->second.low;
    input.high = found->second.high;
    input.whole = false;
  }
  return operation;
}

}  // namespace rungs
