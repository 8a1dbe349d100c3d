/// \file
/// What the instruction families use to turn one PTX instruction into one of ours:
/// modifiers are taken off one by one, operands are bound to fields, and whatever
/// is left over makes the instruction unsupported. So no modifier is ever silently
/// ignored.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cpu_device/program/program.hpp"
#include "cpu_device/ptx/ast.hpp"

namespace rungs::cpu_device {

/// A value that instructions name while the kernel is being built. The register
/// allocator gives each its place in the frame.
struct Value {
  enum class Kind : uint8_t { predicate, reg32, reg64, constant, special };
  Kind kind = Kind::reg32;
  bool wide = false;  ///< constants, specials: 8-byte lanes
  uint64_t bits = 0;  ///< constants: the lane's bits; specials: which
};

/// A kernel under construction.
struct Draft {
  std::vector<Instruction> instructions;
  std::vector<Origin> origins;
  /// Bit i: field i of d, a, b, c, e, f is written / read. Same index as the
  /// instruction.
  struct Accesses {
    uint8_t written = 0, read = 0;
  };
  std::vector<Accesses> accesses;
  std::vector<Value> values;
  std::vector<MemoryAccess> memory;
  std::vector<std::vector<uint32_t>> tables;  ///< of `brx.idx`: labels
  /// Labels are kept as numbers until all code is laid out.
  std::vector<uint32_t> label_positions;
  struct Ending {
    Exit exit = Exit::next;
    uint32_t label = 0;  ///< of a branch; index into tables of a table
    uint32_t members = absent;
  };
  std::map<uint32_t, Ending>
      endings;  ///< by instruction: those that end or begin a block
  uint32_t static_shared_bytes = 0;
  uint32_t local_bytes = 0;
};

/// The decoding of one PTX instruction.
class Builder {
 public:
  /// Resolves names: symbols to addresses, registers and parameters of the function
  /// (or of the inlined copy of it) to values.
  struct Context {
    virtual ~Context() = default;
    /// The value of a register of the function being decoded.
    virtual uint32_t register_value(uint32_t index) = 0;
    /// The address of a variable: in its own space (shared and local from 0).
    virtual bool symbol(std::string_view name, ptx::Space* space,
                        uint64_t* address) = 0;
    /// The kernel-wide numbers of the function's labels and branch tables.
    virtual uint32_t label(uint32_t index) const = 0;
    virtual uint32_t table(uint32_t index) const = 0;
  };

  Builder(Draft& draft, Context& context, const ptx::Function& function,
          const ptx::Instruction& instruction, const SourceLine& source);

  // --- the instruction at hand
  std::string_view opcode() const { return ptx_.opcode; }
  /// Takes a modifier off, if it is there.
  bool take(std::string_view modifier);
  /// Takes the next modifier that is a type, or `none`.
  ptx::Type take_type();
  /// All modifiers not yet taken.
  const std::vector<std::string_view>& rest() const { return modifiers_; }
  const std::vector<ptx::Operand>& operands() const { return ptx_.operands; }
  const ptx::Operand& operand(size_t i) const;
  ptx::Type register_type(const ptx::Operand& operand) const;
  /// Stops with the instruction's text and source line.
  [[noreturn]] void unsupported() const;
  [[noreturn]] void unsupported(const std::string& why) const;

  // --- building
  /// A new instruction with the PTX instruction's guard. Not yet part of the draft.
  Instruction make() const;
  /// Binds a source operand, as a value of the type. Registers wider than the type
  /// are narrowed, as loads, stores and conversions allow.
  void read(Instruction& in, uint32_t& field, const ptx::Operand& operand,
            ptx::Type type);
  void read_predicate(Instruction& in, uint32_t& field,
                      const ptx::Operand& operand);
  void read_value(Instruction& in, uint32_t& field, uint32_t value);
  /// Binds a destination. `_` gets a value of its own that nothing reads.
  void write(Instruction& in, uint32_t& field, const ptx::Operand& operand,
             ptx::Type type);
  void write_value(Instruction& in, uint32_t& field, uint32_t value);
  /// Puts the instruction into the draft, with what its destinations need after it.
  uint32_t append(Instruction& in, InstructionClass instruction_class,
                  Origin::Tally tally = Origin::Tally::none);
  /// The same for one that decoding adds: not counted.
  uint32_t append_hidden(Instruction& in);
  /// Marks an appended instruction as the end of its basic block.
  void end_block(uint32_t instruction, Exit exit, uint32_t label = 0);
  /// Marks an appended instruction as warp-synchronous, with the field of its
  /// member mask.
  void begin_synchronous(uint32_t instruction, uint32_t members_value);
  /// Gives a memory instruction its statistics.
  void count_access(Instruction& in, MemoryAccess::Kind kind, uint32_t bytes);

  uint32_t constant(uint64_t bits, bool wide);
  uint32_t temporary(bool wide);
  uint32_t predicate_temporary();
  uint32_t special(std::string_view name, bool wide);
  /// A value shared by all instructions, created at first use: the carry flag of
  /// add.cc.
  uint32_t carry_flag();

  /// The base of an address operand: a register goes into the field, anything
  /// constant into the immediate. Returns the base register's width in bytes (4 or
  /// 8), 0 if constant.
  uint32_t read_address(Instruction& in, uint32_t& field,
                        const ptx::Operand& operand);
  Context& context() { return context_; }

 private:
  uint32_t field_index(const Instruction& in, const uint32_t& field) const;
  uint32_t value_of(const ptx::Operand& operand, ptx::Type type);

  struct Widening {
    uint32_t narrow, wide;
    bool is_signed;
  };

  Draft& draft_;
  Context& context_;
  const ptx::Function& function_;
  const ptx::Instruction& ptx_;
  SourceLine source_;
  std::vector<std::string_view> modifiers_;
  Draft::Accesses accesses_;
  std::vector<Widening> widenings_;
};

/// Families. Each returns false when the opcode is not one of its own.
bool decode_integer(Builder& builder);
bool decode_carry(Builder& builder);
bool decode_bits(Builder& builder);
bool decode_float32(Builder& builder);
bool decode_float64(Builder& builder);
bool decode_approximate(Builder& builder);
bool decode_convert(Builder& builder);
bool decode_compare(Builder& builder);
bool decode_move(Builder& builder);
bool decode_load_store(Builder& builder);
bool decode_atomic(Builder& builder);
bool decode_async_copy(Builder& builder);
bool decode_shuffle(Builder& builder);
bool decode_vote(Builder& builder);
bool decode_control(Builder& builder);
/// Moves between registers of two widths, for Builder.
void bind_narrow(Instruction& in);
void bind_widen(Instruction& in, bool is_signed);

}  // namespace rungs::cpu_device
