#include "cpu_device/memory/global_memory.hpp"

#include <mutex>

namespace rungs::cpu_device {
namespace {

std::optional<Allocation> holder(const std::map<Address, Allocation>& table,
                                 Address address) {
  auto after = table.upper_bound(address);
  if (after == table.begin()) return std::nullopt;
  const Allocation& candidate = std::prev(after)->second;
  if (address >= candidate.end()) return std::nullopt;
  return candidate;
}

}  // namespace

void GlobalMemory::add(const Allocation& allocation) {
  const std::unique_lock lock(mutex_);
  live_[allocation.begin] = allocation;
  freed_.erase(allocation.begin);
}

bool GlobalMemory::remove(Address begin) {
  const std::unique_lock lock(mutex_);
  const auto found = live_.find(begin);
  if (found == live_.end()) return false;
  freed_[begin] = found->second;
  live_.erase(found);
  return true;
}

std::optional<Allocation> GlobalMemory::find(Address address) const {
  const std::shared_lock lock(mutex_);
  return holder(live_, address);
}

std::optional<Allocation> GlobalMemory::find_freed(Address address) const {
  const std::shared_lock lock(mutex_);
  if (holder(live_, address)) return std::nullopt;
  return holder(freed_, address);
}

std::optional<Allocation> GlobalMemory::before(Address address) const {
  const std::shared_lock lock(mutex_);
  const auto after = live_.upper_bound(address);
  if (after == live_.begin()) return std::nullopt;
  return std::prev(after)->second;
}

}  // namespace rungs::cpu_device
