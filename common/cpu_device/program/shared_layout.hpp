/// \file
/// Where a kernel's shared variables lie: its own, those of the functions it calls,
/// the module's that any of them names, and the dynamic part behind them.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "cpu_device/ptx/ast.hpp"

namespace rungs::cpu_device {

struct SharedLayout {
  std::map<std::string_view, uint64_t> address;
  uint32_t static_bytes = 0;
};

SharedLayout lay_out_shared(const ptx::Module& module, const ptx::Function& kernel);

}  // namespace rungs::cpu_device
