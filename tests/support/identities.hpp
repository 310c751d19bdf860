#pragma once
// Identities that every motion must satisfy, whatever its model: docs/theory.md, "Impact" and "Tangent".

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/expr/differentiate.hpp"
#include "saltus/expr/evaluate.hpp"
#include "saltus/flow/saltation.hpp"
#include "tests/support/flow_support.hpp"

namespace saltus::test {

using Index = Eigen::Index;

/// An event of a run with what carries perturbations over it, built from the kernels alone.
/// Gap events: the impact of contact `index`; `plastic`: followed by one with restitution 0, as at the end of a chatter.
inline EventJet gap_jet(const Motion& motion, double t, const Vector& x_minus, std::size_t contact, const Mode& before,
                        const Mode& after, bool plastic = false) {
  const Layout& layout = motion.layout();
  const Mechanism mechanism = motion.mechanism();
  std::vector<char> struck(layout.contacts, 0);
  struck[contact] = 1;
  Jump jump = followed_by(no_jump(layout, x_minus), mechanism, t, struck, std::vector<char>(layout.contacts, 1));
  if (plastic) jump = followed_by(jump, mechanism, t, struck, std::vector<char>(layout.contacts, 0));
  const Vector jet = mechanism.jets(t, x_minus).row(static_cast<Index>(contact)).transpose();
  const Index N = static_cast<Index>(layout.N());
  const Index varied = static_cast<Index>(layout.varied.size());
  return {jet.head(N),
          jet[N],
          jet.tail(varied),
          jump.dR_dx,
          jump.dR_dt,
          jump.dR_dp,
          mechanism.field(t, x_minus, before).rate,
          mechanism.field(t, jump.x, after).rate};
}

/// The passage of switch k, or the entry into sliding along it.
inline EventJet switch_jet(const Motion& motion, double t, const Vector& x, std::size_t k, const Mode& before,
                           const Mode& after) {
  const Layout& layout = motion.layout();
  const Mechanism mechanism = motion.mechanism();
  const Jump none = no_jump(layout, x);
  const Vector jet = mechanism.jets(t, x).row(static_cast<Index>(2 * layout.contacts + k)).transpose();
  const Index N = static_cast<Index>(layout.N());
  const Index varied = static_cast<Index>(layout.varied.size());
  return {jet.head(N),
          jet[N],
          jet.tail(varied),
          none.dR_dx,
          none.dR_dt,
          none.dR_dp,
          mechanism.field(t, x, before).rate,
          mechanism.field(t, x, after).rate};
}

/// The tempting mistakes: no jump term at all; F⁺ in the place of F⁻.
inline Matrix without_jump_term(const EventJet& at) { return at.dR_dx; }
inline Matrix with_F_plus_for_F_minus(EventJet at) {
  at.F_minus = at.F_plus;
  return saltation(at);
}

/// The same mistakes made with a whole tangent, parameter columns included.
inline Matrix carried_without_jump_term(const EventJet& at, const Matrix& tangent) {
  Matrix after = at.dR_dx * tangent;
  after.rightCols(at.ds_dp.size()) += at.dR_dp;
  return after;
}
inline Matrix carried_with_F_plus_for_F_minus(EventJet at, const Matrix& tangent) {
  at.F_minus = at.F_plus;
  return carried_over(at, tangent);
}

/// M(q, t, p) and ∂(M v)/∂q of a model, from its expressions.
struct Momentum {
  Matrix M, dMv_dq;
};
inline Momentum momentum_of(const Motion& motion, double t, const Vector& x) {
  const Model& model = motion.model();
  const auto n = static_cast<Index>(model.n());
  const auto value = [&](const std::string& name) -> double {
    if (name == "t") return t;
    for (Index i = 0; i < n; ++i) {
      const std::string& q = model.coordinates[static_cast<std::size_t>(i)];
      if (name == q) return x[i];
      if (name == q + "'") return x[n + i];
    }
    return motion.value_of(name);
  };
  Momentum result{Matrix(n, n), Matrix::Zero(n, n)};
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      const Expr m = model.mass[static_cast<std::size_t>(i * n + j)].expr;
      result.M(i, j) = evaluate(m, value);
      for (Index k = 0; k < n; ++k)
        result.dMv_dq(i, k) += x[n + j] * evaluate(differentiate(m, model.q[static_cast<std::size_t>(k)]), value);
    }
  return result;
}

/// ∂(q, p)/∂(q, v) with p = M v.
inline Matrix to_canonical(const Motion& motion, double t, const Vector& x) {
  const Momentum at = momentum_of(motion, t, x);
  const Index n = at.M.rows();
  Matrix T = Matrix::Zero(2 * n, 2 * n);
  T.topLeftCorner(n, n).setIdentity();
  T.bottomLeftCorner(n, n) = at.dMv_dq;
  T.bottomRightCorner(n, n) = at.M;
  return T;
}

inline Matrix symplectic_unit(Index n) {
  Matrix J = Matrix::Zero(2 * n, 2 * n);
  J.topRightCorner(n, n).setIdentity();
  J.bottomLeftCorner(n, n) = -Matrix::Identity(n, n);
  return J;
}

}  // namespace saltus::test
