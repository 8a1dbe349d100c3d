#include "cpu_device/program/builder.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace rungs::cpu_device {
namespace {

constexpr std::array<std::pair<std::string_view, Special>, 25> special_names = {{
    {"%tid.x", Special::tid_x},
    {"%tid.y", Special::tid_y},
    {"%tid.z", Special::tid_z},
    {"%ntid.x", Special::ntid_x},
    {"%ntid.y", Special::ntid_y},
    {"%ntid.z", Special::ntid_z},
    {"%ctaid.x", Special::ctaid_x},
    {"%ctaid.y", Special::ctaid_y},
    {"%ctaid.z", Special::ctaid_z},
    {"%nctaid.x", Special::nctaid_x},
    {"%nctaid.y", Special::nctaid_y},
    {"%nctaid.z", Special::nctaid_z},
    {"%laneid", Special::laneid},
    {"%warpid", Special::warpid},
    {"%nwarpid", Special::nwarpid},
    {"%smid", Special::smid},
    {"%nsmid", Special::nsmid},
    {"%gridid", Special::gridid},
    {"%lanemask_eq", Special::lanemask_eq},
    {"%lanemask_le", Special::lanemask_le},
    {"%lanemask_lt", Special::lanemask_lt},
    {"%lanemask_ge", Special::lanemask_ge},
    {"%lanemask_gt", Special::lanemask_gt},
    {"%dynamic_smem_size", Special::dynamic_smem_size},
    {"%total_smem_size", Special::total_smem_size},
}};

bool wide(ptx::Type type) { return ptx::bytes_of(type) == 8; }

}  // namespace

Builder::Builder(Draft& draft, Context& context, const ptx::Function& function,
                 const ptx::Instruction& instruction, const SourceLine& source)
    : draft_(draft),
      context_(context),
      function_(function),
      ptx_(instruction),
      source_(source),
      modifiers_(instruction.modifiers) {}

bool Builder::take(std::string_view modifier) {
  const auto found = std::find(modifiers_.begin(), modifiers_.end(), modifier);
  if (found == modifiers_.end()) return false;
  modifiers_.erase(found);
  return true;
}

ptx::Type Builder::take_type() {
  for (auto it = modifiers_.begin(); it != modifiers_.end(); ++it) {
    const ptx::Type type = ptx::type_named(*it);
    if (type != ptx::Type::none) {
      modifiers_.erase(it);
      return type;
    }
  }
  return ptx::Type::none;
}

const ptx::Operand& Builder::operand(size_t i) const {
  if (i >= ptx_.operands.size()) unsupported("an operand is missing");
  return ptx_.operands[i];
}

ptx::Type Builder::register_type(const ptx::Operand& operand) const {
  if (operand.kind != ptx::Operand::Kind::reg) return ptx::Type::none;
  return function_.registers[operand.index].type;
}

void Builder::unsupported() const { unsupported(""); }

void Builder::unsupported(const std::string& why) const {
  std::string message = "not supported by the CPU device: '" +
                        std::string(ptx_.text) + "' (PTX line " +
                        std::to_string(ptx_.ptx_line);
  if (source_.line != 0) {
    message += ", " + source_.file + ":" + std::to_string(source_.line);
  }
  message += ", in " + std::string(function_.name) + ")";
  if (!why.empty()) message += ": " + why;
  throw Unsupported(message);
}

Instruction Builder::make() const {
  Instruction in;
  if (ptx_.guard != ptx::no_index) {
    in.guard = context_.register_value(ptx_.guard);
    in.guard_negated = ptx_.guard_negated;
  }
  return in;
}

uint32_t Builder::field_index(const Instruction& in, const uint32_t& field) const {
  return static_cast<uint32_t>(&field - &in.d);
}

void Builder::read_value(Instruction& in, uint32_t& field, uint32_t value) {
  field = value;
  accesses_.read |= static_cast<uint8_t>(1u << field_index(in, field));
}

void Builder::write_value(Instruction& in, uint32_t& field, uint32_t value) {
  field = value;
  accesses_.written |= static_cast<uint8_t>(1u << field_index(in, field));
}

