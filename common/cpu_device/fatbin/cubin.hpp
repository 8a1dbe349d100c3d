/// \file
/// What ptxas decided about each kernel, read from a cubin's ELF sections: the
/// register number above all, which occupancy depends on and PTX does not have.
#pragma once

#include "cpu_device/fatbin/container.hpp"

namespace rungs::cpu_device::fatbin {

/// The resources of one kernel in machine code.
struct CubinKernel {
  std::string name;             ///< mangled
  uint32_t registers = 0;       ///< 32-bit registers a thread
  uint32_t stack_bytes = 0;     ///< local memory a thread: spills and arrays
  uint32_t constant_bytes = 0;  ///< the module's `__constant__` variables
};

/// The kernels of a cubin (an ELF file for a GPU).
/// \throws Error when it is not well formed.
std::vector<CubinKernel> cubin_kernels(Bytes cubin);

}  // namespace rungs::cpu_device::fatbin
