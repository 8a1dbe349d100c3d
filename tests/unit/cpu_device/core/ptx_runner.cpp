#include "ptx_runner.hpp"

#include <cstring>
#include <memory>

namespace rungs::cpu_device {

std::string kernel_text(const std::string& body, const std::string& before) {
  return ".version 9.0\n.target sm_90\n.address_size 64\n" + before +
         "\n.visible .entry k(.param .u64 k_param_0)\n{\n"
         ".reg .b32 %r<40>;\n.reg .b64 %rd<20>;\n.reg .f32 %f<20>;\n.reg .f64 %fd<10>;\n"
         ".reg .pred %p<10>;\n"
         "ld.param.u64 %rd1, [k_param_0];\nmov.u32 %r1, %tid.x;\n" +
         body + "\n}\n";
}

Outcome run_ptx(const std::string& module_text, const RunSetup& setup) {
  std::vector<uint32_t> words = setup.initial;
  words.resize(setup.words);
  Module module(module_text);
  // Device addresses are made up; the offset leads to the vector.
  constexpr Address base = 0x10000;
  GlobalMemory memory;
  memory.add({base, words.size() * 4,
              static_cast<int64_t>(reinterpret_cast<uintptr_t>(words.data())) -
                  static_cast<int64_t>(base),
              false, "the words"});
  Launch launch;
  launch.kernel = &module.kernel("k");
  launch.grid = setup.grid;
  launch.block = setup.block;
  launch.dynamic_shared_bytes = setup.dynamic_shared_bytes;
  launch.checks = setup.checks;
  launch.budget = setup.budget;
  launch.parameters.resize(launch.kernel->parameter_bytes);
  std::memcpy(launch.parameters.data(), &base, sizeof base);
  std::vector<std::unique_ptr<BlockRunner>> runners;
  for (uint32_t i = 0; i < setup.runners; ++i) {
    runners.push_back(std::make_unique<BlockRunner>(launch, memory));
  }
  for (uint64_t block = 0; block < setup.grid.count(); ++block) {
    runners[block % runners.size()]->run(block);
  }
  Outcome outcome;
  KernelCounts counts;
  for (const auto& runner : runners) counts.add(runner->counts());
  outcome.words = std::move(words);
  outcome.counts = counts.total;
  return outcome;
}

}  // namespace rungs::cpu_device
