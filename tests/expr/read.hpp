#pragma once
// Expressions from text, where every name is a symbol that is not a function.

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/expr/parse.hpp"

namespace saltus::test {

inline NameScope every_name(Graph& graph) {
  return {.find = [&graph](const std::string& name, std::size_t, std::size_t) -> std::optional<Expr> {
            const std::vector<std::string> functions = function_names();
            const bool is_function = std::find(functions.begin(), functions.end(), name) != functions.end();
            if (is_function && name != "d") return std::nullopt;
            return graph.symbol(name);
          },
          .names = [] { return std::vector<std::string>(); },
          .expectation = "",
          .place = ""};
}

inline Expr read(Graph& graph, std::string_view text, ExprKind kind = ExprKind::number) {
  const ParsedExpr parsed = parse_expr(text, graph, every_name(graph), kind);
  for (const ParseProblem& problem : parsed.problems)
    ADD_FAILURE() << text << "\n" << std::string(problem.first, ' ') << "^ " << problem.message;
  return parsed.expr;
}

}  // namespace saltus::test
