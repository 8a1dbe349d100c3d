/// \file
/// Decompression of fat binary payloads by the system's libzstd and liblz4. They
/// are looked for at run time, so that neither is needed to build or to run plain
/// payloads.
#pragma once

#include "cpu_device/fatbin/container.hpp"

namespace rungs::cpu_device::fatbin {

/// \param bytes the size after decompression, as the container says
/// \throws Error when the library is not on this system, or the data do not unpack
/// to
///         exactly `bytes`
std::vector<std::byte> decompress(Compression compression, Bytes data,
                                  uint64_t bytes);

}  // namespace rungs::cpu_device::fatbin
