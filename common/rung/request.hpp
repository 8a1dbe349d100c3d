#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "check/ranges.hpp"
#include "measure/json.hpp"

namespace rungs {

/// A request that cannot be done, and why, in one sentence.
class Refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One line that a worker was asked: a JSON object. Every method throws Refused.
class Request {
 public:
  explicit Request(const std::string& line);

  /// What to do, {"do": ...}.
  std::string action() const { return text("do"); }

  std::string text(const char* name) const;
  std::string text(const char* name, const std::string& otherwise) const;
  int whole(const char* name, int otherwise) const;
  double number(const char* name, double otherwise) const;
  bool flag(const char* name, bool otherwise) const;
  std::vector<int> wholes(const char* name) const;

  /// {"X": [low, high]}; none at all if it is left out.
  Ranges ranges(const char* name) const;

 private:
  /// Null if there is none.
  const Json* find(const char* name) const;

  Json object_;
};

}  // namespace rungs
