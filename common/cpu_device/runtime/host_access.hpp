/// \file
/// Says what happened when the host touches device memory, which a GPU does not
/// allow.
#pragma once

#include "cpu_device/runtime/memory.hpp"

namespace rungs::cpu_device {

/// Installs a handler of SIGSEGV. For an address in the device's range it prints
/// one sentence and ends the process with exit code 1; every other fault goes to
/// the handler before it.
void watch_host_access(const Memory& memory);

}  // namespace rungs::cpu_device
