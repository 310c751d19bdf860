#pragma once

#include <optional>
#include <vector>

#include "saltus/analysis/motions/smooth_parts.hpp"
#include "saltus/flow/mechanism.hpp"
#include "saltus/flow/path_piece.hpp"
#include "saltus/model/model.hpp"

namespace saltus {

/// An expression w of the state and of time with all that decides between its pieces: what kernels observe to follow it.
class ObservedQuantity {
 public:
  ObservedQuantity(Expr w, const Model& model);

  /// KernelOptions::observables: w; its guards, the functions whose signs decide within w, innermost first; w with σ = 1 and with
  /// σ = −1 for each of the model's switches among them.
  const std::vector<Expr>& observables() const { return observables_; }
  std::size_t guards() const { return switches_.size(); }
  /// Guard g is this switch of the model.
  std::optional<std::size_t> model_switch(std::size_t g) const { return switches_[g]; }
  /// The observable in which that guard counts as positive; the one behind it as negative.
  std::size_t side(std::size_t g) const { return sides_[g]; }

 private:
  std::vector<Expr> observables_;
  std::vector<std::optional<std::size_t>> switches_;
  std::vector<std::size_t> sides_;
};

/// A quantity along the pieces of motions. While a motion slides along a switch that decides within w, w is the mean of its values on
/// both sides with Filippov's weight, as the force is.
class QuantityPath {
 public:
  QuantityPath(const Kernels& kernels, const std::vector<double>& parameters, const ObservedQuantity& quantity)
      : quantity_(quantity), parameters_(parameters), mechanism_(kernels, parameters_), parts_(quantity.guards()) {}
  QuantityPath(const QuantityPath&) = delete;  // its mechanism points into it
  QuantityPath& operator=(const QuantityPath&) = delete;

  /// The smooth parts of a piece, in order.
  void cut(const PathPiece& piece, const SmoothParts::Sink& sink);

 private:
  double between_sides(double t, const Vector& x, const Mode& mode, const Vector& seen, std::size_t guard) const;

  ObservedQuantity quantity_;
  std::vector<double> parameters_;
  Mechanism mechanism_;
  SmoothParts parts_;
};

}  // namespace saltus
