#include "saltus/expr/lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "saltus/base/text.hpp"

namespace saltus {

void fail(std::size_t first, std::size_t last, std::string message, std::string expected, std::string suggestion) {
  throw SyntaxError{{first, last, std::move(message), std::move(expected), std::move(suggestion)}};
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

Token Lexer::next() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
    ++at_;
  if (at_ >= text_.size()) return {Token::Kind::end, text_.substr(text_.size()), text_.size()};
  const char c = text_[at_];
  const bool decimal_point = c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]);
  if (is_digit(c) || decimal_point) return number();
  if (is_letter(c)) return name();
  return symbol();
}

Token Lexer::taken(Token::Kind kind, std::size_t length) {
  const Token token{kind, text_.substr(at_, length), at_};
  at_ += length;
  return token;
}

Token Lexer::number() {
  double value = 0.0;
  const char* const begin = text_.data() + at_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
  const auto length = static_cast<std::size_t>(end - begin);
  if (error != std::errc() || !std::isfinite(value))
    fail(at_, at_ + std::max<std::size_t>(1, length), "number out of range", "a number between 1e-308 and 1e308");
  Token token = taken(Token::Kind::number, length);
  token.value = value;
  return token;
}

Token Lexer::name() {
  std::size_t end = at_;
  while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
  if (end < text_.size() && text_[end] == '\'') ++end;
  return taken(Token::Kind::name, end - at_);
}

Token Lexer::symbol() {
  static constexpr std::string_view two[] = {"<=", ">=", "==", "!=", "**", "&&", "||"};
  for (const std::string_view pair : two)
    if (text_.substr(at_, 2) == pair) return taken(Token::Kind::symbol, 2);
  static constexpr std::string_view one = "+-*/^(),<>";
  const bool known = one.find(text_[at_]) != std::string_view::npos;
  if (!known && text_[at_] != '=' && text_[at_] != '!') {
    fail(at_, at_ + 1, fmt::format("unexpected character '{}'", printable(text_.substr(at_, 1))),
         "a number, a name, an operator or a parenthesis");
  }
  return taken(Token::Kind::symbol, 1);
}

}  // namespace saltus
