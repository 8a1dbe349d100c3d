/// \file
/// The last error, and what errors are called.
#include <utility>

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

/// Tells an error once, also a fault's: what keeps failing afterwards are the other
/// calls, each of which sets it again.
cudaError_t cudaGetLastError() { return std::exchange(last_error(), cudaSuccess); }
