#pragma once

#include <cstdio>

#include "measure/json.hpp"

namespace rungs {

/// stdout, for answers alone: while it lives, what anything else prints there goes
/// to stderr. Throws Stop if there is no stdout, or it takes no more.
class Answers {
 public:
  Answers();
  ~Answers();
  Answers(const Answers&) = delete;
  Answers& operator=(const Answers&) = delete;

  /// One line, at once.
  void write(const Json& answer) const;

 private:
  std::FILE* stream_;
};

}  // namespace rungs
