/// \file
/// The memory that programs get from the runtime. Device memory has addresses that
/// the host cannot touch (a host access faults, as with a GPU) and its bytes at a
/// fixed distance; pinned and managed memory is the host's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "cpu_device/memory/global_memory.hpp"

namespace rungs::cpu_device {

/// What kind of memory a pointer points to.
enum class MemoryKind { pageable, device, pinned, registered, managed };

/// The block that a pointer lies in.
struct MemoryBlock {
  MemoryKind kind = MemoryKind::pageable;
  Address begin = 0;
  uint64_t bytes = 0;
  unsigned flags = 0;  ///< of cudaHostAlloc, cudaHostRegister or cudaMallocManaged
};

/// A process's device memory and its kernel-accessible host memory. Not
/// thread-safe: the runtime's lock protects it, and no kernel runs meanwhile.
class Memory {
 public:
  Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Device memory, zeroed. \return 0 when there is not enough memory.
  Address allocate(uint64_t bytes, const std::string& label,
                   bool read_only = false);
  /// \return false when no device or managed memory begins there.
  bool free(Address begin);

  /// Host memory that kernels can access. \return null when there is not enough
  /// memory.
  void* allocate_host(MemoryKind kind, uint64_t bytes, unsigned flags,
                      const std::string& label);
  /// \return false when no pinned memory begins there.
  bool free_pinned(void* begin);
  /// Makes the caller's own memory accessible. \return false when part of it is
  /// already.
  bool register_host(void* begin, uint64_t bytes, unsigned flags);
  /// \return false when no registered memory begins there.
  bool unregister_host(void* begin);

  /// Frees everything that the program allocated.
  void reset();

  /// Where a pointer points to. Device memory that is free counts as a block of 0
  /// bytes.
  MemoryBlock find(const void* pointer) const;

  /// The host address of device memory (or the pointer itself for the host's own),
  /// or null unless all bytes lie in one allocation. Pageable memory is taken as it
  /// is.
  std::byte* host_bytes(const void* pointer, uint64_t bytes) const;

  bool is_device_address(Address address) const {
    return address >= device_begin_ && address - device_begin_ < range_bytes_;
  }

  /// For a message: "inside cudaMalloc of 4096 bytes", "16 bytes past the end of
  /// ...".
  std::string describe(Address address) const;

  const GlobalMemory& table() const { return table_; }
  uint64_t total_bytes() const;  ///< an H200's
  uint64_t free_bytes()
      const;  ///< what can be allocated, within this machine's memory
  uint64_t used_bytes() const { return used_bytes_; }

 private:
  Address place(uint64_t bytes);
  void* backing(Address address) const;
  void enter_host(MemoryKind kind, void* begin, uint64_t bytes, unsigned flags,
                  const std::string& label);

  Address device_begin_ = 0;
  uint64_t range_bytes_ = 0;
  Address cursor_ = 0;                    // where the next allocation is looked for
  std::map<Address, uint64_t> reserved_;  // device allocations with their gap
  std::map<Address, MemoryBlock> blocks_;  // everything the program can name
  bool watched_ = false;                   // the host's access to device memory is
  uint64_t used_bytes_ = 0;
  uint64_t physical_bytes_ = 0;
  GlobalMemory table_;
};

}  // namespace rungs::cpu_device
