#pragma once

#include <map>
#include <span>
#include <vector>

#include "saltus/flow/mechanism.hpp"

namespace saltus {

/// What cyclic components of x gain in one period of a motion, by component.
using Drift = std::map<std::size_t, double>;

/// A smaller drift is not told from none in texts.
constexpr double drift_resolved = 1e-9;

/// The translations x → x + δ that change nothing in a model: δ = cyclic · y + lattice · n with any numbers y and whole numbers n.
/// Angles make the lattice, coordinates on which nothing depends the cyclic directions; both may join several coordinates, as where
/// only a difference counts. Cyclic direction k moves coordinate `held[k]` by 1, and no other direction or lattice vector moves it.
class Translations {
 public:
  /// None but δ = 0.
  Translations() = default;
  /// Columns that are independent of each other.
  Translations(Matrix cyclic, Matrix lattice);

  /// Component i has period periods[i], alone; 0 or beyond the list: it has none.
  static Translations of_angles(std::size_t dimension, const std::vector<double>& periods);

  const Matrix& cyclic() const { return cyclic_; }
  const Matrix& lattice() const { return lattice_; }
  const std::vector<Eigen::Index>& held() const { return held_; }
  std::size_t drifts() const { return held_.size(); }

  /// How far a difference of states goes along the cyclic directions: y.
  Vector drift(const Vector& difference) const;
  /// The difference less that: cyclic · y taken off.
  Vector without_drift(const Vector& difference) const;
  /// The point of the lattice that is nearest to the rest of it: lattice · n.
  Vector turns(const Vector& difference) const;
  /// What is left of it: zero for states that are the same but for a translation.
  Vector remainder(const Vector& difference) const;
  /// Of a difference that is a translation: what the components gain that a cyclic direction moves.
  Drift drift_of(const Vector& difference) const;
  /// The shortest translation of component i alone, if it belongs to the lattice; else 0.
  double period(Eigen::Index i) const;
  /// Does a vector of the lattice move component i?
  bool is_turned(Eigen::Index i) const;
  /// Does it move without bound by translations that are not a period of its own?
  bool is_carried(Eigen::Index i) const;
  /// That of components 0 … count − 1.
  std::vector<double> periods(std::size_t count) const;

  /// Two numbers for each component, the same for all states that are a translation apart: cos and sin of angles, a component and
  /// its square of what is left, zeros for held ones.
  std::vector<double> invariants(const Vector& x) const;

 private:
  Vector phases(const Vector& rest) const;

  Matrix cyclic_, lattice_;
  std::vector<Eigen::Index> held_;
  std::vector<Eigen::Index> pivots_;  // components that tell the phases in the lattice
  Matrix inverse_;  // of the lattice's rows at the pivots
};

/// Those of a model at some parameters, from its expressions. If parameters are varied (kernels with columns for them), those that do
/// not depend on them. `parameters`: the inputs of the kernels.
Translations translations_of(const Kernels& kernels, std::span<const double> parameters);

/// The same of any expressions, in a state of N components.
Translations translations_of(const Invariance& invariance, std::size_t N, std::span<const double> parameters);

}  // namespace saltus
