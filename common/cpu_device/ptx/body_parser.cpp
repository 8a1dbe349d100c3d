#include "cpu_device/ptx/body_parser.hpp"

#include "cpu_device/fault.hpp"
#include "cpu_device/ptx/declarations.hpp"

namespace rungs::cpu_device::ptx {
namespace {

// Far beyond what any compiler declares: a damaged number must not ask for all
// memory.
constexpr uint64_t max_registers = 1'000'000;

[[noreturn]] void fail_at(uint32_t line, const std::string& what) {
  throw PtxError("PTX line " + std::to_string(line) + ": " + what);
}

}  // namespace

void BodyParser::parse() {
  scopes_.push_back(Scope{{}, {}, {}, 0});
  lexer_.expect("{");
  parse_block();
  resolve_labels();
}

void BodyParser::parse_block() {
  while (!lexer_.accept("}")) {
    const Token& token = lexer_.peek();
    if (token.kind == Token::Kind::end)
      lexer_.fail("a function's body does not end");
    if (lexer_.accept(";")) continue;
    if (lexer_.accept("{")) {
      scopes_.push_back(Scope{{}, {}, {}, scope_});
      const size_t outer = scope_;
      scope_ = scopes_.size() - 1;
      parse_block();
      scope_ = outer;
    } else if (token.kind == Token::Kind::directive) {
      parse_declaration_statement(lexer_.next());
    } else {
      parse_instruction();
    }
  }
}

void BodyParser::parse_declaration_statement(const Token& directive) {
  if (directive.is(".loc")) return parse_location();
  if (directive.is(".reg")) return parse_registers();
  if (directive.is(".pragma")) {
    while (!lexer_.accept(";")) lexer_.next();
    return;
  }
  const bool param = directive.is(".param");
  if (!param && !directive.is(".shared") && !directive.is(".local")) {
    fail_at(directive.line,
            "unknown statement '" + std::string(directive.text) + "'");
  }
  const Space space = param                     ? Space::param
                      : directive.is(".shared") ? Space::shared
                                                : Space::local;
  do {
    Declaration declaration = parse_declaration(lexer_, space);
    std::vector<Declaration>& list =
        param ? function_.arguments : function_.variables;
    list.push_back(std::move(declaration));
    if (param) {
      scopes_[scope_].names[list.back().name] = {
          space, static_cast<uint32_t>(list.size() - 1)};
    }
  } while (lexer_.accept(","));
  lexer_.expect(";");
}

void BodyParser::parse_location() {
  source_file_ = static_cast<uint32_t>(parse_integer(lexer_));
  source_line_ = static_cast<uint32_t>(parse_integer(lexer_));
  parse_integer(lexer_);  // column
  while (lexer_.accept(",")) {
    // `, function_name $L..., inlined_at FILE LINE COLUMN`: the line stays the
    // inlined one.
    const Token word = lexer_.next();
    if (word.is("function_name")) {
      lexer_.next();
      if (lexer_.accept("+")) lexer_.next();
    } else if (word.is("inlined_at")) {
      for (int i = 0; i < 3; ++i) parse_integer(lexer_);
    } else {
      fail_at(word.line, "unknown part '" + std::string(word.text) + "' of .loc");
    }
  }
}

void BodyParser::parse_registers() {
  const Token type_word = lexer_.next();
  if (type_word.is(".v2") || type_word.is(".v4")) lexer_.fail("vector registers");
  const bool named = type_word.kind == Token::Kind::directive;
  const Type type = named ? type_named(type_word.text.substr(1)) : Type::none;
  if (type == Type::none) lexer_.fail("expected a register's type");
  do {
    const Token name = lexer_.next();
    if (name.kind != Token::Kind::word) lexer_.fail("expected a register's name");
    uint64_t count = 1;
    const bool range = lexer_.accept("<");
    if (range) {
      count = integer_of(lexer_.next());
      if (count > max_registers) lexer_.fail("at most a million registers");
      lexer_.expect(">");
    }
    for (uint64_t i = 0; i < count; ++i) {
      std::string full(name.text);
      if (range) full += std::to_string(i);
      function_.registers.push_back({std::move(full), type});
    }
    const uint32_t first =
        static_cast<uint32_t>(function_.registers.size() - count);
    if (range) {
      // A range is found by its prefix; the number in the name gives the register.
      scopes_[scope_].names[name.text] = {Space::none, first};
    } else {
      scopes_[scope_].names[name.text] = {Space::reg, first};
    }
  } while (lexer_.accept(","));
  lexer_.expect(";");
}

const BodyParser::Named* BodyParser::find(std::string_view name) const {
  for (size_t scope = scope_;; scope = scopes_[scope].parent) {
    const auto found = scopes_[scope].names.find(name);
    if (found != scopes_[scope].names.end()) return &found->second;
    if (scope == 0) return nullptr;
  }
}

Operand BodyParser::parse_name() {
  Operand operand;
  const Token token = lexer_.next();
  const std::string_view name = token.text;
  if (name == "_") return operand;
  if (const Named* named = find(name); named && named->space != Space::none) {
    operand.kind =
        named->space == Space::reg ? Operand::Kind::reg : Operand::Kind::param;
    operand.index = named->index;
    operand.text = name;
    return operand;
  }
  const size_t digits = name.find_last_not_of("0123456789") + 1;
  if (digits < name.size()) {
    if (const Named* named = find(name.substr(0, digits)); named) {
      if (named->space == Space::none) {
        const uint32_t index =
            named->index +
            static_cast<uint32_t>(std::stoul(std::string(name.substr(digits))));
        if (index < function_.registers.size() &&
            function_.registers[index].name == name) {
          operand.kind = Operand::Kind::reg;
          operand.index = index;
          operand.text = name;
          return operand;
        }
      }
    }
  }
  operand.kind =
      name.starts_with('%') ? Operand::Kind::special : Operand::Kind::symbol;
  operand.text = name;
  return operand;
}

Operand BodyParser::parse_address() {
  Operand operand;
  operand.kind = Operand::Kind::address;
  if (lexer_.peek().kind == Token::Kind::word) {
    operand.elements.push_back(parse_name());
  } else {
    operand.elements.push_back(parse_number(lexer_));
  }
  if (lexer_.accept("+"))
    operand.offset = static_cast<int64_t>(parse_integer(lexer_));
  else if (lexer_.peek().is("-"))
    operand.offset = static_cast<int64_t>(parse_integer(lexer_));
  if (lexer_.peek().is(",")) lexer_.fail("texture and tensor addresses");
  lexer_.expect("]");
  return operand;
}

Operand BodyParser::parse_operand() {
  if (lexer_.accept("[")) return parse_address();
  if (lexer_.accept("{")) {
    Operand operand;
    operand.kind = Operand::Kind::vector;
    while (!lexer_.accept("}")) {
      operand.elements.push_back(parse_operand());
      lexer_.accept(",");
    }
    return operand;
  }
  if (lexer_.accept("!")) {
    Operand operand = parse_name();
    operand.negated = true;
    return operand;
  }
  if (lexer_.peek().kind != Token::Kind::word) return parse_number(lexer_);
  Operand operand = parse_name();
  if (lexer_.accept("|")) {
    Operand both;
    both.kind = Operand::Kind::vector;
    both.pair = true;
    both.elements = {operand, parse_name()};
    return both;
  }
  if (operand.kind == Operand::Kind::symbol && lexer_.accept("+")) {
    operand.offset = static_cast<int64_t>(parse_integer(lexer_));
  }
  return operand;
}

std::vector<Operand> BodyParser::parse_list() {
  std::vector<Operand> list;
  lexer_.expect("(");
  while (!lexer_.accept(")")) {
    list.push_back(parse_operand());
    lexer_.accept(",");
  }
  return list;
}

// call (results), function, (arguments): operands are {results}, function,
// {arguments}.
void BodyParser::parse_call(Instruction& instruction) {
  Operand results, arguments;
  results.kind = arguments.kind = Operand::Kind::vector;
  if (lexer_.peek().is("(")) {
    results.elements = parse_list();
    lexer_.expect(",");
  }
  Operand callee = parse_operand();
  if (lexer_.accept(",")) {
    if (lexer_.peek().is("(")) {
      arguments.elements = parse_list();
      if (lexer_.accept(","))
        lexer_.next();  // a prototype: the callee is known by name
    } else {
      lexer_.next();
    }
  }
  instruction.operands = {std::move(results), std::move(callee),
                          std::move(arguments)};
}

void BodyParser::parse_instruction() {
  const Token first = lexer_.peek();
  if (first.kind == Token::Kind::word) {
    const Token word = lexer_.next();
    if (lexer_.accept(":")) {
      if (lexer_.accept(".branchtargets")) {
        PendingTable table{scope_, {}};
        do {
          table.targets.push_back(lexer_.next().text);
        } while (lexer_.accept(","));
        lexer_.expect(";");
        scopes_[scope_].tables[word.text] = static_cast<uint32_t>(tables_.size());
        tables_.push_back(std::move(table));
      } else if (lexer_.peek().is(".callprototype") ||
                 lexer_.peek().is(".calltargets")) {
        while (!lexer_.accept(";")) lexer_.next();
      } else {
        scopes_[scope_].labels[word.text] =
            static_cast<uint32_t>(function_.labels.size());
        function_.labels.push_back(
            static_cast<uint32_t>(function_.instructions.size()));
      }
      return;
    }
  }
  Instruction instruction;
  instruction.ptx_line = first.line;
  instruction.source_file = source_file_;
  instruction.source_line = source_line_;
  Token opcode = first;
  if (first.is("@")) {
    lexer_.next();
    instruction.guard_negated = lexer_.accept("!");
    const Operand guard = parse_name();
    if (guard.kind != Operand::Kind::reg)
      lexer_.fail("expected a predicate register");
    instruction.guard = guard.index;
    opcode = lexer_.next();
  }
  if (opcode.kind != Token::Kind::word) lexer_.fail("expected an instruction");
  std::string_view rest = opcode.text;
  for (bool head = true; !rest.empty(); head = false) {
    const size_t dot = rest.find('.');
    const std::string_view part = rest.substr(0, dot);
    if (head)
      instruction.opcode = part;
    else
      instruction.modifiers.push_back(part);
    rest.remove_prefix(dot == std::string_view::npos ? rest.size() : dot + 1);
  }
  if (instruction.opcode == "call") {
    parse_call(instruction);
    lexer_.expect(";");
  } else {
    while (!lexer_.accept(";")) {
      if (lexer_.peek().kind == Token::Kind::end)
        lexer_.fail("an instruction does not end");
      instruction.operands.push_back(parse_operand());
      if (!lexer_.peek().is(";")) lexer_.expect(",");
    }
  }
  instruction.text = lexer_.since(first);
  if (instruction.opcode == "bra" || instruction.opcode == "brx") {
    if (instruction.operands.empty()) fail_at(first.line, "a branch to nowhere");
    Operand& target = instruction.operands.back();
    pending_.push_back({function_.instructions.size(),
                        instruction.operands.size() - 1, scope_, target.text});
  }
  function_.instructions.push_back(std::move(instruction));
}

uint32_t BodyParser::label_index(std::string_view name, size_t scope) const {
  for (;; scope = scopes_[scope].parent) {
    const auto found = scopes_[scope].labels.find(name);
    if (found != scopes_[scope].labels.end()) return found->second;
    if (scope == 0) return no_index;
  }
}

void BodyParser::resolve_labels() {
  for (const PendingTable& table : tables_) {
    std::vector<uint32_t> targets;
    for (const std::string_view name : table.targets) {
      targets.push_back(label_index(name, table.scope));
    }
    function_.branch_targets.push_back(std::move(targets));
  }
  for (const PendingLabel& pending : pending_) {
    Instruction& instruction = function_.instructions[pending.instruction];
    Operand& operand = instruction.operands[pending.operand];
    operand.kind = Operand::Kind::label;
    operand.index = label_index(pending.name, pending.scope);
    if (instruction.opcode == "brx") {
      for (size_t scope = pending.scope;; scope = scopes_[scope].parent) {
        const auto found = scopes_[scope].tables.find(pending.name);
        if (found != scopes_[scope].tables.end()) operand.index = found->second;
        if (found != scopes_[scope].tables.end() || scope == 0) break;
      }
    }
    if (operand.index == no_index) {
      fail_at(instruction.ptx_line,
              "unknown label '" + std::string(pending.name) + "'");
    }
  }
}

}  // namespace rungs::cpu_device::ptx
