/// \file
/// How the CPU device describes itself: with an H200's sizes and limits, so that
/// programs choose the launches that they would choose there. Features that the CPU
/// device does not have (clusters, cooperative launches, access to pageable memory,
/// sharing between processes) are reported as absent, so that programs that ask
/// take another way.
#pragma once

#include <driver_types.h>

#include <cstdint>

namespace rungs::cpu_device {

cudaDeviceProp h200_properties(uint64_t memory_bytes);

/// \throws Failure with cudaErrorInvalidValue for an attribute that does not exist
int h200_attribute(cudaDeviceAttr attribute);

}  // namespace rungs::cpu_device
