/// \file
/// How the runtime's own code refuses: with a CUDA error code, and a sentence where
/// the code alone does not say enough.
#pragma once

#include <driver_types.h>

#include <string>

namespace rungs::cpu_device {

/// Ends a runtime call with this error. The note, if any, goes to stderr.
struct Failure {
  cudaError_t code;
  std::string note = "";
};

/// Throws Failure unless the condition holds.
inline void require(bool condition, cudaError_t code = cudaErrorInvalidValue,
                    const char* note = "") {
  if (!condition) throw Failure{code, note};
}

/// Writes "rungs cpu device: TEXT" and a newline to stderr, in one write.
void write_note(const std::string& text);

/// The same, but only the first time for this text.
void write_note_once(const std::string& text);

}  // namespace rungs::cpu_device
