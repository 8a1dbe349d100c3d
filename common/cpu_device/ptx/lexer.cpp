#include "cpu_device/ptx/lexer.hpp"

#include "cpu_device/fault.hpp"

namespace rungs::cpu_device::ptx {
namespace {

bool letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         c == '%';
}
bool digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

void Lexer::skip_blanks() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    const char following =
        position_ + 1 < text_.size() ? text_[position_ + 1] : '\0';
    if (c == '\n') {
      ++line_;
      ++position_;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++position_;
    } else if (c == '/' && following == '/') {
      while (position_ < text_.size() && text_[position_] != '\n') ++position_;
    } else if (c == '/' && following == '*') {
      const size_t close = text_.find("*/", position_ + 2);
      const size_t stop =
          close == std::string_view::npos ? text_.size() : close + 2;
      for (; position_ < stop; ++position_) line_ += text_[position_] == '\n';
    } else {
      return;
    }
  }
}

void Lexer::advance() {
  skip_blanks();
  token_ = Token{Token::Kind::end, {}, line_};
  if (position_ >= text_.size()) return;
  const size_t begin = position_;
  const char c = text_[position_];
  const auto at = [&](size_t i) { return i < text_.size() ? text_[i] : '\0'; };
  if (letter(c) || (c == '.' && letter(at(position_ + 1)))) {
    token_.kind = c == '.' ? Token::Kind::directive : Token::Kind::word;
    ++position_;
    // Dots and double colons inside belong to the word: "%tid.x",
    // "ld.shared::cta.f32".
    while (
        letter(at(position_)) || digit(at(position_)) ||
        (at(position_) == '.' &&
         (letter(at(position_ + 1)) || digit(at(position_ + 1)))) ||
        (at(position_) == ':' && at(position_ + 1) == ':') ||
        (at(position_) == ':' && position_ > begin && at(position_ - 1) == ':')) {
      ++position_;
    }
  } else if (digit(c)) {
    token_.kind = Token::Kind::number;
    while (letter(at(position_)) || digit(at(position_)) || at(position_) == '.')
      ++position_;
  } else if (c == '"') {
    token_.kind = Token::Kind::string;
    ++position_;
    while (position_ < text_.size() && text_[position_] != '"') {
      position_ += text_[position_] == '\\' ? 2 : 1;
    }
    position_ = position_ < text_.size() ? position_ + 1 : text_.size();
  } else {
    token_.kind = Token::Kind::punctuation;
    ++position_;
  }
  token_.text = text_.substr(begin, position_ - begin);
}

Token Lexer::next() {
  const Token token = token_;
  last_end_ = token.text.empty()
                  ? text_.size()
                  : static_cast<size_t>(token.text.data() - text_.data()) +
                        token.text.size();
  advance();
  return token;
}

bool Lexer::accept(std::string_view expected) {
  if (!token_.is(expected)) return false;
  next();
  return true;
}

void Lexer::expect(std::string_view expected) {
  if (!accept(expected)) fail("expected '" + std::string(expected) + "'");
}

void Lexer::fail(const std::string& what) const {
  throw PtxError("PTX line " + std::to_string(token_.line) + ": " + what +
                 ", found '" + std::string(token_.text) + "'");
}

std::string_view Lexer::since(const Token& first) const {
  const size_t begin = static_cast<size_t>(first.text.data() - text_.data());
  return text_.substr(begin, last_end_ - begin);
}

}  // namespace rungs::cpu_device::ptx
