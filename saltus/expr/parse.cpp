#include "saltus/expr/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "saltus/base/text.hpp"
#include "saltus/expr/lexer.hpp"
#include "saltus/expr/whole_number.hpp"

namespace saltus {
namespace {

constexpr int deepest_nesting = 250;

struct Function {
  std::string_view name;
  Op op;
  std::size_t arity;  // min and max take two or more
};

constexpr std::array functions = {
    Function{"sqrt", Op::sqrt, 1},   Function{"exp", Op::exp, 1},    Function{"log", Op::log, 1},
    Function{"sin", Op::sin, 1},     Function{"cos", Op::cos, 1},    Function{"tan", Op::tan, 1},
    Function{"asin", Op::asin, 1},   Function{"acos", Op::acos, 1},  Function{"atan", Op::atan, 1},
    Function{"atan2", Op::atan2, 2}, Function{"sinh", Op::sinh, 1},  Function{"cosh", Op::cosh, 1},
    Function{"tanh", Op::tanh, 1},   Function{"abs", Op::abs, 1},    Function{"sign", Op::sign, 1},
    Function{"min", Op::min, 2},     Function{"max", Op::max, 2},    Function{"if", Op::select, 3},
    Function{"floor", Op::floor, 1}, Function{"ceil", Op::floor, 1}, Function{"round", Op::floor, 1},
    Function{"mod", Op::floor, 2}};

class Parser {
 public:
  Parser(std::string_view text, Graph& graph, const NameScope& scope)
      : lexer_(text), graph_(graph), scope_(scope), text_(text) {
    advance();
  }

  Expr whole(ExprKind kind) {
    if (token_.kind == Token::Kind::end) fail(0, text_.size(), "empty expression", "a number or an expression");
    const std::size_t first = token_.first;
    const Expr e = disjunction();
    if (token_.kind != Token::Kind::end) fail_at_rest();
    return required(e, kind, first);
  }

  std::vector<ParseProblem> problems;

 private:
  void advance() {
    previous_end_ = token_.last();
    token_ = lexer_.next();
  }
  bool at(std::string_view symbol) const { return token_.kind == Token::Kind::symbol && token_.text == symbol; }
  bool at_word(std::string_view word) const { return token_.kind == Token::Kind::name && token_.text == word; }
  bool take(std::string_view symbol) {
    if (!at(symbol)) return false;
    advance();
    return true;
  }

  std::string found() const {
    return token_.kind == Token::Kind::end ? "end of the expression" : fmt::format("'{}'", printable(token_.text));
  }

  [[noreturn]] void fail_here(std::string expected, std::string suggestion = "") const {
    fail(token_.first, std::max(token_.last(), token_.first + 1), fmt::format("unexpected {}", found()),
         std::move(expected), std::move(suggestion));
  }

  /// Something follows a complete expression.
  [[noreturn]] void fail_at_rest() const {
    if (at("=") || at("==") || at("!="))
      fail_here("a comparison '<', '<=', '>' or '>='", "equality of two numbers has no meaning for a motion");
    if (at("**")) fail_here("an operator", "powers are written with '^'");
    if (at("&&") || at("||")) fail_here("an operator", "conditions are joined by 'and', 'or', 'not'");
    if (at(")")) fail_here("an operator or the end", "this ')' has no '('");
    if (token_.kind != Token::Kind::symbol || at("(")) fail_here("an operator", "products are written with '*'");
    fail_here("an operator or the end");
  }

  /// e, which was read from `first` up to here, if it is of that kind.
  Expr required(Expr e, ExprKind kind, std::size_t first) const {
    const bool is_condition = e.is_condition();
    if (is_condition == (kind == ExprKind::condition)) return e;
    if (is_condition)
      fail(first, previous_end_, "a condition stands where a number belongs", "a number-valued expression",
           "choose a number by if(condition, a, b)");
    fail(first, previous_end_, "a number stands where a condition belongs", "a comparison such as x > 0");
  }

  Expr disjunction() {  // every level of nesting passes through unary, which counts it
    const std::size_t first = token_.first;
    Expr e = conjunction();
    while (at_word("or")) {
      required(e, ExprKind::condition, first);
      advance();
      const std::size_t next = token_.first;
      e = apply(Op::either, e, required(conjunction(), ExprKind::condition, next));
    }
    return e;
  }

  Expr conjunction() {
    const std::size_t first = token_.first;
    Expr e = negation();
    while (at_word("and")) {
      required(e, ExprKind::condition, first);
      advance();
      const std::size_t next = token_.first;
      e = apply(Op::both, e, required(negation(), ExprKind::condition, next));
    }
    return e;
  }

  Expr negation() {
    if (!at_word("not")) return comparison();
    const DepthGuard guard(*this);
    advance();
    const std::size_t first = token_.first;
    return apply(Op::negation, required(negation(), ExprKind::condition, first));
  }

