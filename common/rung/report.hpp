#pragma once

#include <cstdio>
#include <string>

#include "rung/counts.hpp"
#include "rung/device.hpp"
#include "rung/runner.hpp"

namespace rungs {

/// The plain report: ASCII lines for a person, on one stream, each written when it
/// is known.
class Report {
 public:
  explicit Report(std::FILE* stream) : stream_(stream) {}

  void line(const std::string& text);
  void device(const Device& device);
  void check(const Result& result);

  /// What is argued and what is counted of a rung that passed. On a GPU nothing is
  /// counted while it runs: what is left is its machine code.
  void counts(const Result& result, const MachineCode& code);

  /// Throws Stop (1) with the reason if a line could not be written: a full disk,
  /// say.
  void finish();

 private:
  std::FILE* stream_;
  int error_ = 0;
};

}  // namespace rungs
