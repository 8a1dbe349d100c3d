#include "cpu_device/runtime/modules.hpp"

#include <link.h>

#include <algorithm>
#include <cstring>

#include "cpu_device/runtime/failure.hpp"

namespace rungs::cpu_device {
namespace {

// The H200's: PTX for newer virtual architectures may use what it does not have.
constexpr uint32_t newest_architecture = 90;

constexpr uint32_t wrapper_magic = 0x466243B1;

/// What nvcc's registration code hands over.
struct Wrapper {
  uint32_t magic;
  uint32_t version;
  const void* data;
  const void* name_or_prelinked;
};

/// The end of the mapped segment (of the program or a library) that holds this
/// address, or null when none does.
const std::byte* segment_end(const void* pointer) {
  struct Search {
    uint64_t address, end;
  } search{reinterpret_cast<uint64_t>(pointer), 0};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto* const wanted = static_cast<Search*>(data);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& header = info->dlpi_phdr[i];
          const uint64_t begin = info->dlpi_addr + header.p_vaddr;
          if (header.p_type == PT_LOAD && wanted->address >= begin &&
              wanted->address < begin + header.p_memsz) {
            wanted->end = begin + header.p_memsz;
            return 1;
          }
        }
        return 0;
      },
      &search);
  return reinterpret_cast<const std::byte*>(search.end);
}

/// The container that a wrapper points to.
fatbin::Bytes container(const void* wrapper) {
  Wrapper fields;
  std::memcpy(&fields, wrapper, sizeof fields);
  if (fields.magic != wrapper_magic || !fields.data) {
    throw fatbin::Error(
        "the program registers device code in a form that is not nvcc 13's; rebuild it "
        "with nvcc 13");
  }
  const auto* const begin = static_cast<const std::byte*>(fields.data);
  const std::byte* const end = segment_end(begin);
  const uint64_t most = end ? static_cast<uint64_t>(end - begin) : UINT64_MAX;
  const size_t header = std::min<uint64_t>(most, fatbin::container_header_bytes);
  const uint64_t bytes = fatbin::container_bytes({begin, header});
  return {begin, std::min(bytes, most)};
}

}  // namespace

FatBinary* Modules::add(const void* wrapper) {
  binaries_.push_back(std::make_unique<FatBinary>());
  binaries_.back()->wrapper = wrapper;
  return binaries_.back().get();
}

void Modules::add_kernel(FatBinary* binary, const void* host_function,
                         const char* name) {
  auto kernel = std::make_unique<RegisteredKernel>();
  kernel->binary = binary;
  kernel->name = name;
  // A template that two files instantiate has one host function: the first device
  // code registered for it stays, both are the same.
  kernels_.emplace(host_function, kernel.get());
  kernel_handles_.insert(kernel.get());
  binary->kernels.push_back(std::move(kernel));
}

void Modules::add_variable(FatBinary* binary, const void* host_variable,
                           const char* name, uint64_t bytes, void** managed) {
  auto variable = std::make_unique<RegisteredVariable>();
  variable->binary = binary;
  variable->name = name;
  variable->bytes = bytes;
  variable->managed = managed;
  variables_.emplace(host_variable, variable.get());
  binary->variables.push_back(std::move(variable));
}

void Modules::remove(FatBinary* binary) {
  const auto belongs = [&](const auto& entry) {
    return entry.second->binary == binary;
  };
  std::erase_if(kernels_, belongs);
  std::erase_if(variables_, belongs);
  for (const auto& kernel : binary->kernels) kernel_handles_.erase(kernel.get());
  for (const auto& [name, address] : addresses_[binary]) memory_.free(address);
  addresses_.erase(binary);
  std::erase_if(binaries_,
                [&](const auto& entry) { return entry.get() == binary; });
}

RegisteredKernel* Modules::find_kernel(const void* function) const {
  if (kernel_handles_.contains(function)) {
    return static_cast<RegisteredKernel*>(const_cast<void*>(function));
  }
  const auto found = kernels_.find(function);
  return found == kernels_.end() ? nullptr : found->second;
}

const RegisteredKernel& Modules::code(RegisteredKernel& kernel) {
  if (kernel.code) return kernel;
  load(*kernel.binary);
  Module& module = *kernel.binary->module;
  if (!module.has_kernel(kernel.name)) {
    throw Failure{cudaErrorInvalidDeviceFunction,
                  "the program's PTX has no kernel " + kernel.name};
  }
  kernel.code = &module.kernel(kernel.name);
  const auto found = kernel.binary->machine_code.find(kernel.name);
  if (found != kernel.binary->machine_code.end())
    kernel.machine_code = found->second;
  return kernel;
}

