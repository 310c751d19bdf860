#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "saltus/analysis/motions/multipliers.hpp"
#include "saltus/flow/mechanism.hpp"
#include "saltus/model/model.hpp"

namespace saltus {

/// How a period is cut into elements.
struct TimeElementOptions {
  std::size_t elements = 10;
  std::size_t degree = 3;      // of the Lagrange polynomials
  long periods = 1;            // forcing periods until the motion closes
  double tolerance = 1e-11;    // max |residual| ≤ tolerance · its largest term
  int most_iterations = 100;
};

enum class TimeElementEnd { converged, not_converged, singular };

/// A periodic motion q(t) = Σ N_a(t) q_a, or how far the search came.
struct TimeElementOrbit {
  TimeElementEnd end = TimeElementEnd::not_converged;
  Vector nodes;                          // q at the nodes, n numbers each; the last node is the first
  double period = 0.0;                   // of the motion
  Vector x;                              // (q, v) at t = 0, v = M⁻¹ p
  Matrix monodromy;                      // ∂x(T)/∂x(0), by (21) element for element
  std::vector<Multiplier> multipliers;   // largest first
  bool stable = false;
  double residual = 0.0;                 // relative, as in the options
  double condition = 0.0;                // of the tangent matrix, an estimate
  int iterations = 0;
  std::optional<std::size_t> undetermined;  // singular: the coordinate that can be shifted without changing a force

  bool converged() const { return end == TimeElementEnd::converged; }
};

class WeakPrinciple;

/// Hamilton's weak principle over a period of a forced system without contacts:
///   ∫ { δvᵀ p + δqᵀ (f + Ṁ v) } dt = δqᵀ p |,   p = M(q, t) v,
/// with Lagrange elements in time (Kranjčević et al., eqs. 4-21; there M = 1). Kinks of the force are integrated exactly: an element is split
/// where a switching function vanishes along it.
class TimeElements {
 public:
  /// Throws Error(usage) if the model has contacts, first-order states or no forcing, or an option is out of range.
  TimeElements(const Model& model, const TimeElementOptions& options);
  ~TimeElements();
  TimeElements(TimeElements&&) noexcept;
  TimeElements& operator=(TimeElements&&) noexcept;

  const TimeElementOptions& options() const;
  Eigen::Index unknowns() const;
  /// The nodes' times as parts of the orbit's period, in order.
  std::vector<double> places() const;
  /// The nodes of a given motion q(place).
  Vector nodes_of(const std::function<Vector(double)>& q) const;

  /// Residual at the nodes and its derivative. `period`: of the forcing.
  struct Value {
    Vector residual;
    Matrix tangent;
    double size = 0.0;  // largest term of the residual
  };
  Value value(const Vector& nodes, const std::vector<double>& parameters, double period) const;

  /// Newton's method with line search from a start.
  TimeElementOrbit solve(const Vector& start, const std::vector<double>& parameters, double period) const;
  /// What follows from a solution: state, monodromy, multipliers.
  TimeElementOrbit orbit(const Vector& nodes, const std::vector<double>& parameters, double period) const;

  /// (q, v) at a place of the orbit's period; v by the derivative of the polynomial.
  Vector state(const Vector& nodes, double place, double period) const;

  /// Where the motion passes its switches, in order.
  struct Passing {
    double place;  // part of the orbit's period
    std::size_t index;  // of the switch
  };
  std::vector<Passing> passings(const Vector& nodes, const std::vector<double>& parameters, double period) const;

 private:
  std::unique_ptr<WeakPrinciple> weak_;
};

/// The orbit by Newton from a start; where that fails, by continuation: the residual r₀ of the start is taken away bit by bit,
///     r(u) − (1 − s) r₀ = 0,    s = 0 … 1,
/// along the curve (u, s), which may turn back in s.
TimeElementOrbit solve_continued(const TimeElements& elements, const Vector& start,
                                 const std::vector<double>& parameters, double period,
                                 const std::function<bool()>& interrupted = {});

}  // namespace saltus
