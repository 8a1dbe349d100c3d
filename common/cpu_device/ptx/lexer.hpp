/// \file
/// PTX text to tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rungs::cpu_device::ptx {

struct Token {
  enum class Kind : uint8_t { end, word, directive, number, string, punctuation };
  Kind kind = Kind::end;
  std::string_view text;  ///< a word keeps its dotted modifiers: "ld.global.v4.f32"
  uint32_t line = 0;
  bool is(std::string_view expected) const {
    return text == expected && kind != Kind::string;
  }
};

/// Hands out one token after another; comments and white space are skipped.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { advance(); }
  const Token& peek() const { return token_; }
  Token next();
  /// Takes the next token if it is this one.
  bool accept(std::string_view expected);
  /// \throws PtxError unless the next token is this one
  void expect(std::string_view expected);
  [[noreturn]] void fail(const std::string& what) const;
  /// The text from an earlier token's start up to the end of the last token taken.
  std::string_view since(const Token& first) const;

 private:
  void advance();
  void skip_blanks();
  std::string_view text_;
  size_t position_ = 0;
  size_t last_end_ = 0;
  uint32_t line_ = 1;
  Token token_;
};

}  // namespace rungs::cpu_device::ptx
