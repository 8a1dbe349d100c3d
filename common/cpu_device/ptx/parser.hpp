/// \file
/// PTX text to syntax tree.
#pragma once

#include <memory>
#include <string_view>

#include "cpu_device/ptx/ast.hpp"

namespace rungs::cpu_device::ptx {

/// Parses a whole module.
/// \throws PtxError with the PTX line when the text is not well formed.
std::unique_ptr<Module> parse(std::string_view text);

}  // namespace rungs::cpu_device::ptx
