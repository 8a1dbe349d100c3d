#include "cpu_device/program/inliner.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "cpu_device/program/shared_layout.hpp"
#include "cpu_device/warp/device_calls.hpp"
#include "cpu_device/warp/parameters.hpp"

namespace rungs::cpu_device {
namespace {

using ptx::Operand;

/// What all inlined functions of one kernel share.
struct Shared {
  const ptx::Module& module;
  const AddressOf& address_of;
  SharedLayout layout;
  Draft draft;
};

/// One function body, or one inlined copy of it.
class Instance : public Builder::Context {
 public:
  Instance(Shared& shared, const ptx::Function& function, const Instance* caller);

  /// Decodes the body. For an inlined copy, parameters and returns are the caller's
  /// words.
  void decode(const std::vector<ParameterWords>& parameters,
              const std::vector<ParameterWords>& returns);

  uint32_t register_value(uint32_t index) override;
  bool symbol(std::string_view name, ptx::Space* space, uint64_t* address) override;
  uint32_t label(uint32_t index) const override { return first_label_ + index; }
  uint32_t table(uint32_t index) const override { return first_table_ + index; }

 private:
  void decode_instruction(Builder& b);
  bool decode_parameter_access(Builder& b);
  void decode_call(Builder& b);
  void decode_return(Builder& b);
  const ParameterWords& argument(uint32_t index);
  const ParameterWords* parameter(std::string_view name) const;
  bool inlined() const { return caller_ != nullptr; }

