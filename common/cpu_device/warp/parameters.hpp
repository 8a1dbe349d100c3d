/// \file
/// Parameters of inlined calls. A call's `.param` variable becomes one 32-bit
/// register per word; ld.param and st.param become moves.
#pragma once

#include <vector>

#include "cpu_device/program/builder.hpp"

namespace rungs::cpu_device {

/// The registers of one `.param` variable, word after word.
using ParameterWords = std::vector<uint32_t>;

/// ld.param / st.param of an inlined call.
/// \param offset of the first element, in bytes
void load_parameter(Builder& b, const ParameterWords& words, int64_t offset);
void store_parameter(Builder& b, const ParameterWords& words, int64_t offset);

/// ld.param of a kernel's own parameters, from the launch.
void load_kernel_parameter(Builder& b);

/// A 64-bit value made of two words, for built-in calls.
uint32_t joined(Builder& b, const ParameterWords& words);

}  // namespace rungs::cpu_device
