#include "cpu_device/counters/counters.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace rungs::cpu_device {

const char* class_name(InstructionClass instruction_class) {
  constexpr std::array<const char*, static_cast<size_t>(InstructionClass::count)>
      names = {"integer", "float32", "float64", "conversion", "compare",  "move",
               "control", "shared",  "global",  "local",      "constant", "param",
               "atomic",  "shuffle", "vote",    "barrier",    "other"};
  return names[static_cast<size_t>(instruction_class)];
}

void AccessCounts::add(const AccessCounts& other) {
  instructions += other.instructions;
  thread_instructions += other.thread_instructions;
  bytes += other.bytes;
  for (size_t i = 0; i < by_width.size(); ++i) by_width[i] += other.by_width[i];
  wavefronts += other.wavefronts;
  bank_conflicts += other.bank_conflicts;
  sectors += other.sectors;
}

void Counts::add(const Counts& other) {
  warp_instructions += other.warp_instructions;
  thread_instructions += other.thread_instructions;
  for (size_t i = 0; i < by_class.size(); ++i) by_class[i] += other.by_class[i];
  multiply_adds += other.multiply_adds;
  multiply_adds_f64 += other.multiply_adds_f64;
  shared_load.add(other.shared_load);
  shared_store.add(other.shared_store);
  global_load.add(other.global_load);
  global_store.add(other.global_store);
  local_load.add(other.local_load);
  local_store.add(other.local_store);
  shared_atomics += other.shared_atomics;
  global_atomics += other.global_atomics;
  barriers += other.barriers;
  shuffles += other.shuffles;
  votes += other.votes;
}

void KernelCounts::add(const KernelCounts& other) {
  total.add(other.total);
  std::map<std::pair<std::string, uint32_t>, Counts> merged;
  for (const LineCounts& line : lines) {
    merged[{line.where.file, line.where.line}].add(line.counts);
  }
  for (const LineCounts& line : other.lines) {
    merged[{line.where.file, line.where.line}].add(line.counts);
  }
  lines.clear();
  for (auto& [where, counts] : merged) {
    lines.push_back({{where.first, where.second}, counts});
  }
}

}  // namespace rungs::cpu_device
