#include "rung/answers.hpp"

#include <unistd.h>

#include <string>

#include "rung/stop.hpp"

namespace rungs {

Answers::Answers() : stream_(fdopen(dup(STDOUT_FILENO), "w")) {
  if (stream_ == nullptr || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    throw Stop(Exit::cannot_run, "--worker: there is no stdout to answer on");
  }
}

Answers::~Answers() { std::fclose(stream_); }

void Answers::write(const Json& answer) const {
  const std::string line =
      answer.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  if (std::fputs(line.c_str(), stream_) < 0 || std::fflush(stream_) != 0) {
    throw Stop(Exit::check_failed, "--worker: cannot write an answer");
  }
}

}  // namespace rungs
