/// \file
/// A function's body: declarations, labels, instructions, in nested scopes.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cpu_device/ptx/ast.hpp"
#include "cpu_device/ptx/lexer.hpp"

namespace rungs::cpu_device::ptx {

/// Parses from the opening to the closing brace. Inline assembly declares the same
/// register and label names in many braced scopes, so names are looked up from the
/// inside out.
class BodyParser {
 public:
  BodyParser(Lexer& lexer, Function& function)
      : lexer_(lexer), function_(function) {}
  void parse();

 private:
  struct Named {
    Space space;
    uint32_t index;
  };
  struct Scope {
    std::map<std::string_view, Named> names;
    std::map<std::string_view, uint32_t> labels;
    std::map<std::string_view, uint32_t> tables;  ///< of `.branchtargets`
    size_t parent;
  };
  struct PendingLabel {
    size_t instruction, operand, scope;
    std::string_view name;
  };
  struct PendingTable {
    size_t scope;
    std::vector<std::string_view> targets;
  };

  void parse_block();
  void parse_declaration_statement(const Token& directive);
  void parse_registers();
  void parse_location();
  void parse_instruction();
  Operand parse_operand();
  Operand parse_address();
  Operand parse_name();
  void parse_call(Instruction& instruction);
  std::vector<Operand> parse_list();
  const Named* find(std::string_view name) const;
  uint32_t label_index(std::string_view name, size_t scope) const;
  void resolve_labels();

  Lexer& lexer_;
  Function& function_;
  std::vector<Scope> scopes_;
  size_t scope_ = 0;
  std::vector<PendingLabel> pending_;
  std::vector<PendingTable> tables_;
  uint32_t source_file_ = 0, source_line_ = 0;
};

}  // namespace rungs::cpu_device::ptx
