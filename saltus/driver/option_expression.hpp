#pragma once

#include <string>
#include <utility>
#include <vector>

#include "saltus/model/model.hpp"

namespace saltus {

using NamedExprs = std::vector<std::pair<std::string, Expr>>;

NamedExprs parameters_of(const Model& model);

/// An expression on the command line that may name `known`. Throws Error(usage) with the option's name.
Expr option_expression(const std::string& option, const std::string& text, const Model& model, const NamedExprs& known,
                       const std::string& expectation);

/// The same of everything the model names.
Expr option_expression(const std::string& option, const std::string& text, const Model& model);

}  // namespace saltus
