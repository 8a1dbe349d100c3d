/// \file
/// What the programs of this folder share. Each of them verifies its own results,
/// on the CPU device and on a GPU alike, and exits 1 when one is wrong.
#pragma once

#include <cuda_runtime.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace emulate {

inline int failures = 0;

/// Whether this process runs on the CPU device.
inline bool on_cpu_device() { return dlsym(RTLD_DEFAULT, "rungsCpuDeviceVersion"); }

/// Ends the program with 77, cannot run here, where there is no device at all.
inline void need_device() {
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error == cudaSuccess && devices > 0) return;
  std::printf("no GPU here: %s\n", cudaGetErrorString(error));
  std::exit(77);
}

inline void expect(bool holds, const char* text, const char* file, int line) {
  if (holds) return;
  ++failures;
  std::printf("%s:%d: %s does not hold\n", file, line, text);
}

inline void expect_error(cudaError_t got, cudaError_t wanted, const char* text,
                         const char* file, int line) {
  if (got == wanted) return;
  ++failures;
  std::printf("%s:%d: %s gives %s, not %s\n", file, line, text,
              cudaGetErrorName(got), cudaGetErrorName(wanted));
}

/// The program's exit code.
inline int result() {
  std::printf(failures == 0 ? "all as expected\n" : "%d differ\n", failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace emulate

#define EXPECT(...) \
  emulate::expect(bool(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
/// The call gives exactly this error, which is then forgotten.
#define EXPECT_ERROR(error, ...)                                                \
  (emulate::expect_error(__VA_ARGS__, error, #__VA_ARGS__, __FILE__, __LINE__), \
   (void)cudaGetLastError())
#define EXPECT_OK(...) \
  emulate::expect_error(__VA_ARGS__, cudaSuccess, #__VA_ARGS__, __FILE__, __LINE__)
