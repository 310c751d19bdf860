#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/expr/expr.hpp"

namespace saltus {

/// Something wrong in an expression: bytes first … last−1 of its text, and the parts of a Diagnostic.
struct ParseProblem {
  std::size_t first = 0;
  std::size_t last = 0;
  std::string message;
  std::string expected;
  std::string suggestion;
};

/// What a name means. Velocities are asked for with their prime: "psi1'".
struct NameScope {
  /// The expression behind a name, or nothing if it is unknown here.
  std::function<std::optional<Expr>(const std::string& name, std::size_t first, std::size_t last)> find;
  /// Known names, for 'did you mean', and in words: "a coordinate (z), a parameter (…) or the time t".
  std::function<std::vector<std::string>()> names;
  std::string expectation;
  /// Said after "unknown name 'x'": "in the gap of contact 'floor'".
  std::string place;
};

/// What an expression must be: a number-valued one, or a condition (the first argument of `if`).
enum class ExprKind { number, condition };

struct ParsedExpr {
  Expr expr;  // meaningful only without problems
  std::vector<ParseProblem> problems;
};

/// Reads   a + b, a − b, a*b, a/b, a^b (to the right, tighter than unary minus), f(a, …), comparisons, `and`, `or`, `not`,
/// if(condition, a, b), numbers, names, primes (psi1' and d(psi1) are the velocity of psi1).
/// All unknown names are reported, and the first error of syntax.
ParsedExpr parse_expr(std::string_view text, Graph& graph, const NameScope& scope, ExprKind kind = ExprKind::number);

/// The functions of the language by name, `if` and `d` included.
std::vector<std::string> function_names();

/// True for what can name a coordinate or parameter: a letter or underscore (any non-ASCII character counts as a
/// letter), then letters, digits, underscores.
bool is_name(std::string_view text);

/// True for words with a meaning of their own: functions, pi, t, and, or, not.
bool is_reserved(std::string_view name);

}  // namespace saltus