  Shared& shared_;
  const ptx::Function& function_;
  const Instance* caller_;
  std::vector<uint32_t> registers_;
  std::vector<ParameterWords> arguments_;
  std::map<std::string_view, ParameterWords> parameters_;
  std::map<std::string_view, uint64_t> locals_;
  uint32_t first_label_, first_table_, end_label_;
};

uint32_t align(uint32_t value, uint32_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

Instance::Instance(Shared& shared, const ptx::Function& function,
                   const Instance* caller)
    : shared_(shared),
      function_(function),
      caller_(caller),
      registers_(function.registers.size(), absent),
      arguments_(function.arguments.size()) {
  Draft& draft = shared_.draft;
  first_label_ = static_cast<uint32_t>(draft.label_positions.size());
  draft.label_positions.resize(first_label_ + function.labels.size() + 1, 0);
  end_label_ = first_label_ + static_cast<uint32_t>(function.labels.size());
  first_table_ = static_cast<uint32_t>(draft.tables.size());
  for (const std::vector<uint32_t>& targets : function.branch_targets) {
    std::vector<uint32_t> labels;
    for (const uint32_t target : targets) labels.push_back(first_label_ + target);
    draft.tables.push_back(std::move(labels));
  }
  for (const ptx::Declaration& variable : function.variables) {
    if (variable.space != ptx::Space::local) continue;
    draft.local_bytes = align(draft.local_bytes, variable.alignment);
    locals_[variable.name] = draft.local_bytes;
    draft.local_bytes += static_cast<uint32_t>(variable.bytes);
  }
}

uint32_t Instance::register_value(uint32_t index) {
  uint32_t& value = registers_[index];
  if (value == absent) {
    const ptx::Type type = function_.registers[index].type;
    const uint32_t bytes = ptx::bytes_of(type);
    if (bytes > 8) {
      throw Unsupported("not supported by the CPU device: 128-bit registers (in " +
                        function_.name + ")");
    }
    const Value::Kind kind = type == ptx::Type::pred ? Value::Kind::predicate
                             : bytes == 8            ? Value::Kind::reg64
                                                     : Value::Kind::reg32;
    value = static_cast<uint32_t>(shared_.draft.values.size());
    shared_.draft.values.push_back({kind, bytes == 8, 0});
  }
  return value;
}

bool Instance::symbol(std::string_view name, ptx::Space* space, uint64_t* address) {
  if (const auto local = locals_.find(name); local != locals_.end()) {
    *space = ptx::Space::local;
    *address = local->second;
    return true;
  }
  if (const auto shared = shared_.layout.address.find(name);
      shared != shared_.layout.address.end()) {
    *space = ptx::Space::shared;
    *address = shared->second;
    return true;
  }
  if (!inlined()) {
    uint32_t offset = 0;
    for (const ptx::Declaration& parameter : function_.parameters) {
      offset = align(offset, parameter.alignment);
      if (parameter.name == name) {
        *space = ptx::Space::param;
        *address = offset;
        return true;
      }
      offset += static_cast<uint32_t>(parameter.bytes);
    }
  }
  *space = ptx::Space::global;
  return shared_.address_of(name, address);
}

const ParameterWords& Instance::argument(uint32_t index) {
  ParameterWords& words = arguments_[index];
  if (words.empty()) {
    const uint64_t bytes = function_.arguments[index].bytes;
    for (uint64_t i = 0; i < std::max<uint64_t>(1, (bytes + 3) / 4); ++i) {
      words.push_back(static_cast<uint32_t>(shared_.draft.values.size()));
      shared_.draft.values.push_back({Value::Kind::reg32, false, 0});
    }
  }
  return words;
}

const ParameterWords* Instance::parameter(std::string_view name) const {
  const auto found = parameters_.find(name);
  return found == parameters_.end() ? nullptr : &found->second;
}

bool Instance::decode_parameter_access(Builder& b) {
  const bool load = b.opcode() == "ld";
  if (!load && b.opcode() != "st") return false;
  const auto& words = b.rest();
  if (std::none_of(words.begin(), words.end(), [](std::string_view word) {
        return word.starts_with("param");
      })) {
    return false;
  }
  const Operand& address = b.operand(load ? 1 : 0);
  if (address.kind != Operand::Kind::address) b.unsupported();
  const Operand& base = address.elements[0];
  const ParameterWords* parameter_words = nullptr;
  if (base.kind == Operand::Kind::param) parameter_words = &argument(base.index);
  if (base.kind == Operand::Kind::symbol) parameter_words = parameter(base.text);
  if (parameter_words) {
    if (load)
      load_parameter(b, *parameter_words, address.offset);
    else
      store_parameter(b, *parameter_words, address.offset);
  } else if (load && !inlined()) {
    load_kernel_parameter(b);
  } else {
    b.unsupported("this parameter address");
  }
  return true;
}

void Instance::decode_call(Builder& b) {
  const Operand& callee = b.operand(1);
  if (callee.kind != Operand::Kind::symbol) b.unsupported("an indirect call");
  b.take("uni");
  if (b.make().guard != absent) b.unsupported("a call under a predicate");
  const auto words_of = [&](const Operand& list) {
    std::vector<ParameterWords> words;
    for (const Operand& element : list.elements) {
      if (element.kind != Operand::Kind::param)
        b.unsupported("an argument in a register");
      words.push_back(argument(element.index));
    }
    return words;
  };
  const std::vector<ParameterWords> returns = words_of(b.operand(0));
  const std::vector<ParameterWords> arguments = words_of(b.operand(2));
  const ptx::Function* function = nullptr;
  for (const ptx::Function& candidate : shared_.module.functions) {
    if (candidate.name == callee.text && candidate.defined) function = &candidate;
  }
  if (function == nullptr) {
    std::vector<uint32_t> values;
    for (const ParameterWords& words : arguments)
      values.push_back(joined(b, words));
    const uint32_t result = returns.empty() ? absent : returns[0][0];
    if (!decode_builtin_call(b, callee.text, values, result)) {
      b.unsupported("the function " + std::string(callee.text) +
                    " has no body here");
    }
    return;
  }
  for (const Instance* caller = this; caller != nullptr; caller = caller->caller_) {
    if (&caller->function_ == function) b.unsupported("recursion");
  }
  Instance(shared_, *function, this).decode(arguments, returns);
}

// An inlined function's ret goes to the end of the copy, where its lanes meet
// again.
void Instance::decode_return(Builder& b) {
  b.take("uni");
  if (!b.rest().empty()) b.unsupported();
  Instruction in = b.make();
  in.full = in.partial = [](Warp&, const Instruction&, uint32_t) {};
  b.end_block(b.append(in, InstructionClass::control), Exit::branch, end_label_);
}

void Instance::decode_instruction(Builder& b) {
  if (decode_parameter_access(b)) return;
  if (b.opcode() == "call") return decode_call(b);
  if (b.opcode() == "ret" && inlined()) return decode_return(b);
  for (const auto family :
       {&decode_float32, &decode_move, &decode_load_store, &decode_integer,
        &decode_bits, &decode_compare, &decode_convert, &decode_approximate,
        &decode_float64, &decode_carry, &decode_shuffle, &decode_vote,
        &decode_atomic, &decode_async_copy, &decode_control}) {
    if (family(b)) return;
  }
  b.unsupported();
}

void Instance::decode(const std::vector<ParameterWords>& parameters,
                      const std::vector<ParameterWords>& returns) {
  for (size_t i = 0; i < std::min(parameters.size(), function_.parameters.size());
       ++i) {
    parameters_[function_.parameters[i].name] = parameters[i];
  }
  for (size_t i = 0; i < std::min(returns.size(), function_.returns.size()); ++i) {
    parameters_[function_.returns[i].name] = returns[i];
  }
  Draft& draft = shared_.draft;
  std::multimap<uint32_t, uint32_t> labels;
  for (uint32_t i = 0; i < function_.labels.size(); ++i)
    labels.emplace(function_.labels[i], i);
  for (uint32_t i = 0; i <= function_.instructions.size(); ++i) {
    const auto [begin, end] = labels.equal_range(i);
    for (auto label = begin; label != end; ++label) {
      draft.label_positions[first_label_ + label->second] =
          static_cast<uint32_t>(draft.instructions.size());
    }
    if (i == function_.instructions.size()) break;
    const ptx::Instruction& instruction = function_.instructions[i];
    SourceLine source;
    source.line = instruction.source_line;
    if (instruction.source_file < shared_.module.files.size()) {
      source.file = shared_.module.files[instruction.source_file];
    }
    Builder b(draft, *this, function_, instruction, source);
    decode_instruction(b);
  }
  draft.label_positions[end_label_] =
      static_cast<uint32_t>(draft.instructions.size());
}

}  // namespace

Draft decode_kernel(const ptx::Module& module, const ptx::Function& kernel,
                    const AddressOf& address_of) {
  Shared shared{module, address_of, lay_out_shared(module, kernel), {}};
  shared.draft.static_shared_bytes = shared.layout.static_bytes;
  Instance(shared, kernel, nullptr).decode({}, {});
  // A body whose text runs off its end, and labels at the end, find an exit there.
  Instruction leave;
  leave.full = leave.partial = [](Warp&, const Instruction&, uint32_t) {};
  const uint32_t last = static_cast<uint32_t>(shared.draft.instructions.size());
  shared.draft.instructions.push_back(leave);
  Origin origin;
  origin.counted = false;
  shared.draft.origins.push_back(origin);
  shared.draft.accesses.push_back({});
  shared.draft.endings[last] = {Exit::leave, 0, absent};
  return std::move(shared.draft);
}

}  // namespace rungs::cpu_device
