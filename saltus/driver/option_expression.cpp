#include "saltus/driver/option_expression.hpp"

#include <fmt/format.h>

#include "saltus/base/error.hpp"
#include "saltus/base/setting.hpp"
#include "saltus/base/text.hpp"
#include "saltus/expr/parse.hpp"

namespace saltus {
namespace {

NamedExprs everything_of(const Model& model) {
  NamedExprs known = parameters_of(model);
  known.emplace_back("t", model.t);
  const std::vector<std::string> components = model.component_names();
  std::vector<Expr> symbols = model.q;
  symbols.insert(symbols.end(), model.v.begin(), model.v.end());
  symbols.insert(symbols.end(), model.z.begin(), model.z.end());
  for (std::size_t i = 0; i < components.size(); ++i) known.emplace_back(components[i], symbols[i]);
  for (const Observable& observable : model.observables) known.emplace_back(observable.name, observable.value.expr);
  return known;
}

}  // namespace

NamedExprs parameters_of(const Model& model) {
  NamedExprs known;
  for (const Parameter& parameter : model.parameters) known.emplace_back(parameter.name, parameter.symbol);
  return known;
}

Expr option_expression(const std::string& option, const std::string& text, const Model& model, const NamedExprs& known,
                       const std::string& expectation) {
  constexpr std::size_t longest = 20'000;
  if (text.size() > longest || invalid_utf8(text)) throw usage(option + " cannot be read\n  expected an expression");
  NameScope scope;
  scope.find = [&](const std::string& name, std::size_t, std::size_t) -> std::optional<Expr> {
    for (const auto& [known_name, expr] : known)
      if (known_name == name) return expr;
    return std::nullopt;
  };
  scope.names = [&] {
    std::vector<std::string> names;
    for (const auto& entry : known) names.push_back(entry.first);
    return names;
  };
  scope.expectation = expectation;
  scope.place = "in " + said(option);
  const ParsedExpr parsed = parse_expr(text, *model.graph, scope);
  if (parsed.problems.empty()) return parsed.expr;
  const ParseProblem& problem = parsed.problems.front();
  const std::string hint = problem.suggestion.empty() ? "" : "\n  " + problem.suggestion;
  throw usage(
      fmt::format("{} '{}': {}\n  expected {}{}", option, printable(text), problem.message, problem.expected, hint));
}

Expr option_expression(const std::string& option, const std::string& text, const Model& model) {
  return option_expression(option, text, model, everything_of(model),
                           "a coordinate, a velocity, a parameter, an observable or the time t");
}

}  // namespace saltus
