#pragma once

#include <string>

namespace rungs {

/// True if the CUDA runtime of this process is the CPU device.
bool on_cpu_device();

/// Sets an option of the CPU device, see cpu_device/cpu_device.h; throws Stop if it
/// refuses.
void configure_cpu_device(const std::string& key, const std::string& value);

/// Forgets what the CPU device has counted so far.
void reset_counts();

/// What it has counted, a document of schema "rungs-cpu-counts/1".
std::string counts_document();

/// The full text of the last fault; empty without one, and on a GPU.
std::string last_fault();

}  // namespace rungs
