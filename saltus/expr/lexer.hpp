#pragma once

#include <string>
#include <string_view>

#include "saltus/expr/parse.hpp"

namespace saltus {

struct Token {
  enum class Kind { end, number, name, symbol } kind = Kind::end;
  std::string_view text;
  std::size_t first = 0;
  double value = 0.0;
  std::size_t last() const { return first + text.size(); }
};

/// Thrown at the first error of syntax, caught in parse_expr.
struct SyntaxError {
  ParseProblem problem;
};

[[noreturn]] void fail(std::size_t first, std::size_t last, std::string message, std::string expected,
                       std::string suggestion = "");

bool is_letter(char c);
bool is_digit(char c);

/// The words of an expression, one after the other.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  Token next();

 private:
  Token taken(Token::Kind kind, std::size_t length);
  Token number();
  Token name();
  Token symbol();

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace saltus
