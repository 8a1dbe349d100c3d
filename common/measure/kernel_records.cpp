#include "measure/kernel_records.hpp"

#include <algorithm>

#include "measure/missing.hpp"

namespace rungs {
namespace {

std::string counted(std::size_t records, int operations) {
  return "CUPTI recorded " + std::to_string(records) + " kernels of " +
         std::to_string(operations) + " operations";
}

KernelTimes::Part& part_of(const KernelLaunch& launch, KernelTimes& times) {
  auto& parts = times.parts;
  const auto same = std::find_if(parts.begin(), parts.end(), [&](const auto& part) {
    return part.launch == launch;
  });
  if (same != parts.end()) return *same;
  return parts.emplace_back(KernelTimes::Part{
      .launch = launch, .samples = Samples(times.samples.size(), 0)});
}

}  // namespace

KernelTimes match(std::vector<KernelRecord> records, int operations) {
  const auto count = static_cast<std::size_t>(operations);
  if (records.empty() || records.size() % count != 0) {
    throw Missing(counted(records.size(), operations));
  }
  std::stable_sort(
      records.begin(), records.end(),
      [](const auto& one, const auto& other) { return one.start < other.start; });

  const std::size_t each = records.size() / count;
  KernelTimes times{.samples = Samples(count, 0)};
  for (std::size_t i = 0; i < records.size(); ++i) {
    const KernelRecord& record = records[i];
    if (record.launch != records[i % each].launch) {
      throw Missing(counted(records.size(), operations) +
                    ", and not the same ones in each: " + record.launch.name +
                    " where the first operation has " +
                    records[i % each].launch.name);
    }
    if (record.end <= record.start) {
      throw Missing("CUPTI gave a kernel no time: " + record.launch.name);
    }
    const auto time = static_cast<std::int64_t>(record.end - record.start);
    KernelTimes::Part& part = part_of(record.launch, times);
    if (i < each) ++part.launches_per_operation;
    part.samples[i / each] += time;
    times.samples[i / each] += time;
  }
  return times;
}

void forget_first(KernelTimes& times, int operations) {
  const auto forget = [operations](Samples& samples) {
    samples.erase(samples.begin(), samples.begin() + operations);
  };
  forget(times.samples);
  for (KernelTimes::Part& part : times.parts) forget(part.samples);
}

}  // namespace rungs
