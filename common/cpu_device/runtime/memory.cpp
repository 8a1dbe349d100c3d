#include "cpu_device/runtime/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "cpu_device/runtime/failure.hpp"
#include "cpu_device/runtime/host_access.hpp"
#include "cpu_device/runtime/refusal.hpp"

namespace rungs::cpu_device {
namespace {

constexpr uint64_t KiB = 1024, MiB = KiB * 1024, GiB = MiB * 1024;

// As an H200 with driver 580 reports it.
constexpr uint64_t h200_bytes = 150'109'880'320;

// Freed addresses come back only after the whole range was used once, so that an
// access after the free is seen.
constexpr uint64_t most_range_bytes = 256 * GiB;
constexpr uint64_t least_range_bytes = 1 * GiB;

// Wanted for the range, so that the same program has the same addresses every time.
constexpr uint64_t wanted_begin = 0x3000'0000'0000;

// The least distance between two allocations: an index that is a little too large
// does not hit the neighbour.
constexpr uint64_t gap_bytes = 256 * KiB;
constexpr uint64_t page_bytes = 4 * KiB;
constexpr uint64_t large_page_bytes = 2 * MiB;

uint64_t round_up(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// This machine's memory, or less where a control group limits the process.
uint64_t physical_memory() {
  uint64_t bytes = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                   static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  std::ifstream limit("/sys/fs/cgroup/memory.max");
  uint64_t value = 0;
  if (limit >> value && value > 0) bytes = std::min(bytes, value);
  return bytes;
}

}  // namespace

Memory::Memory() : physical_bytes_(physical_memory()) {
  // One reservation holds both halves: the device addresses, never accessible, and
  // behind them the bytes. A limit on the address space (ulimit -v) makes it
  // smaller.
  for (uint64_t bytes = most_range_bytes; bytes >= least_range_bytes; bytes /= 2) {
    void* const range =
        mmap(reinterpret_cast<void*>(wanted_begin), 2 * bytes + large_page_bytes,
             PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) continue;
    device_begin_ = round_up(reinterpret_cast<uint64_t>(range), large_page_bytes);
    range_bytes_ = bytes;
    cursor_ = device_begin_;
    return;
  }
  write_note(
      "cannot reserve addresses for device memory; raise the limit on the address "
      "space (ulimit -v) to 4 GiB or more");
  end_process(77);
}

void* Memory::backing(Address address) const {
  return reinterpret_cast<void*>(address + range_bytes_);
}

/// Finds room for an allocation and its gap, from the cursor on, then from the
/// beginning.
Address Memory::place(uint64_t bytes) {
  const uint64_t alignment =
      bytes >= large_page_bytes ? large_page_bytes : page_bytes;
  const uint64_t needed = round_up(bytes, page_bytes) + gap_bytes;
  const Address end = device_begin_ + range_bytes_;
  for (const Address start : {cursor_, device_begin_}) {
    Address candidate = round_up(start, alignment);
    auto next = reserved_.upper_bound(candidate);
    if (next != reserved_.begin()) {
      const auto previous = std::prev(next);
      candidate = round_up(std::max(candidate, previous->first + previous->second),
                           alignment);
    }
    while (next != reserved_.end() && candidate + needed > next->first) {
      candidate = round_up(next->first + next->second, alignment);
      ++next;
    }
    if (candidate <= end && needed <= end - candidate) {
      reserved_[candidate] = needed;
      cursor_ = candidate + needed;
      return candidate;
    }
  }
  return 0;
}

Address Memory::allocate(uint64_t bytes, const std::string& label, bool read_only) {
  if (bytes > free_bytes()) return 0;
  const Address begin = place(std::max<uint64_t>(bytes, 1));
  if (begin == 0) return 0;
  void* const host = backing(begin);
  // The gap becomes accessible too: then neighbours are one mapping for the kernel,
  // of which a process may have only some ten thousand.
  if (mprotect(host, reserved_[begin], PROT_READ | PROT_WRITE) != 0) {
    reserved_.erase(begin);
    return 0;
  }
  if (!watched_) {
    // Not before there is something to watch: a handler that main() installs comes
    // first.
    watch_host_access(*this);
    watched_ = true;
  }
  if (bytes >= large_page_bytes) {
    madvise(host, bytes / large_page_bytes * large_page_bytes, MADV_HUGEPAGE);
  }
  used_bytes_ += bytes;
  blocks_[begin] = {MemoryKind::device, begin, bytes, 0};
  table_.add({begin, bytes, static_cast<int64_t>(range_bytes_), read_only, label});
  return begin;
}

bool Memory::free(Address begin) {
  const auto found = blocks_.find(begin);
  if (found == blocks_.end()) return false;
  const MemoryBlock block = found->second;
  if (block.kind == MemoryKind::device) {
    // Gives the pages back; the next allocation there begins with zeros.
    madvise(backing(begin),
            round_up(std::max<uint64_t>(block.bytes, 1), page_bytes),
            MADV_DONTNEED);
    reserved_.erase(begin);
    used_bytes_ -= block.bytes;
  } else if (block.kind == MemoryKind::managed) {
    std::free(reinterpret_cast<void*>(begin));
  } else {
    return false;
  }
  blocks_.erase(found);
  table_.remove(begin);
  return true;
}

void Memory::enter_host(MemoryKind kind, void* begin, uint64_t bytes,
                        unsigned flags, const std::string& label) {
  const auto address = reinterpret_cast<Address>(begin);
  blocks_[address] = {kind, address, bytes, flags};
  table_.add({address, bytes, 0, false, label});
}

void* Memory::allocate_host(MemoryKind kind, uint64_t bytes, unsigned flags,
                            const std::string& label) {
  if (bytes > physical_bytes_) return nullptr;
  void* const begin = std::aligned_alloc(
      page_bytes, round_up(std::max<uint64_t>(bytes, 1), page_bytes));
  if (begin) enter_host(kind, begin, bytes, flags, label);
  return begin;
}

bool Memory::free_pinned(void* begin) {
  const auto found = blocks_.find(reinterpret_cast<Address>(begin));
  if (found == blocks_.end() || found->second.kind != MemoryKind::pinned)
    return false;
  blocks_.erase(found);
  table_.remove(reinterpret_cast<Address>(begin));
  std::free(begin);
  return true;
}

bool Memory::register_host(void* begin, uint64_t bytes, unsigned flags) {
  const auto address = reinterpret_cast<Address>(begin);
  const auto next = blocks_.lower_bound(address);
  if (next != blocks_.end() && next->first < address + bytes) return false;
  if (next != blocks_.begin()) {
    const MemoryBlock& previous = std::prev(next)->second;
    if (previous.begin + previous.bytes > address) return false;
  }
  enter_host(MemoryKind::registered, begin, bytes, flags,
             "cudaHostRegister of " + std::to_string(bytes) + " bytes");
  return true;
}

bool Memory::unregister_host(void* begin) {
  const auto found = blocks_.find(reinterpret_cast<Address>(begin));
  if (found == blocks_.end() || found->second.kind != MemoryKind::registered)
    return false;
  blocks_.erase(found);
  table_.remove(reinterpret_cast<Address>(begin));
  return true;
}

void Memory::reset() {
  while (!blocks_.empty()) {
    const MemoryBlock block = blocks_.begin()->second;
    void* const begin = reinterpret_cast<void*>(block.begin);
    if (block.kind == MemoryKind::pinned) {
      free_pinned(begin);
    } else if (block.kind == MemoryKind::registered) {
      unregister_host(begin);
    } else {
      free(block.begin);
    }
  }
}

MemoryBlock Memory::find(const void* pointer) const {
  const auto address = reinterpret_cast<Address>(pointer);
  auto next = blocks_.upper_bound(address);
  if (next != blocks_.begin()) {
    const MemoryBlock& block = std::prev(next)->second;
    if (address - block.begin < std::max<uint64_t>(block.bytes, 1)) return block;
  }
  if (is_device_address(address)) return {MemoryKind::device, address, 0, 0};
  return {MemoryKind::pageable, address, 0, 0};
}

std::byte* Memory::host_bytes(const void* pointer, uint64_t bytes) const {
  const MemoryBlock block = find(pointer);
  const auto address = reinterpret_cast<Address>(pointer);
  if (block.kind != MemoryKind::pageable &&
      (address - block.begin > block.bytes ||
       bytes > block.bytes - (address - block.begin))) {
    return nullptr;
  }
  return static_cast<std::byte*>(block.kind == MemoryKind::device
                                     ? backing(address)
                                     : const_cast<void*>(pointer));
}

std::string Memory::describe(Address address) const {
  if (const auto block = table_.find(address)) {
    return std::to_string(address - block->begin) + " bytes into " + block->label;
  }
  if (const auto freed = table_.find_freed(address)) {
    return "inside " + freed->label + ", which was freed";
  }
  if (const auto before = table_.before(address)) {
    return std::to_string(address - before->end()) + " bytes past the end of " +
           before->label;
  }
  return "near no allocation";
}

uint64_t Memory::total_bytes() const { return h200_bytes; }

uint64_t Memory::free_bytes() const {
  const uint64_t most = std::min({h200_bytes, physical_bytes_, range_bytes_});
  return most > used_bytes_ ? most - used_bytes_ : 0;
}

}  // namespace rungs::cpu_device
