/// \file
/// The counts of all launches, as the JSON document that rungsCpuDeviceCountsJson()
/// returns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cpu_device/counters/counters.hpp"
#include "cpu_device/warp/block_runner.hpp"

namespace rungs::cpu_device {

/// Sums the counts of launches by kernel, grid, block and dynamic shared size.
class CountsReport {
 public:
  void add(const Launch& launch, const KernelCounts& counts);
  /// Forgets the counts. What went wrong stays: it stays with the process too.
  void reset() { entries_.clear(); }

  /// What stopped a kernel, or kept it from running.
  enum class FaultKind { fault, unsupported };
  /// Keeps the sentence for the document's "faults", once.
  void add_fault(FaultKind kind, const std::string& sentence);

  /// The document, schema "rungs-cpu-counts/1".
  std::string json() const;

  /// Writes the document to a temporary file beside this one and renames it.
  /// \return empty, or the sentence that says what went wrong
  std::string write(const std::string& file) const;

 private:
  struct Entry {
    std::string mangled;
    Dim3 grid, block;
    uint32_t static_shared_bytes, dynamic_shared_bytes, local_bytes;
    uint64_t launches;
    KernelCounts counts;
  };
  struct FaultEntry {
    FaultKind kind;
    std::string sentence;
  };
  std::vector<Entry> entries_;
  std::vector<FaultEntry> faults_;
};

/// A mangled C++ name as the source spells it; other names as they are.
std::string demangled(const std::string& name);

}  // namespace rungs::cpu_device
