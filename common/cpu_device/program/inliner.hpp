/// \file
/// A kernel's PTX to a draft: every instruction decoded, every call replaced by the
/// body of the function it calls.
#pragma once

#include <functional>
#include <string_view>

#include "cpu_device/memory/global_memory.hpp"
#include "cpu_device/program/builder.hpp"
#include "cpu_device/ptx/ast.hpp"

namespace rungs::cpu_device {

/// Looks up a module variable's device address.
using AddressOf = std::function<bool(std::string_view name, Address* address)>;

/// \throws Unsupported for instructions the device does not know and for recursion
Draft decode_kernel(const ptx::Module& module, const ptx::Function& kernel,
                    const AddressOf& address_of);

}  // namespace rungs::cpu_device
