#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "saltus/kernel/graph_algebra.hpp"
#include "saltus/kernel/layout.hpp"
#include "saltus/model/model.hpp"

namespace saltus {

/// What an analysis wants compiled beside the motion itself.
struct KernelOptions {
  std::optional<std::size_t> state_columns;  // tangent columns; N if not given
  std::vector<std::size_t> varied;           // parameters with a tangent column
  std::vector<Expr> surfaces;                // section surfaces, in the model's graph
  std::vector<Expr> observables;             // in the model's graph
  std::vector<bool> followed;                // parameter i keeps to its expression; empty: all do
};

/// The expressions behind every kernel, in a graph of their own. Symbols are named by slot: see `Equations::input`.
///   field            v̇, ż without contact                                      → ẋ (N)
///   field_tangent    the same with the tangent                                  → ẋ, δv̇, δż of all columns
///   sliding          with closed contacts and Filippov switches by mask         → ẋ, λ (m), w (s)
///   sliding_tangent                                                             → ẋ, δv̇, δż, λ, w
///   events           reads ẋ in the place of X → h, s, surfaces; their rates γ, ṡ, …; ḧ; the smallest pivot of M that varies
///   contact          → h, γ, ∂(e |γ|)/∂|γ|, e (m each), nᵢ (n each), M⁻¹nᵢ (n each), Delassus matrix (m × m by rows; `delassus.hpp`)
///   impact           → v⁺ (n), Λ (m), ∂v⁺ per direction (n each) for the masked contacts struck together
///   jets             → of h, γ, s, surfaces: ∂/∂x, ∂/∂t, ∂/∂p of the varied ones
///   observe          → observables
///   energy           reads ẋ in the place of X → kinetic energy ½ vᵀMv, and its rate
///   divergence       → tr F_x of the motion without contact
/// Beside them, to be enclosed: `event_jets`, along any curve x(t), reads ẋ and behind it ẍ in the place of X
///                    → h, s, surfaces; their rates; their second rates
/// and what `inverse_dynamics_jets` is made of.
struct Equations {
  struct Named {
    std::string name;
    ExprVector outputs;
  };
  std::shared_ptr<Graph> graph;
  Layout layout;
  std::vector<Named> kernels;
  ExprVector event_jets;
  // M (n × n by rows), f and r of the motion without contact, and what each λ and each w adds to (f, r) per unit, one after another
  ExprVector mass, force, rates, pushes;
  // of each λ and w: its row by v̇ and ż and what is left of it, row·(v̇, ż) + drift = 0 while it acts; and row·M⁻¹·push
  ExprVector rows, drift, responses;

  const ExprVector& outputs(const std::string& name) const;
};

/// Derives them. The model must have [mechanics].
Equations equations_of(const Model& model, const KernelOptions& options = {});

}  // namespace saltus
