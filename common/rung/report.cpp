#include "rung/report.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "rung/stop.hpp"

namespace rungs {
namespace {

std::string format(const char* pattern, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), pattern, value);
  return text;
}

/// A figure as short as it is exact: 0.125, 12582912; "none" for null.
std::string figure(const Json& value) {
  if (value.is_null()) return "none";
  return value.is_number_float() ? format("%.6g", value.get<double>())
                                 : value.dump();
}

std::string check_line(const Result& result) {
  if (!result.error.empty()) {
    return (result.cannot_run ? "cannot run: " : "FAILED: ") + result.error;
  }
  if (!result.passed()) {
    const ShapeCheck& failed = result.checks.back();
    const double error = failed.comparison.max_relative_error;
    const std::string largest =
        std::isfinite(error) && error > 0
            ? "; the largest error is " + format("%.1e", error) + ", and " +
                  format("%.1e", failed.comparison.tolerance) + " is allowed"
            : "";
    return "FAILED at " + failed.shape.text() + ": " + failed.comparison.message +
           largest;
  }
  const ShapeCheck& worst = *std::max_element(
      result.checks.begin(), result.checks.end(),
      [](const ShapeCheck& a, const ShapeCheck& b) {
        return a.comparison.max_relative_error / a.comparison.tolerance <
               b.comparison.max_relative_error / b.comparison.tolerance;
      });
  return "passed at " + std::to_string(result.checks.size()) +
         (result.checks.size() == 1 ? " shape" : " shapes") +
         ", the largest error " +
         format("%.1e", worst.comparison.max_relative_error) + " of " +
         format("%.1e", worst.comparison.tolerance) + " allowed at " +
         worst.shape.text();
}

}  // namespace

void Report::line(const std::string& text) {
  if (error_ != 0) return;
  // One write a line: a reader of a pipe sees it at once.
  if (std::fputs((text + "\n").c_str(), stream_) < 0 || std::fflush(stream_) != 0) {
    error_ = errno;
  }
}

void Report::device(const Device& device) {
  std::string text = "device: " + device.name + " (" + device.reason + ")";
  if (device.kind == DeviceKind::cpu) {
    text += ", " + std::to_string(device.threads) +
            (device.threads == 1 ? " thread" : " threads");
  }
  line(text);
}

void Report::check(const Result& result) {
  line(result.rung->key().text());
  line("  check:   " + check_line(result));
}

void Report::counts(const Result& result, const MachineCode& code) {
  const std::string quantity = "shared_reads_per_multiply_add";
  const Json ptx =
      result.counts.empty() ? Json(nullptr) : ptx_counts(result.counts);
  const bool multiplies = result.rung->operation().multiply_adds != nullptr;
  std::string reads;
  const auto add = [&reads](const char* kind, const Json& value) {
    reads += std::string(reads.empty() ? "" : ", ") + kind + " " + figure(value);
  };
  for (const Argued& one : result.rung->description().argued) {
    if (one.quantity == quantity) add("argued", one.value);
  }
  if (!ptx.is_null()) add("PTX", ptx[quantity]);
  if (!code.counts.is_null()) add("SASS", code.counts[quantity]);
  if (multiplies) line("  reads:   of shared memory per multiply-add, " + reads);

  if (!ptx.is_null()) {
    const auto wavefronts = [&ptx](const std::string& access) {
      return figure(ptx["shared_" + access + "_wavefronts"]) + " " + access +
             " wavefronts (" + figure(ptx["shared_" + access + "_bank_conflicts"]) +
             " by conflicts)";
    };
    line("  shared:  " + wavefronts("load") + ", " + wavefronts("store"));
    line("  global:  " + figure(ptx["global_load_sectors"]) + " sectors loaded, " +
         figure(ptx["global_store_sectors"]) + " stored");
    line("  warps:   " + figure(ptx["warp_instructions"]) + " instructions, " +
         figure(ptx["barriers"]) + " of them barriers" +
         (multiplies
              ? "; " + figure(ptx["multiply_adds"]) + " multiply-adds of threads"
              : ""));
  }
  if (code.counts.is_null()) {
    line("  machine: not counted, " + code.missing);
  } else {
    line("  machine: " + figure(code.counts["registers"]) + " registers, " +
         figure(code.counts["shared_bytes"]) + " bytes of shared memory, " +
         figure(code.counts["spill_bytes"]) + " bytes spilled");
  }
}

void Report::finish() {
  if (error_ != 0) {
    throw Stop(Exit::check_failed,
               std::string("cannot write the report: ") + std::strerror(error_));
  }
}

}  // namespace rungs
