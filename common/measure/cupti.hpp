#pragma once

#include <string>
#include <vector>

#include "measure/kernel_records.hpp"

namespace rungs {

/// Records every kernel of the process while it lives. One at a time.
///
/// CUPTI is found at run time: one that the process has loaded already, the copy
/// that the build puts beside this library or below the program, or the system's.
class KernelTrace {
 public:
  /// Throws Missing if there is no CUPTI, or it is in use or not permitted.
  KernelTrace();
  ~KernelTrace();
  KernelTrace(const KernelTrace&) = delete;
  KernelTrace& operator=(const KernelTrace&) = delete;

  /// The records so far, after the device is idle; `expected` is the fewest that
  /// there must be. Throws Missing if CUPTI has dropped some.
  std::vector<KernelRecord> finish(int expected);
};

/// The version of the CUPTI that KernelTrace would use, "13.0"; empty without one.
std::string cupti_version();

/// Why CUPTI's `call` failed, and what helps. `code` is a CUptiResult, `name`
/// CUPTI's word for it.
std::string cupti_sentence(const std::string& call, int code,
                           const std::string& name);

/// "13.0" for 130001; for the plain numbers up to CUDA 12, "API version 28".
std::string cupti_version_text(unsigned version);

}  // namespace rungs
