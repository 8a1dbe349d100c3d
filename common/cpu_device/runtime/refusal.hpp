/// \file
/// How the CPU device ends a program itself, so that who waits for the counts knows
/// it from a program that never used the device.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

namespace rungs::cpu_device {

/// Ends the process after the device has said why, and leaves an empty report: it
/// says "refused". Callable from a signal handler, and before constructors have
/// run. Static, so that each file has its own: one of them is built for older
/// processors.
[[noreturn]] static inline void end_process(int code) {
  if (const char* const report = std::getenv("RUNGS_CPU_DEVICE_REPORT")) {
    const int file = open(report, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file >= 0) close(file);
  }
  _exit(code);
}

}  // namespace rungs::cpu_device
