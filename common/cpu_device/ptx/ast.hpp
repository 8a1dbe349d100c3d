/// \file
/// What the parser makes of PTX text. Names of registers, labels and parameters are
/// resolved within their scopes, so later stages work with numbers. Source of the
/// grammar: NVIDIA, "Parallel Thread Execution ISA", chapters 4 to 7.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rungs::cpu_device::ptx {

/// A fundamental type. `none` stands for an absent one.
enum class Type : uint8_t {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  tf32,
  f32,
  f32x2,
  f64,
};

/// Bytes of a value of the type; 0 for `none` and `pred`.
uint32_t bytes_of(Type type);
/// The type that a modifier such as "u32" names, or `none`.
Type type_named(std::string_view word);
bool is_float(Type type);
bool is_signed(Type type);

enum class Space : uint8_t { none, reg, param, local, shared, global, constant };

/// A declared variable: a parameter, a shared array, a local depot, a global.
struct Declaration {
  std::string_view name;
  Space space = Space::none;
  Type type = Type::none;
  uint32_t alignment = 1;
  uint64_t bytes = 0;
  bool external = false;  ///< `.extern .shared x[]`: the dynamic part
};

constexpr uint32_t no_index = 0xFFFFFFFF;

/// One operand. `value` is the kind's main number, `text` its name where it has
/// one.
struct Operand {
  enum class Kind : uint8_t {
    reg,      ///< index: the register; negated: `!p`
    integer,  ///< bits
    real,     ///< bits: an f64's bits; single: written as 0f, bits hold the f32's
    special,  ///< text: "%tid.x"
    symbol,   ///< text: a variable or function, plus offset
    param,    ///< index: a body-level `.param` of this function, plus offset
    address,  ///< [base + offset]: base is a reg, a symbol, a param or an integer
    vector,   ///< elements
    label,    ///< index: the label
    sink,     ///< `_`
  };
  Kind kind = Kind::sink;
  bool negated = false;
  bool single = false;
  uint32_t index = no_index;
  uint64_t bits = 0;
  int64_t offset = 0;
  std::string_view text;
  std::vector<Operand>
      elements;       ///< of a vector; of an address: the base; of `r|p`: see pair
  bool pair = false;  ///< kind vector written `a|b` and not `{a, b}`
};

/// One instruction with its guard.
struct Instruction {
  std::string_view opcode;                  ///< "ld"
  std::vector<std::string_view> modifiers;  ///< {"global", "v4", "f32"}
  std::vector<Operand> operands;
  uint32_t guard = no_index;  ///< register of `@p`
  bool guard_negated = false;
  uint32_t ptx_line = 0;
  uint32_t source_file = 0, source_line = 0;  ///< of the `.loc` before it; 0: none
  std::string_view text;
};

struct Register {
  std::string name;
  Type type;
};

/// A function or kernel.
struct Function {
  std::string name;
  bool entry = false;
  bool defined = false;
  std::vector<Declaration> returns, parameters;
  std::vector<Declaration> variables;  ///< body-level `.shared`, `.local`
  std::vector<Declaration> arguments;  ///< body-level `.param`, by index
  std::vector<Register> registers;
  std::vector<Instruction> instructions;
  std::vector<uint32_t>
      labels;  ///< by label index: the instruction it stands before
  std::vector<std::vector<uint32_t>>
      branch_targets;  ///< of `.branchtargets`, by index
  uint32_t max_threads = 1024;
  uint32_t body_line = 0;
};

/// One value in an initialiser.
struct Initialiser {
  uint64_t bits = 0;
  std::string_view symbol;  ///< when an address
  bool generic = false;
};

struct GlobalVariable {
  Declaration declaration;
  std::vector<Initialiser> values;
};

struct Module {
  std::string text;                       ///< everything above points into it
  std::vector<std::string> files;         ///< by `.file` number
  std::vector<GlobalVariable> variables;  ///< global and constant
  std::vector<Declaration> shared;        ///< module-level `.shared`
  std::vector<Function> functions;
};

}  // namespace rungs::cpu_device::ptx
