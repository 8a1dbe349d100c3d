#include "cpu_device/program/shared_layout.hpp"

#include <set>
#include <vector>

namespace rungs::cpu_device {
namespace {

void collect_names(const ptx::Operand& operand, std::set<std::string_view>& names) {
  if (operand.kind == ptx::Operand::Kind::symbol) names.insert(operand.text);
  for (const ptx::Operand& element : operand.elements)
    collect_names(element, names);
}

uint64_t aligned(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

}  // namespace

SharedLayout lay_out_shared(const ptx::Module& module,
                            const ptx::Function& kernel) {
  // All functions that can be reached, and all names that they mention.
  std::vector<const ptx::Function*> reached = {&kernel};
  std::set<std::string_view> names;
  for (size_t i = 0; i < reached.size(); ++i) {
    std::set<std::string_view> mentioned;
    for (const ptx::Instruction& instruction : reached[i]->instructions) {
      for (const ptx::Operand& operand : instruction.operands) {
        collect_names(operand, mentioned);
      }
    }
    for (const ptx::Function& function : module.functions) {
      if (!mentioned.contains(function.name) || names.contains(function.name))
        continue;
      names.insert(function.name);
      reached.push_back(&function);
    }
    names.insert(mentioned.begin(), mentioned.end());
  }
  SharedLayout layout;
  uint64_t end = 0;
  const auto place = [&](const ptx::Declaration& variable) {
    end = aligned(end, variable.alignment);
    layout.address[variable.name] = end;
    end += variable.bytes;
  };
  std::vector<const ptx::Declaration*> dynamic;
  for (const ptx::Declaration& variable : module.shared) {
    if (!names.contains(variable.name)) continue;
    if (variable.external && variable.bytes == 0)
      dynamic.push_back(&variable);
    else
      place(variable);
  }
  for (const ptx::Function* function : reached) {
    for (const ptx::Declaration& variable : function->variables) {
      if (variable.space == ptx::Space::shared) place(variable);
    }
  }
  // Every `.extern .shared` array begins at the same place, behind the static part.
  for (const ptx::Declaration* variable : dynamic)
    end = aligned(end, variable->alignment);
  for (const ptx::Declaration* variable : dynamic)
    layout.address[variable->name] = end;
  layout.static_bytes = static_cast<uint32_t>(end);
  return layout;
}

}  // namespace rungs::cpu_device
