/// \file
/// The one object that the entry points share, and the frame that each of them runs
/// in.
#pragma once

#include <driver_types.h>

#include <mutex>
#include <new>
#include <string>

#include "cpu_device/runtime/configuration.hpp"
#include "cpu_device/runtime/counts_report.hpp"
#include "cpu_device/runtime/failure.hpp"
#include "cpu_device/runtime/memory.hpp"
#include "cpu_device/runtime/modules.hpp"
#include "cpu_device/runtime/streams.hpp"

namespace rungs::cpu_device {

/// The state of the CPU device. Everything in it is protected by `mutex`.
class Runtime {
 public:
  /// Made at the first use and never destroyed: programs call into the runtime
  /// before their constructors and after their destructors.
  static Runtime& get();

  /// The error that stopped the device. Every call but cudaGetLastError() returns
  /// it from then on, as on a GPU after a kernel faulted: the process has to end.
  cudaError_t sticky_error() const { return sticky_error_; }

  /// Stops the device, with a sentence for stderr and rungsCpuDeviceLastFault().
  void stop(cudaError_t error, const std::string& sentence);

  /// Calls back into the program, which may use the runtime meanwhile.
  template <typename Function>
  void unlocked(Function&& function) {
    struct Relock {
      std::mutex& mutex;
      ~Relock() { mutex.lock(); }
    } const relock{mutex};
    mutex.unlock();
    function();
  }

  std::mutex mutex;
  Configuration configuration = Configuration::from_environment();
  Memory memory;
  Modules modules{memory};
  Streams streams;
  CountsReport counts;
  std::string last_fault;

 private:
  Runtime() = default;
  cudaError_t sticky_error_ = cudaSuccess;
};

/// The calling thread's last error, which cudaGetLastError() returns.
cudaError_t& last_error();

/// Turns the exception in flight into a CUDA error code, with a note on stderr that
/// begins with the function's name.
cudaError_t error_of_current_exception(const char* function);

/// The frame of an entry point that answers even after a fault: queries of fixed
/// facts.
template <typename Body>
cudaError_t answer(const char* function, Body&& body) {
  Runtime& runtime = Runtime::get();
  cudaError_t error = cudaSuccess;
  {
    const std::lock_guard lock(runtime.mutex);
    try {
      body(runtime);
    } catch (...) {
      error = error_of_current_exception(function);
    }
  }
  if (error != cudaSuccess) last_error() = error;
  return error;
}

/// The frame of every other entry point: one at a time, the sticky error first,
/// exceptions as error codes.
template <typename Body>
cudaError_t call(const char* function, Body&& body) {
  return answer(function, [&](Runtime& runtime) {
    if (runtime.sticky_error() != cudaSuccess)
      throw Failure{runtime.sticky_error()};
    body(runtime);
  });
}

}  // namespace rungs::cpu_device
