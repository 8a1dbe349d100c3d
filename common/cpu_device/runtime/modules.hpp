/// \file
/// The device code that programs registered: fat binaries, their kernels and
/// variables, and the PTX modules made of them at first use.
#pragma once

#include <driver_types.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cpu_device/fatbin/cubin.hpp"
#include "cpu_device/fault.hpp"
#include "cpu_device/program/module.hpp"
#include "cpu_device/runtime/memory.hpp"

namespace rungs::cpu_device {

struct FatBinary;

/// A kernel as the program knows it. Its address is the cudaKernel_t and
/// cudaFunction_t.
struct RegisteredKernel {
  FatBinary* binary = nullptr;
  std::string name;                  ///< mangled
  const Kernel* code = nullptr;      ///< set by Modules::code()
  fatbin::CubinKernel machine_code;  ///< registers are 0 without an sm_90 cubin
  /// cudaFuncAttributeMaxDynamicSharedMemorySize; -1: what fits into 48 KiB
  int64_t dynamic_shared_limit = -1;
  int shared_carveout = -1;
};

/// A `__device__`, `__constant__` or `__managed__` variable as the program knows
/// it.
struct RegisteredVariable {
  FatBinary* binary = nullptr;
  std::string name;
  uint64_t bytes = 0;
  void** managed = nullptr;  ///< the program's pointer to a managed variable
  Address address = 0;       ///< once its module is loaded
};

/// One call of __cudaRegisterFatBinary.
struct FatBinary {
  const void* wrapper = nullptr;
  std::unique_ptr<Module> module;  ///< null until its first use
  uint32_t architecture = 0;       ///< of the PTX: 90 for compute_90
  std::map<std::string, fatbin::CubinKernel> machine_code;
  std::vector<std::unique_ptr<RegisteredKernel>> kernels;
  std::vector<std::unique_ptr<RegisteredVariable>> variables;
};

/// All registered device code. Not thread-safe: the runtime's lock protects it.
class Modules {
 public:
  explicit Modules(Memory& memory) : memory_(memory) {}

  FatBinary* add(const void* wrapper);
  void add_kernel(FatBinary* binary, const void* host_function, const char* name);
  void add_variable(FatBinary* binary, const void* host_variable, const char* name,
                    uint64_t bytes, void** managed);
  void remove(FatBinary* binary);

  /// The kernel of a host function, or of a cudaKernel_t; null when there is none.
  RegisteredKernel* find_kernel(const void* function) const;

  /// A kernel with its decoded code.
  /// \throws Failure, PtxError, Unsupported, fatbin::Error
  const RegisteredKernel& code(RegisteredKernel& kernel);

  /// The variable of a host symbol, with its module loaded.
  /// \throws Failure with cudaErrorInvalidSymbol when there is none
  const RegisteredVariable& variable(const void* host_variable);

  /// Parses the PTX and places the variables, once.
  void load(FatBinary& binary);

  /// Forgets all loaded modules: their variables begin anew at the next use.
  void unload();

 private:
  void read_machine_code(FatBinary& binary,
                         const std::vector<fatbin::Entry>& entries);
  void place_variables(FatBinary& binary);
  void fill_variables(FatBinary& binary);

  Memory& memory_;
  std::vector<std::unique_ptr<FatBinary>> binaries_;
  std::map<const void*, RegisteredKernel*> kernels_;
  std::map<const void*, RegisteredVariable*> variables_;
  std::set<const void*> kernel_handles_;
  std::map<const FatBinary*, std::map<std::string, Address>> addresses_;
};

}  // namespace rungs::cpu_device