const RegisteredVariable& Modules::variable(const void* host_variable) {
  auto found = variables_.find(host_variable);
  if (found == variables_.end()) {
    // The program names a managed variable by its memory.
    found =
        std::find_if(variables_.begin(), variables_.end(), [&](const auto& entry) {
          void** const managed = entry.second->managed;
          return managed && *managed == host_variable;
        });
  }
  if (found == variables_.end()) throw Failure{cudaErrorInvalidSymbol};
  RegisteredVariable& variable = *found->second;
  load(*variable.binary);
  if (variable.address == 0) throw Failure{cudaErrorInvalidSymbol};
  return variable;
}

void Modules::load(FatBinary& binary) {
  if (binary.module) return;
  const std::vector<fatbin::Entry> entries =
      fatbin::entries(container(binary.wrapper));
  const fatbin::Entry* const ptx = fatbin::newest_ptx(entries, newest_architecture);
  if (!ptx) {
    throw Failure{cudaErrorNoKernelImageForDevice,
                  fatbin::no_ptx_message(entries, newest_architecture)};
  }
  binary.module = std::make_unique<Module>(fatbin::text(*ptx));
  binary.architecture = ptx->architecture;
  read_machine_code(binary, entries);
  place_variables(binary);
  fill_variables(binary);
}

void Modules::read_machine_code(FatBinary& binary,
                                const std::vector<fatbin::Entry>& entries) {
  const fatbin::Entry* const cubin =
      fatbin::cubin_for(entries, newest_architecture);
  if (!cubin) return;
  try {
    for (auto& kernel : fatbin::cubin_kernels(fatbin::contents(*cubin))) {
      binary.machine_code[kernel.name] = kernel;
    }
  } catch (const fatbin::Error& error) {
    write_note_once(std::string(error.what()) +
                    " (without it register numbers are estimates)");
  }
}

void Modules::place_variables(FatBinary& binary) {
  std::map<std::string, Address>& addresses = addresses_[&binary];
  for (const Variable& variable : binary.module->variables()) {
    const std::string label =
        (variable.constant ? "constant " : "variable ") + variable.name;
    const auto registered = std::find_if(
        binary.variables.begin(), binary.variables.end(),
        [&](const auto& entry) { return entry->name == variable.name; });
    Address address = 0;
    if (registered != binary.variables.end() && (*registered)->managed) {
      void* const host =
          memory_.allocate_host(MemoryKind::managed, variable.bytes,
                                cudaMemAttachGlobal, "managed " + label);
      *(*registered)->managed = host;
      address = reinterpret_cast<Address>(host);
    } else {
      address = memory_.allocate(variable.bytes, label, variable.constant);
    }
    require(address != 0, cudaErrorMemoryAllocation);
    if (registered != binary.variables.end()) (*registered)->address = address;
    addresses[variable.name] = address;
    binary.module->place(variable.name, address);
  }
  for (const auto& variable : binary.variables) {
    if (variable->managed && variable->address == 0) {
      throw Failure{cudaErrorInvalidSymbol,
                    "the program's PTX has no managed variable " + variable->name};
    }
  }
}

void Modules::fill_variables(FatBinary& binary) {
  const std::map<std::string, Address>& addresses = addresses_[&binary];
  for (const Variable& variable : binary.module->variables()) {
    const Address address = addresses.at(variable.name);
    std::byte* const host =
        memory_.host_bytes(reinterpret_cast<const void*>(address), variable.bytes);
    if (variable.initial.empty()) {
      std::memset(host, 0, variable.bytes);
    } else {
      std::memcpy(host, variable.initial.data(), variable.bytes);
    }
    for (const Variable::Relocation& relocation : variable.relocations) {
      const auto target = addresses.find(relocation.target);
      if (target == addresses.end()) {
        throw Unsupported(
            "variable " + variable.name + " holds the address of " +
            relocation.target +
            ", which is no variable: the CPU device does not support this");
      }
      // The device has one address space for global and constant memory, so a
      // generic address is the address.
      const uint64_t value =
          target->second + static_cast<uint64_t>(relocation.addend);
      require(relocation.offset + sizeof value <= variable.bytes,
              cudaErrorInvalidPtx);
      std::memcpy(host + relocation.offset, &value, sizeof value);
    }
  }
}

void Modules::unload() {
  for (const auto& binary : binaries_) {
    binary->module.reset();
    for (const auto& kernel : binary->kernels) kernel->code = nullptr;
    for (const auto& variable : binary->variables) {
      variable->address = 0;
      if (variable->managed) *variable->managed = nullptr;
    }
  }
  addresses_.clear();
}

}  // namespace rungs::cpu_device
