#pragma once

#include <stdexcept>
#include <string>

namespace rungs {

/// The exit codes of every program of the course.
enum class Exit {
  good = 0,
  check_failed = 1,  ///< a check failed, or a result could not be written
  wrong_use = 2,     ///< the command line asks for what does not exist
  cannot_run = 77,   ///< this machine lacks something; CTest counts it as skipped
};

/// Ends the program: one sentence for stderr, and its exit code.
class Stop : public std::runtime_error {
 public:
  Stop(Exit code, const std::string& sentence)
      : std::runtime_error(sentence), code_(code) {}
  Exit code() const { return code_; }

 private:
  Exit code_;
};

}  // namespace rungs
