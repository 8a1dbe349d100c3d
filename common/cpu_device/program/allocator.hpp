/// \file
/// A draft to a program: basic blocks, liveness, places in the frame.
#pragma once

#include <cstdint>

#include "cpu_device/program/builder.hpp"

namespace rungs::cpu_device {

/// \param registers receives the most 32-bit registers live at once
Program finish_program(Draft draft, uint32_t* registers);

}  // namespace rungs::cpu_device
