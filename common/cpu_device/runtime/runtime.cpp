#include "cpu_device/runtime/runtime.hpp"

#include <unistd.h>

#include <set>

namespace rungs::cpu_device {

void write_note(const std::string& text) {
  const std::string line = "rungs cpu device: " + text + "\n";
  // What the program printed before stands before it, also when both go to one
  // file.
  std::fflush(stdout);
  [[maybe_unused]] const ssize_t written =
      ::write(STDERR_FILENO, line.data(), line.size());
}

void write_note_once(const std::string& text) {
  static std::mutex mutex;
  static auto* const written = new std::set<std::string>;
  {
    const std::lock_guard lock(mutex);
    if (!written->insert(text).second) return;
  }
  write_note(text);
}

Runtime& Runtime::get() {
  static Runtime* const runtime = new Runtime;
  return *runtime;
}

void Runtime::stop(cudaError_t error, const std::string& sentence) {
  if (sticky_error_ != cudaSuccess) return;
  sticky_error_ = error;
  last_fault = sentence;
  counts.add_fault(error == cudaErrorNotSupported
                       ? CountsReport::FaultKind::unsupported
                       : CountsReport::FaultKind::fault,
                   sentence);
  write_note(sentence);
}

cudaError_t& last_error() {
  thread_local cudaError_t error = cudaSuccess;
  return error;
}

cudaError_t error_of_current_exception(const char* function) {
  const auto note = [&](const std::string& text) {
    write_note(std::string(function) + ": " + text);
  };
  // Of a program whose kernels cannot run here at all: told to who reads the
  // report.
  const auto unsupported_note = [&](const std::string& text) {
    Runtime::get().counts.add_fault(CountsReport::FaultKind::unsupported, text);
    note(text);
  };
  try {
    throw;
  } catch (const Failure& failure) {
    if (failure.note.empty()) return failure.code;
    if (failure.code == cudaErrorNoKernelImageForDevice) {
      unsupported_note(failure.note);
    } else {
      note(failure.note);
    }
    return failure.code;
  } catch (const Unsupported& unsupported) {
    // For programs that say it in their own words.
    Runtime::get().last_fault = unsupported.what();
    unsupported_note(unsupported.what());
    return cudaErrorNotSupported;
  } catch (const PtxError& error) {
    unsupported_note(error.what());
    return cudaErrorInvalidPtx;
  } catch (const fatbin::Error& error) {
    unsupported_note(error.what());
    return cudaErrorInvalidKernelImage;
  } catch (const std::bad_alloc&) {
    return cudaErrorMemoryAllocation;
  } catch (const std::exception& error) {
    note(error.what());
    return cudaErrorUnknown;
  }
}

namespace {

/// Writes the report when the library goes, after the program's own exit handlers.
__attribute__((destructor)) void write_report() {
  Runtime& runtime = Runtime::get();
  if (runtime.configuration.report.empty()) return;
  const std::unique_lock lock(runtime.mutex, std::try_to_lock);
  if (!lock) {
    write_note(
        "no report is written: the program ends while a kernel runs; call "
        "cudaDeviceSynchronize first");
    return;
  }
  const std::string error = runtime.counts.write(runtime.configuration.report);
  if (!error.empty()) write_note(error);
}

}  // namespace
}  // namespace rungs::cpu_device
