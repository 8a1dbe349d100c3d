#pragma once

#include <cstdint>
#include <vector>

#include "measure/json.hpp"

namespace rungs {

/// Times in nanoseconds, one a sample.
using Samples = std::vector<std::int64_t>;

/// The samples as microseconds for one operation, where each is the time of
/// `operations` of them, rounded to a nanosecond.
inline Json microseconds(const Samples& samples, int operations = 1) {
  Json list = Json::array();
  for (const std::int64_t nanoseconds : samples) {
    const std::int64_t each = (nanoseconds + operations / 2) / operations;
    list.push_back(static_cast<double>(each) / 1000);
  }
  return list;
}

}  // namespace rungs
