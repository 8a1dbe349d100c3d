/// \file
/// The last error, and what errors are called.
#include "cpu_device/runtime/entry.hpp"

using namespace rungs::cpu_device;

namespace {

struct Name {
  int value;
  const char *name, *text;
};

constexpr Name names[] = {
#define X(value, name, text) {value, #name, text},
#include "cpu_device/runtime/errors.def"
#undef X
};

constexpr const char* unknown = "unrecognized error code";

}  // namespace

const char* cudaGetErrorName(cudaError_t error) {
  for (const Name& entry : names) {
    if (entry.value == static_cast<int>(error)) return entry.name;
  }
  return unknown;
}

const char* cudaGetErrorString(cudaError_t error) {
  for (const Name& entry : names) {
    if (entry.value == static_cast<int>(error)) return entry.text;
  }
  return unknown;
}

cudaError_t cudaPeekAtLastError() { return last_error(); }

/// Once a call has returned a fault's error, this returns it every time.
cudaError_t cudaGetLastError() {
  const cudaError_t error = last_error();
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  if (error != runtime.sticky_error()) last_error() = cudaSuccess;
  return error;
}
