/// \file
/// What nvcc's generated code calls before main(): device code, kernels and
/// variables make themselves known. Nothing is parsed until its first use.
#include <cstdlib>

#include "cpu_device/runtime/entry.hpp"

using namespace rungs::cpu_device;

namespace {

FatBinary* binary_of(void** handle) { return reinterpret_cast<FatBinary*>(handle); }

}  // namespace

void** __cudaRegisterFatBinary(void* wrapper) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  return reinterpret_cast<void**>(runtime.modules.add(wrapper));
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void** handle) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.modules.remove(binary_of(handle));
}

void __cudaRegisterFunction(void** handle, const char* host_function, char*,
                            const char* name, int, uint3*, uint3*, dim3*, dim3*,
                            int*) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.modules.add_kernel(binary_of(handle), host_function, name);
}

void __cudaRegisterVar(void** handle, char* host_variable, char*, const char* name,
                       int, size_t bytes, int, int) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.modules.add_variable(binary_of(handle), host_variable, name, bytes,
                               nullptr);
}

void __cudaRegisterManagedVar(void** handle, void** host_pointer, char*,
                              const char* name, int, size_t bytes, int, int) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.modules.add_variable(binary_of(handle), host_pointer, name, bytes,
                               host_pointer);
}

/// Called before the host's first access to a managed variable, which follows at
/// once: without its memory the program cannot go on.
char __cudaInitModule(void** handle) {
  const cudaError_t error = call("__cudaInitModule", [&](Runtime& runtime) {
    runtime.modules.load(*binary_of(handle));
  });
  if (error != cudaSuccess) std::exit(1);
  return 1;
}
