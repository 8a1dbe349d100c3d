#include "cpu_device/program/module.hpp"

#include <algorithm>
#include <cstring>

#include "cpu_device/fault.hpp"
#include "cpu_device/program/allocator.hpp"
#include "cpu_device/program/inliner.hpp"
#include "cpu_device/program/program.hpp"
#include "cpu_device/ptx/parser.hpp"

namespace rungs::cpu_device {
namespace {

Variable make_variable(const ptx::GlobalVariable& source) {
  Variable variable;
  variable.name = std::string(source.declaration.name);
  variable.constant = source.declaration.space == ptx::Space::constant;
  variable.bytes = source.declaration.bytes;
  variable.alignment = source.declaration.alignment;
  const uint32_t element = ptx::bytes_of(source.declaration.type);
  if (variable.bytes == 0) variable.bytes = source.values.size() * element;
  if (source.values.empty()) return variable;
  variable.initial.resize(variable.bytes);
  uint64_t offset = 0;
  for (const ptx::Initialiser& value : source.values) {
    if (offset + element > variable.bytes) {
      throw PtxError("the variable " + variable.name +
                     " has more initial values than room");
    }
    if (value.symbol.empty()) {
      std::memcpy(variable.initial.data() + offset, &value.bits, element);
    } else {
      variable.relocations.push_back({offset, std::string(value.symbol),
                                      static_cast<int64_t>(value.bits),
                                      value.generic});
    }
    offset += element;
  }
  return variable;
}

}  // namespace

struct Module::State {
  std::unique_ptr<ptx::Module> ptx;
  std::vector<Variable> variables;
  std::map<std::string, Address, std::less<>> addresses;
  std::map<std::string, Kernel, std::less<>> kernels;

  const ptx::Function* find(std::string_view name) const {
    for (const ptx::Function& function : ptx->functions) {
      if (function.name == name && function.entry && function.defined)
        return &function;
    }
    return nullptr;
  }
};

Module::Module(std::string_view ptx_text) : state_(std::make_unique<State>()) {
  state_->ptx = ptx::parse(ptx_text);
  for (const ptx::GlobalVariable& variable : state_->ptx->variables) {
    if (!variable.declaration.external) {
      state_->variables.push_back(make_variable(variable));
    }
  }
}

Module::~Module() = default;

const std::vector<Variable>& Module::variables() const { return state_->variables; }

void Module::place(std::string_view variable, Address address) {
  state_->addresses[std::string(variable)] = address;
}

bool Module::has_kernel(std::string_view mangled_name) const {
  return state_->find(mangled_name) != nullptr;
}

const Kernel& Module::kernel(std::string_view mangled_name) {
  if (const auto known = state_->kernels.find(mangled_name);
      known != state_->kernels.end()) {
    return known->second;
  }
  const ptx::Function* function = state_->find(mangled_name);
  if (function == nullptr) {
    throw PtxError("the PTX has no kernel " + std::string(mangled_name));
  }
  Kernel kernel;
  kernel.name = function->name;
  kernel.max_threads = function->max_threads;
  for (const ptx::Declaration& parameter : function->parameters) {
    const uint32_t offset = (kernel.parameter_bytes + parameter.alignment - 1) /
                            parameter.alignment * parameter.alignment;
    kernel.parameters.push_back({offset, static_cast<uint32_t>(parameter.bytes)});
    kernel.parameter_bytes = offset + static_cast<uint32_t>(parameter.bytes);
  }
  const AddressOf address_of = [this](std::string_view name, Address* address) {
    const auto found = state_->addresses.find(name);
    if (found != state_->addresses.end()) *address = found->second;
    return found != state_->addresses.end();
  };
  auto program = std::make_shared<Program>(finish_program(
      decode_kernel(*state_->ptx, *function, address_of), &kernel.registers));
  program->name = function->name;
  kernel.static_shared_bytes = program->static_shared_bytes;
  kernel.local_bytes = program->local_bytes;
  kernel.program = std::move(program);
  return state_->kernels.emplace(kernel.name, std::move(kernel)).first->second;
}

}  // namespace rungs::cpu_device
