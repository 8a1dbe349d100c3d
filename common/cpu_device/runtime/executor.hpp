/// \file
/// Runs a launch's blocks on host threads.
#pragma once

#include "cpu_device/warp/block_runner.hpp"

namespace rungs::cpu_device {

/// Runs all blocks on up to `threads` threads of a pool that lives as long as the
/// process, the calling one among them. Blocks are taken in ascending order; what
/// device-side printf writes goes to stdout in the order of the blocks.
///
/// A fault stops the launch. The fault of the smallest faulting block is the one
/// thrown, and nothing that a later block printed is written: the outcome does not
/// depend on the number of threads. (Blocks that talk to each other through memory
/// can still make it so.)
///
/// \param launch its `print` is set here
/// \throws Fault, Unsupported
KernelCounts run_blocks(Launch launch, const GlobalMemory& memory,
                        unsigned threads);

}  // namespace rungs::cpu_device
