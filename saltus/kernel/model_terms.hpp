#pragma once

#include <memory>
#include <string>

#include "saltus/kernel/equations.hpp"
#include "saltus/kernel/inputs.hpp"

namespace saltus {

/// One direction of differentiation: a sum of weighted partial derivatives.
struct Direction {
  ExprVector symbols;
  ExprVector weights;
};

/// ∂(roots) along a direction with constant weights.
ExprVector along(const ExprVector& roots, const Direction& direction);

/// A model in the symbols of kernels, in a graph of its own: the letters of docs/theory.md, "The system".
struct ModelTerms {
  ModelTerms(const Model& model, const KernelOptions& options);

  std::shared_ptr<Graph> graph;
  Layout layout;
  Expr zero, one, t;
  ExprVector q, v, z, x, p;
  ExprVector masks, signs, filippov, elasticity;  // of the mode
  ExprVector M, f, r, h, restitution, s, surfaces, observables;
  std::vector<Direction> varied;
  // of the gaps: ∂h/∂q, ḣ, and ḧ without n·v̇
  std::vector<ExprVector> normal;
  ExprVector gamma, kappa;

  ExprVector symbols(Slot slot, std::size_t first, std::size_t count) const;
  ExprVector placeholders(const std::string& stem, std::size_t count) const;
  /// What the model says, in these symbols.
  ExprVector translated(const Model& model, const ExprVector& roots) const;
  /// The roots with placeholders replaced by what they stand for; held, as every column uses them.
  ExprVector filled(const ExprVector& roots, const ExprVector& names, const ExprVector& values) const;
  /// One direction for each of the symbols, then those of the varied parameters.
  std::vector<Direction> directions(const ExprVector& symbols) const;
  /// a·b, 0 if there is nothing in them.
  Expr product(const ExprVector& a, const ExprVector& b) const { return a.empty() ? zero : dot(a, b); }

 private:
  void make_symbols();
  void make_followers(const Model& model, const KernelOptions& options);
  void import(const Model& model, const KernelOptions& options);
  void note_clocks();
  void note_roots(const Model& model, const ExprVector& switches);
  void derive_gaps();
};

}  // namespace saltus
