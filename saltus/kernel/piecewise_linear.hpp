#pragma once

#include <optional>
#include <string>

#include "saltus/model/model.hpp"

namespace saltus {

/// What keeps a model from being piecewise linear: the first expression that does, and where it is written.
struct Nonlinearity {
  std::string expression;  // "sin(psi1)"
  std::string where;       // "the force of 'psi1'"
  std::string why;         // "is not linear in the state"
  SourceSpan span;         // of the text that contains it; of the expression itself where that is found in it
};

/// Nothing if in every mode
///   M v̇ = K q + C v + D z + f(t),   ż = …,   gaps and switches = row · x + g(t)
/// with constant M and coefficients and f, g sums of products of powers of t, sines and cosines of a + b t.
/// Parameters count as constants. Every branch of `if`, `abs`, `min`, `max` is looked at.
std::optional<Nonlinearity> first_nonlinearity(const Model& model);

/// The same as a message at its place in the model's text.
Diagnostic diagnostic_of(const Nonlinearity& found);

}  // namespace saltus
