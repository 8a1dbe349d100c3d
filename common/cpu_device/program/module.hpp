/// \file
/// A PTX module, ready to run: its variables, its kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cpu_device/memory/global_memory.hpp"

namespace rungs::cpu_device {

struct Program;  // a kernel's decoded instructions (program/program.hpp)

/// A module-level variable in global or constant memory.
struct Variable {
  std::string name;
  bool constant = false;  ///< `.const`: kernels may only read it
  uint64_t bytes = 0;
  uint64_t alignment = 1;
  std::vector<std::byte> initial;  ///< `bytes` long, or empty for zeros
  /// An 8-byte (or 4-byte) slot of `initial` that holds another variable's or
  /// string's address, to be filled in once that one is placed.
  struct Relocation {
    uint64_t offset = 0;
    std::string target;
    int64_t addend = 0;
    bool generic = false;
  };
  std::vector<Relocation> relocations;
};

/// One kernel parameter's place in the parameter buffer.
struct Parameter {
  uint32_t offset = 0;
  uint32_t bytes = 0;
};

/// What a launch, cudaFuncGetAttributes and the occupancy calls need to know of a
/// kernel.
struct Kernel {
  std::string name;  ///< mangled
  std::vector<Parameter> parameters;
  uint32_t parameter_bytes = 0;
  uint32_t static_shared_bytes = 0;
  uint32_t local_bytes = 0;     ///< a thread's `.local` depot
  uint32_t max_threads = 1024;  ///< from `.maxntid` / `.reqntid`
  /// Live registers of 32 bits at the widest point of the PTX, a rough stand-in for
  /// ptxas's number, which a cubin has.
  uint32_t registers = 0;
  std::shared_ptr<const Program> program;
};

/// A parsed module. Variables must be placed (given a device address) before a
/// kernel that names them is asked for. Not thread-safe: the runtime holds its own
/// lock.
class Module {
 public:
  /// Parses a module's PTX text. Function bodies are decoded at a kernel's first
  /// use. \throws PtxError with the PTX line when the text is not well formed.
  explicit Module(std::string_view ptx_text);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// Module-level `.global` and `.const` variables, in the order of the text.
  const std::vector<Variable>& variables() const;
  /// Tells the address the runtime gave to a variable.
  void place(std::string_view variable, Address address);

  bool has_kernel(std::string_view mangled_name) const;
  /// Decodes a kernel, once.
  /// \throws Unsupported naming the instruction, its PTX text and its source line.
  const Kernel& kernel(std::string_view mangled_name);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rungs::cpu_device