uint32_t Builder::constant(uint64_t bits, bool is_wide) {
  if (!is_wide) bits &= 0xFFFFFFFF;
  for (uint32_t i = 0; i < draft_.values.size(); ++i) {
    const Value& value = draft_.values[i];
    if (value.kind == Value::Kind::constant && value.bits == bits &&
        value.wide == is_wide) {
      return i;
    }
  }
  draft_.values.push_back({Value::Kind::constant, is_wide, bits});
  return static_cast<uint32_t>(draft_.values.size() - 1);
}

uint32_t Builder::temporary(bool is_wide) {
  draft_.values.push_back(
      {is_wide ? Value::Kind::reg64 : Value::Kind::reg32, is_wide, 0});
  return static_cast<uint32_t>(draft_.values.size() - 1);
}

uint32_t Builder::predicate_temporary() {
  draft_.values.push_back({Value::Kind::predicate, false, 0});
  return static_cast<uint32_t>(draft_.values.size() - 1);
}

uint32_t Builder::special(std::string_view name, bool is_wide) {
  for (const auto& [known, special] : special_names) {
    if (known != name) continue;
    for (uint32_t i = 0; i < draft_.values.size(); ++i) {
      const Value& value = draft_.values[i];
      if (value.kind == Value::Kind::special && value.wide == is_wide &&
          value.bits == static_cast<uint64_t>(special)) {
        return i;
      }
    }
    draft_.values.push_back(
        {Value::Kind::special, is_wide, static_cast<uint64_t>(special)});
    return static_cast<uint32_t>(draft_.values.size() - 1);
  }
  unsupported("the special register " + std::string(name));
}

uint32_t Builder::value_of(const ptx::Operand& operand, ptx::Type type) {
  using Kind = ptx::Operand::Kind;
  switch (operand.kind) {
    case Kind::reg:
      return context_.register_value(operand.index);
    case Kind::integer:
      // An integer literal where a float is due stands for its value: `mov.f32 %f,
      // 1`.
      if (type == ptx::Type::f32) {
        return constant(std::bit_cast<uint32_t>(
                            static_cast<float>(static_cast<int64_t>(operand.bits))),
                        false);
      }
      if (type == ptx::Type::f64) {
        return constant(std::bit_cast<uint64_t>(static_cast<double>(
                            static_cast<int64_t>(operand.bits))),
                        true);
      }
      return constant(operand.bits, wide(type));
    case Kind::real:
      if (operand.single || wide(type)) return constant(operand.bits, wide(type));
      return constant(std::bit_cast<uint32_t>(
                          static_cast<float>(std::bit_cast<double>(operand.bits))),
                      false);
    case Kind::special:
      if (operand.text == "WARP_SZ") return constant(lanes, wide(type));
      return special(operand.text, wide(type));
    case Kind::symbol: {
      if (operand.text == "WARP_SZ") return constant(lanes, wide(type));
      ptx::Space space;
      uint64_t address = 0;
      if (!context_.symbol(operand.text, &space, &address)) {
        unsupported("the address of " + std::string(operand.text));
      }
      return constant(address + static_cast<uint64_t>(operand.offset), wide(type));
    }
    default:
      unsupported();
  }
}

void Builder::read(Instruction& in, uint32_t& field, const ptx::Operand& operand,
                   ptx::Type type) {
  if (type == ptx::Type::pred) return read_predicate(in, field, operand);
  uint32_t value = value_of(operand, type);
  const Value::Kind kind = draft_.values[value].kind;
  if (kind == Value::Kind::predicate)
    unsupported("a predicate where a number is due");
  if (kind == Value::Kind::reg64 && !wide(type)) {
    Instruction narrow;
    narrow.d = temporary(false);
    narrow.a = value;
    bind_narrow(narrow);
    draft_.instructions.push_back(narrow);
    draft_.origins.push_back({InstructionClass::other, Origin::Tally::none, false,
                              source_, ptx_.ptx_line, ptx_.text});
    draft_.accesses.push_back({0b01, 0b10});
    value = narrow.d;
  } else if (kind == Value::Kind::reg32 && wide(type)) {
    unsupported("a register narrower than the instruction's type");
  }
  read_value(in, field, value);
}

void Builder::read_predicate(Instruction& in, uint32_t& field,
                             const ptx::Operand& operand) {
  // A constant's lanes are all alike: the first word of true is a full lane mask.
  if (operand.kind == ptx::Operand::Kind::integer) {
    return read_value(in, field, constant(operand.bits ? all_lanes : 0, false));
  }
  if (register_type(operand) != ptx::Type::pred) unsupported("a predicate is due");
  read_value(in, field, context_.register_value(operand.index));
}

