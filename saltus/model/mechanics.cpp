#include "saltus/model/mechanics.hpp"

#include "saltus/expr/differentiate.hpp"
#include "saltus/expr/normal_form.hpp"

namespace saltus {
namespace {

std::vector<Expr> gradient(Expr e, const std::vector<Expr>& symbols) {
  std::vector<Expr> result;
  for (const Expr& symbol : symbols) result.push_back(differentiate(e, symbol));
  return result;
}

/// The entry ∂a_i/∂b_j stands at [j][i].
std::vector<std::vector<Expr>> columns_of_jacobian(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  std::vector<std::vector<Expr>> result;
  for (const Expr& symbol : b) result.push_back(differentiate(a, symbol));
  return result;
}

/// Mechanisms nest some twenty levels deep. The normal form of a tower of definitions would take seconds and gain nothing.
Expr simplified(Expr e) {
  constexpr int deepest_worth_it = 60;
  return e.graph().node(e.id()).depth > deepest_worth_it ? e : normal_form(e);
}

}  // namespace

EquationsOfMotion euler_lagrange(const Energies& energies, const std::vector<Expr>& q, const std::vector<Expr>& v,
                                 Expr t) {
  const Expr T = energies.kinetic.expr;
  const std::size_t n = q.size();
  const std::vector<Expr> T_v = gradient(T, v);
  const std::vector<Expr> T_q = gradient(T, q);
  const std::vector<Expr> V_q = gradient(energies.potential.expr, q);
  const std::vector<Expr> T_vt = differentiate(T_v, t);
  const auto T_vq = columns_of_jacobian(T_v, q);
  const auto T_vv = columns_of_jacobian(T_v, v);

  EquationsOfMotion result;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) result.mass.push_back(j < i ? result.mass[j * n + i] : simplified(T_vv[j][i]));
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<Expr> terms = {T_q[i], -T_vt[i], -V_q[i]};
    for (std::size_t j = 0; j < n; ++j) terms.push_back(-(T_vq[j][i] * v[j]));
    if (energies.dissipation) terms.push_back(-differentiate(energies.dissipation->expr, v[i]));
    if (!energies.applied.empty()) terms.push_back(energies.applied[i].expr);
    result.force.push_back(simplified(t.graph().sum(terms)));
  }
  return result;
}

}  // namespace saltus
