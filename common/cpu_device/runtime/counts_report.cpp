#include "cpu_device/runtime/counts_report.hpp"

#include <cxxabi.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

namespace rungs::cpu_device {
namespace {

using Json = nlohmann::ordered_json;

bool same(const Dim3& a, const Dim3& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

double quotient(uint64_t above, uint64_t below) {
  return below == 0 ? 0 : static_cast<double>(above) / static_cast<double>(below);
}

Json widths(const AccessCounts& counts) {
  Json result = Json::object();
  for (size_t i = 0; i < counts.by_width.size(); ++i) {
    if (counts.by_width[i] != 0)
      result[std::to_string(1 << i)] = counts.by_width[i];
  }
  return result;
}

Json shared_access(const AccessCounts& counts) {
  return {{"instructions", counts.instructions},
          {"thread_instructions", counts.thread_instructions},
          {"by_width", widths(counts)},
          {"bytes", counts.bytes},
          {"wavefronts", counts.wavefronts},
          {"bank_conflicts", counts.bank_conflicts}};
}

Json global_access(const AccessCounts& counts) {
  return {{"instructions", counts.instructions},
          {"thread_instructions", counts.thread_instructions},
          {"by_width", widths(counts)},
          {"bytes", counts.bytes},
          {"sectors", counts.sectors},
          {"sectors_per_request", quotient(counts.sectors, counts.instructions)}};
}

Json local_access(const AccessCounts& counts) {
  return {{"instructions", counts.instructions},
          {"thread_instructions", counts.thread_instructions},
          {"bytes", counts.bytes},
          {"sectors", counts.sectors}};
}

Json instructions(const Counts& counts) {
  Json by_class = Json::object();
  for (size_t i = 0; i < counts.by_class.size(); ++i) {
    by_class[class_name(static_cast<InstructionClass>(i))] = counts.by_class[i];
  }
  return {{"total", counts.warp_instructions}, {"by_class", by_class}};
}

Json line(const LineCounts& line) {
  return {{"file", line.where.file},
          {"line", line.where.line},
          {"warp_instructions", line.counts.warp_instructions},
          {"multiply_adds", line.counts.multiply_adds},
          {"shared_load_wavefronts", line.counts.shared_load.wavefronts},
          {"shared_store_wavefronts", line.counts.shared_store.wavefronts},
          {"global_load_sectors", line.counts.global_load.sectors},
          {"global_store_sectors", line.counts.global_store.sectors}};
}

Json dimensions(const Dim3& size) { return Json::array({size.x, size.y, size.z}); }

}  // namespace

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : name;
}

void CountsReport::add(const Launch& launch, const KernelCounts& counts) {
  const Kernel& kernel = *launch.kernel;
  for (Entry& entry : entries_) {
    if (entry.mangled == kernel.name && same(entry.grid, launch.grid) &&
        same(entry.block, launch.block) &&
        entry.dynamic_shared_bytes == launch.dynamic_shared_bytes) {
      ++entry.launches;
      entry.counts.add(counts);
      return;
    }
  }
  entries_.push_back({kernel.name, launch.grid, launch.block,
                      kernel.static_shared_bytes, launch.dynamic_shared_bytes,
                      kernel.local_bytes, 1, counts});
}

void CountsReport::add_fault(FaultKind kind, const std::string& sentence) {
  for (const FaultEntry& entry : faults_) {
    if (entry.sentence == sentence) return;
  }
  faults_.push_back({kind, sentence});
}

std::string CountsReport::json() const {
  Json kernels = Json::array();
  for (const Entry& entry : entries_) {
    const Counts& total = entry.counts.total;
    Json lines = Json::array();
    for (const LineCounts& counts : entry.counts.lines)
      lines.push_back(line(counts));
    kernels.push_back({
        {"name", demangled(entry.mangled)},
        {"mangled", entry.mangled},
        {"launches", entry.launches},
        {"blocks", entry.launches * entry.grid.count()},
        {"threads_per_block", entry.block.count()},
        {"grid", dimensions(entry.grid)},
        {"block", dimensions(entry.block)},
        {"static_shared_bytes", entry.static_shared_bytes},
        {"dynamic_shared_bytes", entry.dynamic_shared_bytes},
        {"local_bytes", entry.local_bytes},
        {"warp_instructions", instructions(total)},
        {"thread_instructions", total.thread_instructions},
        {"active_lanes",
         quotient(total.thread_instructions, total.warp_instructions)},
        {"multiply_adds", total.multiply_adds},
        {"multiply_adds_f64", total.multiply_adds_f64},
        {"shared",
         {{"load", shared_access(total.shared_load)},
          {"store", shared_access(total.shared_store)}}},
        {"global",
         {{"load", global_access(total.global_load)},
          {"store", global_access(total.global_store)}}},
        {"local",
         {{"load", local_access(total.local_load)},
          {"store", local_access(total.local_store)}}},
        {"atomics",
         {{"shared", total.shared_atomics}, {"global", total.global_atomics}}},
        {"barriers", total.barriers},
        {"shuffles", total.shuffles},
        {"votes", total.votes},
        {"lines", lines},
    });
  }
  Json faults = Json::array();
  for (const FaultEntry& entry : faults_) {
    faults.push_back(
        {{"kind", entry.kind == FaultKind::fault ? "fault" : "unsupported"},
         {"sentence", entry.sentence}});
  }
  const Json document = {
      {"schema", "rungs-cpu-counts/1"}, {"kernels", kernels}, {"faults", faults}};
  // File names come from the source: bytes that are no UTF-8 must not end the
  // program.
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string CountsReport::write(const std::string& file) const {
  const std::string temporary = file + ".tmp" + std::to_string(getpid());
  const auto failed = [&](const char* what) {
    const std::string reason = std::strerror(errno);
    unlink(temporary.c_str());
    return std::string("cannot ") + what + " the report " + file + ": " + reason +
           "; set RUNGS_CPU_DEVICE_REPORT to a file in a folder that can be written";
  };
  const int descriptor =
      open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return failed("create");
  const std::string text = json();
  size_t written = 0;
  while (written < text.size()) {
    const ssize_t bytes =
        ::write(descriptor, text.data() + written, text.size() - written);
    if (bytes < 0) {
      if (errno == EINTR) continue;
      const std::string error = failed("write");
      close(descriptor);
      return error;
    }
    written += static_cast<size_t>(bytes);
  }
  if (fsync(descriptor) != 0 && errno != EINVAL && errno != ENOTSUP) {
    const std::string error = failed("write");
    close(descriptor);
    return error;
  }
  close(descriptor);
  if (rename(temporary.c_str(), file.c_str()) != 0) return failed("rename");
  return "";
}

}  // namespace rungs::cpu_device
