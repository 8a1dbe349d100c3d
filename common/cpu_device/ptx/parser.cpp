#include "cpu_device/ptx/parser.hpp"

#include <algorithm>

#include "cpu_device/fault.hpp"
#include "cpu_device/ptx/body_parser.hpp"
#include "cpu_device/ptx/declarations.hpp"
#include "cpu_device/ptx/lexer.hpp"

namespace rungs::cpu_device::ptx {
namespace {

// Skips to the end of a statement or of a braced block, whichever comes first.
void skip_statement(Lexer& lexer) {
  int depth = 0;
  while (lexer.peek().kind != Token::Kind::end) {
    const Token token = lexer.next();
    if (token.is("{")) ++depth;
    if (token.is("}") && --depth == 0) return;
    if (token.is(";") && depth == 0) return;
  }
}

std::string file_name(std::string_view quoted) {
  std::string_view path = quoted.substr(1, quoted.size() - 2);
  const size_t slash = path.find_last_of("/\\");
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  return std::string(path);
}

void parse_file(Lexer& lexer, Module& module) {
  const uint64_t number = parse_integer(lexer);
  const Token name = lexer.next();
  if (name.kind != Token::Kind::string) lexer.fail("expected a file name");
  module.files.resize(std::max<size_t>(module.files.size(), number + 1));
  module.files[number] = file_name(name.text);
  while (lexer.accept(",")) lexer.next();  // time stamp and size
}

void parse_initialiser(Lexer& lexer, std::vector<Initialiser>& values) {
  if (lexer.accept("{")) {
    while (!lexer.accept("}")) {
      parse_initialiser(lexer, values);
      lexer.accept(",");
    }
    return;
  }
  Initialiser value;
  const Token& token = lexer.peek();
  if (token.is("generic")) {
    lexer.next();
    lexer.expect("(");
    value.generic = true;
    value.symbol = lexer.next().text;
    lexer.expect(")");
  } else if (token.kind == Token::Kind::word) {
    value.symbol = lexer.next().text;
  } else {
    value.bits = parse_number(lexer).bits;
  }
  if (!value.symbol.empty() && lexer.accept("+")) value.bits = parse_integer(lexer);
  values.push_back(value);
}

// The directives between a kernel's parameters and its body.
void parse_performance_directives(Lexer& lexer, Function& function) {
  while (lexer.peek().kind == Token::Kind::directive) {
    const Token directive = lexer.next();
    uint32_t product = 1;
    bool first = true;
    while (lexer.peek().kind == Token::Kind::number || lexer.peek().is(",") ||
           lexer.peek().kind == Token::Kind::string) {
      const Token token = lexer.next();
      if (token.kind != Token::Kind::number) continue;
      product *= static_cast<uint32_t>(integer_of(token));
      first = false;
    }
    if (!first && (directive.is(".maxntid") || directive.is(".reqntid"))) {
      function.max_threads = product;
    }
    lexer.accept(";");  // `.pragma "...";`
  }
}

void parse_function(Lexer& lexer, Module& module, bool entry) {
  Function function;
  function.entry = entry;
  if (!entry && lexer.peek().is("(")) function.returns = parse_parameters(lexer);
  const Token name = lexer.next();
  if (name.kind != Token::Kind::word) lexer.fail("expected a function name");
  function.name = std::string(name.text);
  if (lexer.peek().is("(")) function.parameters = parse_parameters(lexer);
  parse_performance_directives(lexer, function);
  if (!lexer.accept(";")) {
    function.defined = true;
    function.body_line = lexer.peek().line;
    BodyParser(lexer, function).parse();
  }
  // A definition replaces the prototype that came before it.
  for (Function& known : module.functions) {
    if (known.name == function.name) {
      if (function.defined) known = std::move(function);
      return;
    }
  }
  module.functions.push_back(std::move(function));
}

void parse_variable(Lexer& lexer, Module& module, Space space, bool external) {
  do {
    GlobalVariable variable;
    variable.declaration = parse_declaration(lexer, space);
    variable.declaration.external = external;
    if (lexer.accept("=")) parse_initialiser(lexer, variable.values);
    if (space == Space::shared) {
      module.shared.push_back(std::move(variable.declaration));
    } else {
      module.variables.push_back(std::move(variable));
    }
  } while (lexer.accept(","));
  lexer.expect(";");
}

}  // namespace

std::unique_ptr<Module> parse(std::string_view text) {
  auto module = std::make_unique<Module>();
  // Trailing zero bytes come with fat binaries.
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  module->text = std::string(text);
  Lexer lexer(module->text);
  bool external = false;
  while (lexer.peek().kind != Token::Kind::end) {
    const Token token = lexer.next();
    if (token.is(".visible") || token.is(".weak") || token.is(".common")) continue;
    if (token.is(".extern")) {
      external = true;
      continue;
    }
    if (token.is(".version") || token.is(".address_size")) {
      lexer.next();
    } else if (token.is(".target")) {
      do {
        lexer.next();
      } while (lexer.accept(","));
    } else if (token.is(".file")) {
      parse_file(lexer, *module);
    } else if (token.is(".func") || token.is(".entry")) {
      while (lexer.peek().is(".noreturn") || lexer.peek().is(".attribute")) {
        if (lexer.next().is(".attribute")) skip_statement(lexer);
      }
      parse_function(lexer, *module, token.is(".entry"));
    } else if (token.is(".global")) {
      parse_variable(lexer, *module, Space::global, external);
    } else if (token.is(".const")) {
      parse_variable(lexer, *module, Space::constant, external);
    } else if (token.is(".shared")) {
      parse_variable(lexer, *module, Space::shared, external);
    } else if (token.is(".section")) {
      lexer.next();
      skip_statement(lexer);
    } else if (token.is(".pragma") || token.is(".alias") ||
               token.is(".attribute")) {
      skip_statement(lexer);
    } else if (!token.is(";")) {
      throw PtxError("PTX line " + std::to_string(token.line) +
                     ": unknown module-level statement '" +
                     std::string(token.text) + "'");
    }
    external = false;
  }
  return module;
}

}  // namespace rungs::cpu_device::ptx
