#pragma once

#include "saltus/expr/polynomial.hpp"

namespace saltus {

/// number · common · (atom · quotient + remainder), and so on for quotient and remainder.
Expr factored(Graph& graph, Polynomial polynomial);

}  // namespace saltus
