/// \file
/// The counts of single launches, where the CPU device runs the program.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>

/// Writes `name<TAB>counts document on one line` for every launch to a file, and
/// does nothing when no file is asked for. Only the CPU device has such counts:
/// anywhere else asking for them is wrong use.
class CountsFile {
 public:
  explicit CountsFile(const std::string& path) {
    if (path.empty()) return;
    reset_ =
        reinterpret_cast<Reset>(dlsym(RTLD_DEFAULT, "rungsCpuDeviceResetCounts"));
    json_ = reinterpret_cast<Json>(dlsym(RTLD_DEFAULT, "rungsCpuDeviceCountsJson"));
    if (reset_ == nullptr || json_ == nullptr) {
      std::fprintf(stderr,
                   "--counts: only the CPU device counts; run the program on it\n");
      std::exit(2);
    }
    file_ = std::fopen(path.c_str(), "w");
    if (file_ == nullptr) {
      std::fprintf(stderr, "--counts: cannot write '%s'\n", path.c_str());
      std::exit(2);
    }
  }
  CountsFile(const CountsFile&) = delete;
  CountsFile& operator=(const CountsFile&) = delete;
  ~CountsFile() {
    if (file_ != nullptr && std::fclose(file_) != 0) {
      std::fprintf(stderr,
                   "--counts: the counts file could not be written whole\n");
      std::_Exit(1);
    }
  }

  void start() const {
    if (file_ != nullptr) reset_();
  }

  void finish(const std::string& name) const {
    if (file_ == nullptr) return;
    std::string document = json_();
    for (char& c : document) {
      if (c == '\n') c = ' ';
    }
    std::fprintf(file_, "%s\t%s\n", name.c_str(), document.c_str());
  }

 private:
  using Reset = void (*)();
  using Json = const char* (*)();
  Reset reset_ = nullptr;
  Json json_ = nullptr;
  std::FILE* file_ = nullptr;
};
