#pragma once

#include <string>

#include "saltus/expr/expr.hpp"

namespace saltus {

/// The expression as text that `parse_expr` reads back to the same node. Terms stand in an order that people expect
/// (by name, lower powers first), not in the graph's. Longer than `limit` characters: cut, with "…" at the end.
std::string printed(Expr e, std::size_t limit = 20'000);

/// The expression as LaTeX: fractions, roots, \dot{\psi}_1 for psi1'.
std::string latex(Expr e, std::size_t limit = 20'000);

/// A symbol as LaTeX: psi1 → \psi_{1}, psi1' → \dot{\psi}_{1}, x_tip → x_{\mathrm{tip}}.
std::string latex_symbol(const std::string& name);

/// A number as a person would write it if that reads back as the same double: 9/14, 2*pi, 0.1; else its shortest decimal.
std::string printed_number(double value);

}  // namespace saltus
