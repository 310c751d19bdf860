#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "saltus/expr/expr.hpp"

namespace saltus {

struct Model;

/// A linear form L(x) = Σ cᵢ xᵢ of coordinates and first-order states that the expressions of a model contain.
struct LinearForm {
  std::map<std::size_t, Expr> coefficients;  // cᵢ by component of x, never a velocity; expressions of parameters
  double period =
      0.0;  // what contains L does not change when L changes by a multiple of it; 0: it may not change at all
};

/// What a translation x → x + δ must respect in order to change nothing: mass, force, rates and gaps, in all their branches, with
/// all conditions between them, stay as they are for every x, t and velocity if
///   L(δ) = 0 for all forms without a period,   L(δ) ∈ period · ℤ for the others.
/// Read from the expressions alone. What is neither linear nor under a periodic function holds every variable in it, so that the
/// condition is sufficient, and not always necessary: sin(q)² is taken to have the period of sin(q). ⌊L⌋ moves as L does where L
/// moves by a whole number, so that mod(q, a) has the period a.
struct Invariance {
  std::shared_ptr<const Graph> graph;  // of the coefficients
  std::vector<std::string> parameters;  // their names, in the order of the kernels' inputs
  std::vector<std::size_t> components;  // that a translation may move: coordinates and first-order states
  std::vector<LinearForm> forms;
};

/// The model must have [mechanics].
Invariance invariance_of(const Model& model);

}  // namespace saltus
