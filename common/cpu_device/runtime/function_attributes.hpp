/// \file
/// A kernel's resources on an H200: what launches, attributes and occupancy agree
/// on.
#pragma once

#include <cstdint>

#include "cpu_device/runtime/modules.hpp"

namespace rungs::cpu_device {

/// 32-bit registers a thread: ptxas's number where the program has an sm_90 cubin,
/// else an estimate from the PTX.
uint32_t registers(const RegisteredKernel& kernel);

/// Registers that a block of so many threads takes, in whole units and for whole
/// groups of four warps.
uint64_t registers_of_block(const RegisteredKernel& kernel, uint64_t threads);

/// The most dynamic shared memory that a launch may ask for: what the program opted
/// in to with cudaFuncSetAttribute, else what fits into 48 KiB.
uint64_t dynamic_shared_limit(const RegisteredKernel& kernel);

/// Blocks of this size that one multiprocessor of an H200 holds at a time; 0 where
/// a launch is refused. Source: the rules of CUDA's cuda_occupancy.h for compute
/// capability 9.0.
unsigned resident_blocks(const RegisteredKernel& kernel, uint64_t threads,
                         uint64_t dynamic_shared_bytes);

}  // namespace rungs::cpu_device
