/// \file
/// Device functions that have no PTX body: vprintf and __assertfail.
#pragma once

#include <string_view>
#include <vector>

#include "cpu_device/program/builder.hpp"

namespace rungs::cpu_device {

/// Appends the call of a built-in function.
/// \param arguments values: 64-bit registers for pointers, 32-bit ones otherwise
/// \param result a 32-bit value for the return value, or `absent`
/// \return false when no built-in has the name
bool decode_builtin_call(Builder& b, std::string_view name,
                         const std::vector<uint32_t>& arguments, uint32_t result);

}  // namespace rungs::cpu_device