void Builder::write(Instruction& in, uint32_t& field, const ptx::Operand& operand,
                    ptx::Type type) {
  if (operand.kind == ptx::Operand::Kind::sink) {
    write_value(
        in, field,
        type == ptx::Type::pred ? predicate_temporary() : temporary(wide(type)));
    return;
  }
  if (operand.kind != ptx::Operand::Kind::reg) unsupported("a register is due");
  uint32_t value = context_.register_value(operand.index);
  const Value::Kind kind = draft_.values[value].kind;
  if ((kind == Value::Kind::predicate) != (type == ptx::Type::pred)) unsupported();
  if (kind == Value::Kind::reg64 && !wide(type)) {
    const uint32_t narrow = temporary(false);
    widenings_.push_back({narrow, value, ptx::is_signed(type)});
    value = narrow;
  } else if (kind == Value::Kind::reg32 && wide(type)) {
    unsupported("a register narrower than the instruction's type");
  }
  write_value(in, field, value);
}

uint32_t Builder::append(Instruction& in, InstructionClass instruction_class,
                         Origin::Tally tally) {
  const uint32_t index = static_cast<uint32_t>(draft_.instructions.size());
  draft_.instructions.push_back(in);
  draft_.origins.push_back(
      {instruction_class, tally, true, source_, ptx_.ptx_line, ptx_.text});
  draft_.accesses.push_back(accesses_);
  if (in.memory != absent) draft_.memory[in.memory].instruction = index;
  accesses_ = {};
  const std::vector<Widening> widenings = std::move(widenings_);
  widenings_.clear();
  for (const Widening& widening : widenings) {
    Instruction widen = make();
    write_value(widen, widen.d, widening.wide);
    read_value(widen, widen.a, widening.narrow);
    bind_widen(widen, widening.is_signed);
    append_hidden(widen);
  }
  return index;
}

uint32_t Builder::append_hidden(Instruction& in) {
  const uint32_t index = append(in, InstructionClass::other);
  draft_.origins[index].counted = false;
  return index;
}

void Builder::end_block(uint32_t instruction, Exit exit, uint32_t label) {
  draft_.endings[instruction] = {exit, label, absent};
}

void Builder::begin_synchronous(uint32_t instruction, uint32_t members_value) {
  draft_.endings[instruction].members = members_value;
}

void Builder::count_access(Instruction& in, MemoryAccess::Kind kind,
                           uint32_t bytes) {
  in.memory = static_cast<uint32_t>(draft_.memory.size());
  draft_.memory.push_back({kind, 0, static_cast<uint8_t>(bytes)});
}

uint32_t Builder::carry_flag() {
  // The flag is a predicate of the kernel that no PTX name reaches.
  for (uint32_t i = 0; i < draft_.values.size(); ++i) {
    const Value& value = draft_.values[i];
    if (value.kind == Value::Kind::predicate && value.bits == 1) return i;
  }
  draft_.values.push_back({Value::Kind::predicate, false, 1});
  return static_cast<uint32_t>(draft_.values.size() - 1);
}

uint32_t Builder::read_address(Instruction& in, uint32_t& field,
                               const ptx::Operand& operand) {
  using Kind = ptx::Operand::Kind;
  if (operand.kind != Kind::address) unsupported("an address is due");
  const ptx::Operand& base = operand.elements[0];
  in.immediate = operand.offset;
  if (base.kind == Kind::reg) {
    const uint32_t value = context_.register_value(base.index);
    read_value(in, field, value);
    return draft_.values[value].kind == Value::Kind::reg64 ? 8 : 4;
  }
  if (base.kind == Kind::integer) {
    in.immediate += static_cast<int64_t>(base.bits);
  } else if (base.kind == Kind::symbol) {
    ptx::Space space;
    uint64_t address = 0;
    if (!context_.symbol(base.text, &space, &address)) {
      unsupported("the address of " + std::string(base.text));
    }
    in.immediate += static_cast<int64_t>(address);
  } else {
    unsupported("this address");
  }
  return 0;
}

}  // namespace rungs::cpu_device
