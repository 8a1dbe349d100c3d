#include "rung/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "rung/stop.hpp"

namespace rungs {
namespace {

std::string why_not(const std::string& path) {
  return "cannot write " + path + ": " + std::strerror(errno);
}

/// Closes what it opened.
class Descriptor {
 public:
  Descriptor(const std::string& path, int flags)
      : number_(open(path.c_str(), flags | O_WRONLY | O_CLOEXEC, 0666)) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  bool is_open() const { return number_ >= 0; }
  bool sync() const { return fsync(number_) == 0; }

  bool write(const std::string& text) const {
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t more = ::write(number_, text.data() + done, text.size() - done);
      if (more < 0) return false;
      done += static_cast<std::size_t>(more);
    }
    return true;
  }

  bool close() {
    const int number = number_;
    number_ = -1;
    return number < 0 || ::close(number) == 0;
  }

 private:
  int number_;
};

bool is_special(const std::string& path) {
  std::error_code none;
  const std::filesystem::file_status status = std::filesystem::status(path, none);
  return exists(status) && !is_regular_file(status);
}

/// Beside the file that `path` means, links followed: a rename must not cross file
/// systems, and must not put a file in a link's place.
std::string target_of(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path target =
      std::filesystem::weakly_canonical(path, failed);
  return failed ? path : target.string();
}

std::string new_file_of(const std::string& target) {
  return target + ".new-" + std::to_string(getpid());
}

}  // namespace

void require_writable(const std::string& path) {
  if (is_special(path)) {
    if (!Descriptor(path, 0).is_open()) throw Stop(Exit::wrong_use, why_not(path));
    return;
  }
  const std::string probe = new_file_of(target_of(path));
  if (!Descriptor(probe, O_CREAT).is_open())
    throw Stop(Exit::wrong_use, why_not(path));
  unlink(probe.c_str());
}

void write_whole(const std::string& path, const std::string& text) {
  if (is_special(path)) {
    Descriptor file(path, 0);
    if (!file.is_open() || !file.write(text) || !file.close()) {
      throw Stop(Exit::check_failed, why_not(path));
    }
    return;
  }
  const std::string target = target_of(path);
  const std::string fresh = new_file_of(target);
  Descriptor file(fresh, O_CREAT | O_TRUNC);
  if (!file.is_open() || !file.write(text) || !file.sync() || !file.close() ||
      rename(fresh.c_str(), target.c_str()) != 0) {
    const std::string why = why_not(path);
    unlink(fresh.c_str());
    throw Stop(Exit::check_failed, why);
  }
}

}  // namespace rungs