  Expr comparison() {
    const std::size_t first = token_.first;
    const Expr a = sum();
    if (at("=") || at("==") || at("!=")) fail_at_rest();
    const Token relation = token_;
    if (!at("<") && !at("<=") && !at(">") && !at(">=")) return a;
    required(a, ExprKind::number, first);
    advance();
    const std::size_t next = token_.first;
    const Expr b = required(sum(), ExprKind::number, next);
    if (at("<") || at("<=") || at(">") || at(">=")) fail_here("'and' between two comparisons", "write a < b and b < c");
    if (relation.text == ">") return greater(a, b);
    if (relation.text == ">=") return greater_equal(a, b);
    return relation.text == "<" ? greater(b, a) : greater_equal(b, a);
  }

  Expr sum() {
    const std::size_t first = token_.first;
    Expr e = term();
    if (!at("+") && !at("-")) return e;
    std::vector<Expr> terms = {required(e, ExprKind::number, first)};
    while (at("+") || at("-")) {
      const bool minus = at("-");
      advance();
      const std::size_t next = token_.first;
      const Expr t = required(term(), ExprKind::number, next);
      terms.push_back(minus ? -t : t);
    }
    return finite(graph_.sum(terms), first);
  }

  Expr term() {
    const std::size_t first = token_.first;
    Expr e = unary();
    if (!at("*") && !at("/")) return e;
    std::vector<Expr> factors;
    // Numbers are multiplied and divided as written: 9*x/14 has the double nearest to 9/14, not 9 times a rounded 1/14.
    double number = 1.0;
    const auto multiply = [&](Expr f) { f.is_constant() ? void(number *= f.value()) : factors.push_back(f); };
    multiply(required(e, ExprKind::number, first));
    while (at("*") || at("/")) {
      const bool divide = at("/");
      advance();
      const std::size_t next = token_.first;
      const Expr f = required(unary(), ExprKind::number, next);
      if (divide && f.is_constant(0.0))
        fail(next, previous_end_, "division by zero", "a divisor that is not the constant zero");
      if (divide && f.is_constant()) {
        number /= f.value();
      } else {
        multiply(divide ? 1.0 / f : f);
      }
    }
    factors.push_back(finite(graph_.constant(number), first));
    return graph_.product(factors);
  }

  Expr unary() {
    const DepthGuard guard(*this);
    const bool minus = at("-");
    if (!minus && !at("+")) return power();
    advance();
    const std::size_t first = token_.first;
    const Expr e = required(unary(), ExprKind::number, first);
    return minus ? -e : e;
  }

  Expr power() {
    const std::size_t first = token_.first;
    const Expr base = primary();
    if (!at("^")) return base;
    required(base, ExprKind::number, first);
    advance();
    const std::size_t next = token_.first;
    const Expr exponent = required(unary(), ExprKind::number, next);
    if (base.is_constant(0.0) && exponent.is_constant() && exponent.value() < 0.0)
      fail(first, previous_end_, "division by zero", "a base that is not the constant zero");
    return finite(pow(base, exponent), first);
  }

  Expr primary() {
    const Token start = token_;
    if (token_.kind == Token::Kind::number) {
      advance();
      return graph_.constant(start.value);
    }
    if (token_.kind == Token::Kind::name) {
      advance();
      return at("(") ? call(start) : named(start);
    }
    if (!take("(")) fail_here("a number, a name or '('");
    const Expr e = disjunction();
    close(start);
    return e;
  }

  void close(const Token& opened) {
    if (take(")")) return;
    if (token_.kind == Token::Kind::end)
      fail(opened.first, opened.last(), "this parenthesis is not closed", "a ')' before the end of the expression");
    fail_at_rest();
  }

  Expr named(const Token& name) {
    const std::string text(name.text);
    if (text == "pi") return graph_.constant(std::numbers::pi);
    if (text == "and" || text == "or" || text == "not")
      fail(name.first, name.last(), fmt::format("unexpected '{}'", text), "a number, a name or '('");
    if (const auto e = scope_.find(text, name.first, name.last())) return *e;
    if (std::any_of(functions.begin(), functions.end(), [&](const Function& f) { return f.name == text; }))
      fail(name.first, name.last(), fmt::format("'{}' is a function", text), fmt::format("'{}(…)'", text));
    return unknown(name, fmt::format("unknown name '{}'", text), scope_.names());
  }

  Expr unknown(const Token& name, std::string message, const std::vector<std::string>& candidates) {
    if (!scope_.place.empty()) message += " " + scope_.place;
    problems.push_back(
        {name.first, name.last(), std::move(message), scope_.expectation, did_you_mean(name.text, candidates)});
    return graph_.symbol(name.text);
  }

