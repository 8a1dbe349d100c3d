/// \file
/// Runs PTX text on the interpreter's core, with no CUDA runtime around it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cpu_device/program/module.hpp"
#include "cpu_device/warp/block_runner.hpp"

namespace rungs::cpu_device {

/// How to launch. The kernel's only parameter is a pointer to `words` 32-bit words.
struct RunSetup {
  Dim3 grid{1, 1, 1}, block{32, 1, 1};
  uint32_t words = 64;
  std::vector<uint32_t> initial = {};  ///< the first words; the rest is zero
  uint32_t dynamic_shared_bytes = 0;
  Checks checks = {};
  uint64_t budget = 1'000'000;
  uint32_t runners = 1;  ///< blocks go round robin over so many
};

struct Outcome {
  std::vector<uint32_t> words;
  Counts counts;
};

/// Wraps a body into a module with a kernel `k(.param .u64 k_param_0)`: the words'
/// address is in %rd1, tid.x in %r1; %r<40>, %rd<20>, %f<20>, %fd<10> and %p<10>
/// are declared. \param before text that stands before the kernel
std::string kernel_text(const std::string& body, const std::string& before = "");

/// \throws Fault, Unsupported, PtxError
Outcome run_ptx(const std::string& module_text, const RunSetup& setup = {});

}  // namespace rungs::cpu_device
