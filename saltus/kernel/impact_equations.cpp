#include "saltus/kernel/impact_equations.hpp"

#include <algorithm>

#include "saltus/expr/differentiate.hpp"
#include "saltus/expr/substitute.hpp"

namespace saltus {

ImpactEquations::ImpactEquations(const Model& model, const ModelTerms& terms, const MotionEquations& motion)
    : of_(terms), motion_(motion), restitution_(terms.restitution), slope_(terms.restitution) {
  for (std::size_t i = 0; i < of_.layout.contacts; ++i) resolve(model, i);
}

bool ImpactEquations::is_by_speed() const {
  return std::find(by_speed_.begin(), by_speed_.end(), true) != by_speed_.end();
}

/// e and ∂(e w)/∂w of an impact from this state, w = −γ. A contact that leaves has the e of the slowest impacts, and there the law,
/// which need not have a value for w < 0 nor a derivative at 0, is not computed with.
void ImpactEquations::resolve(const Model& model, std::size_t i) {
  by_speed_.push_back(model.contacts[i].by_speed.has_value());
  if (!by_speed_[i]) return;
  const Expr e = of_.translated(model, {model.contacts[i].by_speed->expr}).front();
  const Expr w = of_.graph->symbol("approach");
  const Expr slope = e + w * differentiate(e, w);
  const auto at_speed = [&](Expr law) {
    const Expr from[] = {w};
    const Expr to[] = {-of_.gamma[i]};
    return select(apply(Op::positive, -of_.gamma[i]), substitute(law, from, to), of_.restitution[i]);
  };
  slope_[i] = at_speed(slope);
  restitution_[i] = at_speed(e);
}

/// kᵢ eᵢ. Of a contact that is not struck, or not elastic, the law is not asked: 0 · ∞ would spoil the others.
Expr ImpactEquations::elastic_part(std::size_t i) const {
  if (!by_speed_[i]) return of_.elasticity[i] * restitution_[i];
  return select(apply(Op::positive, of_.elasticity[i] * of_.masks[i]), restitution_[i], of_.zero);
}

ExprVector ImpactEquations::contacts() const {
  const std::size_t m = of_.layout.contacts;
  ExprVector normals;
  ExprVector responses;
  ExprVector delassus;
  for (std::size_t i = 0; i < m; ++i) {
    const ExprVector& response = motion_.constraints()[i].response;
    normals.insert(normals.end(), of_.normal[i].begin(), of_.normal[i].end());
    responses.insert(responses.end(), response.begin(), response.end());
    for (std::size_t j = 0; j < m && of_.layout.has_delassus_matrix(); ++j) delassus.push_back(motion_.delassus(i, j));
  }
  return concatenated({of_.h, of_.gamma, slope_, restitution_, normals, responses, delassus});
}

/// M (v⁺ − v) = Σ nᵢ Λᵢ and nᵢ·(v⁺ − v) = −(1 + kᵢ eᵢ) γᵢ for the contacts in the mask.
ExprVector ImpactEquations::jump() const {
  const std::size_t m = of_.layout.contacts;
  const std::size_t n = of_.layout.n;
  if (m == 0) return {};
  ExprVector reversal;
  std::vector<ExprVector> responses;
  for (std::size_t i = 0; i < m; ++i) {
    reversal.push_back((1.0 + elastic_part(i)) * of_.gamma[i]);
    responses.push_back(motion_.constraints()[i].response);
  }
  const Coupling factors(of_.masks, of_.normal, responses,
                         [&](std::size_t i, std::size_t j) { return motion_.delassus(i, j); });
  const auto impulses_for = [&](const ExprVector& base, const ExprVector& wanted) {
    ExprVector lack;
    for (std::size_t i = 0; i < m; ++i)
      lack.push_back(-(of_.masks[i] * (of_.product(of_.normal[i], base) + wanted[i])));
    return factors.solve(lack);
  };
  const auto plus = [&](ExprVector base, const ExprVector& impulses) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < m; ++j) base[i] = base[i] + motion_.constraints()[j].response[i] * impulses[j];
    for (Expr& e : base) e = hold(e);
    return base;
  };
  const ExprVector impulses = impulses_for(ExprVector(n, of_.zero), reversal);
  const ExprVector change = plus(ExprVector(n, of_.zero), impulses);
  const ExprVector change_names = of_.placeholders("d", n);
  const ExprVector impulse_names = of_.placeholders("u", m);
  ExprVector momentum(n, of_.zero);  // Σ nᵢ Λᵢ − M (v⁺ − v)
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) momentum[i] = momentum[i] - of_.M[i * n + j] * change_names[j];
    for (std::size_t j = 0; j < m; ++j) momentum[i] = momentum[i] + of_.normal[j][i] * impulse_names[j];
  }
  ExprVector law;  // n·(v⁺ − v) + (1 + k e) γ
  for (std::size_t j = 0; j < m; ++j) law.push_back(of_.product(of_.normal[j], change_names) + reversal[j]);
  const ExprVector names = concatenated({change_names, impulse_names});
  const ExprVector values = concatenated({change, impulses});
  ExprVector out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(of_.v[i] + change[i]);
  out.insert(out.end(), impulses.begin(), impulses.end());
  for (const Direction& direction : of_.directions(concatenated({of_.q, of_.v, {of_.t}}))) {
    const ExprVector free = motion_.mass().solve(of_.filled(along(momentum, direction), names, values));
    ExprVector column = plus(free, impulses_for(free, of_.filled(along(law, direction), names, values)));
    for (std::size_t i = 0; i < n; ++i)
      if (direction.symbols.front() == of_.v[i]) column[i] = column[i] + 1.0;
    out.insert(out.end(), column.begin(), column.end());
  }
  return out;
}

}  // namespace saltus
