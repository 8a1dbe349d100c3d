/// \file
/// The device's address space: which addresses belong to an allocation, and where
/// their bytes are on the host. It owns no storage: the runtime layer reserves a
/// range of addresses that the host cannot touch, with the backing at a fixed
/// offset, and tells it here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>
#include <string>

namespace rungs::cpu_device {

using Address = uint64_t;

/// One allocation that kernels may access.
struct Allocation {
  Address begin = 0;
  uint64_t bytes = 0;       ///< as requested: an access past it is out of bounds
  int64_t host_offset = 0;  ///< host address = device address + host_offset
  bool read_only = false;   ///< constant memory
  std::string label;        ///< "cudaMalloc of 4096 bytes", "variable counter"
  Address end() const { return begin + bytes; }
};

/// A table of live allocations and of the freed ones, for messages. Lookups may run
/// in several threads at once; changes exclude them.
class GlobalMemory {
 public:
  /// Enters an allocation. Ranges must not overlap.
  void add(const Allocation& allocation);
  /// Removes the allocation that begins at this address, and remembers it as freed.
  /// \return false when none begins there.
  bool remove(Address begin);
  /// The allocation that holds the address, if any.
  std::optional<Allocation> find(Address address) const;
  /// The freed allocation that held the address most recently, if no live one does.
  std::optional<Allocation> find_freed(Address address) const;
  /// The last allocation that ends at or before the address: for "N bytes past the
  /// end of".
  std::optional<Allocation> before(Address address) const;

 private:
  mutable std::shared_mutex mutex_;
  std::map<Address, Allocation> live_;
  std::map<Address, Allocation> freed_;
};

}  // namespace rungs::cpu_device