  Expr call(const Token& name) {
    const Token opened = token_;
    advance();
    if (name.text == "d") return velocity(name, opened);
    const auto function =
        std::find_if(functions.begin(), functions.end(), [&](const Function& f) { return f.name == name.text; });
    const bool free_name = function == functions.end() || function->op == Op::floor;
    const bool named_so = free_name && scope_.find(std::string(name.text), name.first, name.last());
    if (function == functions.end() || named_so) {
      if (named_so)
        fail(name.first, name.last(), fmt::format("'{}' is not a function", name.text), "an operator after it",
             "products are written with '*'");
      const auto candidates = function_names();
      fail(name.first, name.last(), fmt::format("unknown function '{}'", printable(name.text)),
           fmt::format("one of {}", listed(candidates, 30)), did_you_mean(name.text, candidates));
    }
    const std::vector<Expr> args = arguments(*function, name, opened);
    if (function->op == Op::select) return graph_.select(args[0], args[1], args[2]);
    if (function->op == Op::floor) return whole_part(name, args);
    if (function->arity == 1 || function->op == Op::atan2)
      return finite(graph_.function(function->op, args), name.first);
    Expr e = args[0];  // min(a, b, c, …)
    for (std::size_t i = 1; i < args.size(); ++i) e = apply(function->op, e, args[i]);
    return e;
  }

  Expr whole_part(const Token& name, const std::vector<Expr>& args) const {
    if (name.text == "floor") return floor(args[0]);
    if (name.text == "ceil") return ceiling(args[0]);
    if (name.text == "round") return rounded(args[0]);
    if (args[1].is_constant(0.0))
      fail(name.first, previous_end_, "division by zero", "mod(a, b) with a b that is not 0");
    return remainder(args[0], args[1]);
  }

  std::vector<Expr> arguments(const Function& function, const Token& name, const Token& opened) {
    std::vector<Expr> args;
    do {
      const std::size_t first = token_.first;
      const bool condition = function.op == Op::select && args.empty();
      args.push_back(required(disjunction(), condition ? ExprKind::condition : ExprKind::number, first));
    } while (take(","));
    close(opened);
    const bool any_number = function.op == Op::min || function.op == Op::max;
    if (args.size() == function.arity || (any_number && args.size() > function.arity)) return args;
    const std::string_view shape = function.op == Op::select  ? "if(condition, a, b)"
                                   : function.op == Op::atan2 ? "atan2(y, x)"
                                                              : "";
    fail(name.first, previous_end_,
         fmt::format("'{}' takes {} argument{}{}, not {}", name.text, function.arity, function.arity == 1 ? "" : "s",
                     any_number ? " or more" : "", args.size()),
         shape.empty() ? fmt::format("{}({})", name.text, function.arity == 1 ? "x" : "a, b") : std::string(shape));
  }

  /// d(psi1) is psi1'.
  Expr velocity(const Token& name, const Token& opened) {
    const Token coordinate = token_;
    if (token_.kind != Token::Kind::name || token_.text.ends_with('\'')) fail_here("a coordinate, as in d(x)");
    advance();
    close(opened);
    const std::string text = std::string(coordinate.text) + "'";
    if (const auto e = scope_.find(text, coordinate.first, coordinate.last())) return *e;
    return unknown(coordinate, fmt::format("'{}({})' is not the velocity of a coordinate", name.text, coordinate.text),
                   scope_.names());
  }

  /// Folding constants may leave the numbers: log(0), sqrt(-1), exp(1000), 1e308 + 1e308 + x.
  Expr finite(Expr e, std::size_t first) const {
    const Expr number = e.op() == Op::sum || e.op() == Op::product ? e.arg(0) : e;
    if (number.is_constant() && !std::isfinite(number.value()))
      fail(first, previous_end_, "the value of this constant expression is not a finite number", "a finite number");
    return e;
  }

  class DepthGuard {
   public:
    explicit DepthGuard(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > deepest_nesting)
        fail(parser.token_.first, parser.token_.first + 1, "the expression nests too deeply",
             fmt::format("at most {} levels", deepest_nesting), "split it with [define]");
    }
    ~DepthGuard() { --parser_.depth_; }
    DepthGuard(const DepthGuard&) = delete;
    DepthGuard& operator=(const DepthGuard&) = delete;

   private:
    Parser& parser_;
  };

  Lexer lexer_;
  Graph& graph_;
  const NameScope& scope_;
  std::string_view text_;
  Token token_;
  std::size_t previous_end_ = 0;
  int depth_ = 0;
};

}  // namespace

ParsedExpr parse_expr(std::string_view text, Graph& graph, const NameScope& scope, ExprKind kind) {
  std::vector<ParseProblem> problems;
  Expr expr = graph.constant(0.0);
  try {
    Parser parser(text, graph, scope);
    try {
      expr = parser.whole(kind);
    } catch (const SyntaxError& error) { parser.problems.push_back(error.problem); }
    problems = std::move(parser.problems);
  } catch (const SyntaxError& error) {  // the first token is already wrong
    problems.push_back(error.problem);
  }
  return {expr, std::move(problems)};
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const Function& function : functions) names.emplace_back(function.name);
  names.emplace_back("d");
  return names;
}

bool is_name(std::string_view text) {
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

bool is_reserved(std::string_view name) {
  const bool word = name == "pi" || name == "t" || name == "and" || name == "or" || name == "not";
  // The floor of a ball was called 'floor' before there was the function: a model may still have such names.
  return word || std::any_of(functions.begin(), functions.end(),
                             [&](const Function& f) { return f.name == name && f.op != Op::floor; });
}

}  // namespace saltus
