#pragma once

#include <stdexcept>

namespace rungs {

/// Why there is no measurement, in one sentence. The rest goes on without it.
class Missing : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace rungs
