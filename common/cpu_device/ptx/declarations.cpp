#include "cpu_device/ptx/declarations.hpp"

#include <algorithm>
#include <bit>
#include <charconv>

#include "cpu_device/fault.hpp"

namespace rungs::cpu_device::ptx {

uint64_t integer_of(const Token& token) {
  std::string_view digits = token.text;
  if (digits.ends_with('U') || digits.ends_with('u')) digits.remove_suffix(1);
  int base = 10;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    base = 16;
    digits.remove_prefix(2);
  } else if (digits.starts_with("0b") || digits.starts_with("0B")) {
    base = 2;
    digits.remove_prefix(2);
  } else if (digits.size() > 1 && digits.front() == '0') {
    base = 8;
  }
  uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc{} || end != digits.data() + digits.size() ||
      digits.empty()) {
    throw PtxError("PTX line " + std::to_string(token.line) + ": '" +
                   std::string(token.text) + "' is no integer");
  }
  return value;
}

uint64_t parse_integer(Lexer& lexer) {
  const bool negative = lexer.accept("-");
  const uint64_t value = integer_of(lexer.next());
  return negative ? 0 - value : value;
}

Operand parse_number(Lexer& lexer) {
  const bool negative = lexer.accept("-");
  const Token token = lexer.next();
  if (token.kind != Token::Kind::number) {
    throw PtxError("PTX line " + std::to_string(token.line) + ": '" +
                   std::string(token.text) + "' is no number");
  }
  Operand operand;
  const std::string_view text = token.text;
  const bool single = text.starts_with("0f") || text.starts_with("0F");
  if (single || text.starts_with("0d") || text.starts_with("0D")) {
    operand.kind = Operand::Kind::real;
    operand.single = single;
    std::from_chars(text.data() + 2, text.data() + text.size(), operand.bits, 16);
    if (negative) operand.bits ^= single ? 0x80000000ull : 0x8000000000000000ull;
  } else if (text.find('.') != std::string_view::npos) {
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    operand.kind = Operand::Kind::real;
    operand.bits = std::bit_cast<uint64_t>(negative ? -value : value);
  } else {
    operand.kind = Operand::Kind::integer;
    operand.bits = negative ? 0 - integer_of(token) : integer_of(token);
  }
  return operand;
}

Declaration parse_declaration(Lexer& lexer, Space space) {
  Declaration declaration;
  declaration.space = space;
  uint32_t lanes = 1;
  while (lexer.peek().kind == Token::Kind::directive) {
    const Token attribute = lexer.next();
    const std::string_view word = attribute.text.substr(1);
    if (word == "align") {
      declaration.alignment = static_cast<uint32_t>(integer_of(lexer.next()));
    } else if (word == "v2" || word == "v4") {
      lanes = word == "v2" ? 2 : 4;
    } else if (word == "attribute") {
      lexer.expect("(");
      while (!lexer.accept(")")) lexer.next();
    } else if (type_named(word) != Type::none) {
      declaration.type = type_named(word);
    } else if (word == "ptr" || word == "global" || word == "shared" ||
               word == "const" || word == "local" || word == "param" ||
               word == "reg") {
      // `.param .u64 .ptr .global .align 16 p`: says what it points to, changes
      // nothing here.
      if (word == "reg") declaration.space = Space::reg;
    } else {
      lexer.fail("unknown attribute '" + std::string(attribute.text) +
                 "' of a variable");
    }
  }
  const Token name = lexer.next();
  if (name.kind != Token::Kind::word) lexer.fail("expected a variable's name");
  declaration.name = name.text;
  uint64_t count = lanes;
  while (lexer.accept("[")) {
    count *= lexer.peek().is("]") ? 0 : integer_of(lexer.next());
    lexer.expect("]");
  }
  const uint32_t element = bytes_of(declaration.type);
  declaration.alignment =
      std::max(declaration.alignment, std::max(1u, element * lanes));
  declaration.bytes = count * element;
  return declaration;
}

std::vector<Declaration> parse_parameters(Lexer& lexer) {
  std::vector<Declaration> parameters;
  lexer.expect("(");
  while (!lexer.accept(")")) {
    parameters.push_back(parse_declaration(lexer, Space::param));
    lexer.accept(",");
  }
  return parameters;
}

}  // namespace rungs::cpu_device::ptx
