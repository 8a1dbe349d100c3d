/// \file
/// What stops a kernel on the CPU device: a fault of the kernel, or PTX that the
/// device does not know. Both say where, in the words of the source.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace rungs::cpu_device {

/// A position in the CUDA source, from the PTX's `.loc` lines (nvcc `-lineinfo`).
struct SourceLine {
  std::string
      file;  ///< file name without folders; empty when the PTX has no line table
  uint32_t line = 0;  ///< 1-based; 0 when unknown
};

/// What a kernel did wrong.
enum class FaultKind {
  out_of_bounds,
  misaligned,
  use_after_free,
  race,
  uninitialised,
  divergent_barrier,
  assertion,
  trap,
  budget,
};

/// The plain name of a kind, as messages and tests use it.
constexpr const char* fault_name(FaultKind kind) {
  constexpr const char* names[] = {
      "out of bounds",     "misaligned", "use after free", "race",  "uninitialised",
      "divergent barrier", "assertion",  "trap",           "budget"};
  return names[static_cast<int>(kind)];
}

/// A kernel's fault. what() is one sentence with kernel, source line, block, thread
/// and, where there is one, address.
class Fault : public std::runtime_error {
 public:
  Fault(FaultKind kind, const std::string& message)
      : std::runtime_error(message), kind_(kind) {}
  FaultKind kind() const { return kind_; }

 private:
  FaultKind kind_;
};

/// PTX that the CPU device does not implement: its text and its line. Never
/// answered wrongly.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// PTX that is not well formed, or a name that does not exist in it.
class PtxError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace rungs::cpu_device
