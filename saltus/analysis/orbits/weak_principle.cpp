#include "saltus/analysis/orbits/weak_principle.hpp"

#include <algorithm>
#include <cmath>

namespace saltus {

WeakPrinciple::Element WeakPrinciple::element(const Vector& nodes, std::size_t j, const std::vector<double>& parameters,
                                              double length) const {
  const Matrix q = local(nodes, j);
  const double begin = static_cast<double>(j) * length;
  Element result{Vector::Zero(size() * n), Matrix::Zero(size() * n, size() * n), 0.0};
  std::vector<double> cuts = {0.0};
  for (const Kink& kink : kinks(q, begin, length, parameters)) {
    add_jump(result, q, begin, length, parameters, kink);
    cuts.push_back(kink.theta);
  }
  cuts.push_back(1.0);
  TimeIntegrands::Forms forms;
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
    const double part = cuts[k + 1] - cuts[k];
    if (part <= 0.0) continue;
    for (std::size_t g = 0; g < gauss.places.size(); ++g) {
      const double theta = cuts[k] + part * gauss.places[g];
      const ElementShape::At at = shape.at(theta);
      integrands.evaluate(begin + theta * length, state(q, at, length), parameters, forms);
      add(result, at, forms, part * gauss.weights[g] * length, length);
    }
  }
  return result;
}

std::vector<WeakPrinciple::Kink> WeakPrinciple::kinks(const Matrix& q, double begin, double length,
                                                      const std::vector<double>& parameters) const {
  std::vector<Kink> found;
  if (integrands.switches() == 0) return found;
  const auto values = [&](double theta) {
    return integrands.surfaces(begin + theta * length, state(q, shape.at(theta), length), parameters);
  };
  const std::size_t samples = 8 * (options.degree + 1);
  std::vector<Vector> at;
  for (std::size_t i = 0; i <= samples; ++i)
    at.push_back(values(static_cast<double>(i) / static_cast<double>(samples)));
  const auto place = [&](std::size_t i) { return static_cast<double>(i) / static_cast<double>(samples); };
  for (std::size_t s = 0; s < integrands.switches(); ++s) {
    const Index row = index(s);
    const auto root = [&](double lower, double upper, double at_lower) {
      for (int count = 0; count < 60 && upper - lower > 1e-16; ++count) {
        const double middle = 0.5 * (lower + upper);
        const double value = values(middle)[row];
        ((value > 0.0) == (at_lower > 0.0) ? lower : upper) = middle;
      }
      found.push_back({0.5 * (lower + upper), s});
    };
    for (std::size_t i = 0; i < samples; ++i)
      if ((at[i][row] > 0.0) != (at[i + 1][row] > 0.0)) root(place(i), place(i + 1), at[i][row]);
    // Between samples of one sign an extremum towards zero may pass it twice: that of the parabola through three of them.
    for (std::size_t i = 1; i < samples; ++i) {
      const double c = at[i - 1][row];
      const double a = at[i][row];
      const double b = at[i + 1][row];
      const bool one_sign = (a > 0.0) == (c > 0.0) && (a > 0.0) == (b > 0.0);
      const bool inside = std::abs(a) <= std::abs(c) && std::abs(a) <= std::abs(b);
      const bool at_an_end = (i == 1 && std::abs(c) < std::abs(a)) || (i + 1 == samples && std::abs(b) < std::abs(a));
      const double bent = c - 2.0 * a + b;
      if (!one_sign || !(inside || at_an_end) || bent == 0.0) continue;
      const double shift = 0.5 * (c - b) / bent;
      const double extreme = place(i) + shift / static_cast<double>(samples);
      if (!(std::abs(shift) < 1.0)) continue;
      const double there = values(extreme)[row];
      if ((there > 0.0) == (a > 0.0)) continue;
      root(place(i - 1), extreme, c);
      root(extreme, place(i + 1), there);
    }
  }
  std::sort(found.begin(), found.end(), [](const Kink& a, const Kink& b) { return a.theta < b.theta; });
  return found;
}

void WeakPrinciple::add(Element& to, const ElementShape::At& at, const TimeIntegrands::Forms& forms, double weight,
                        double length) const {
  for (Index a = 0; a < size(); ++a) {
    const double N = weight * at.N[a];
    const double dN = weight * at.dN[a] / length;
    const Vector inertia = dN * forms.p;
    const Vector force = N * forms.G;
    to.residual.segment(a * n, n) += inertia + force;
    to.size = std::max({to.size, inertia.cwiseAbs().maxCoeff(), force.cwiseAbs().maxCoeff()});
    for (Index b = 0; b < size(); ++b)
      to.tangent.block(a * n, b * n, n, n) += (at.N[b] * dN) * forms.p_q + (at.dN[b] / length * dN) * forms.p_v +
                                              (at.N[b] * N) * forms.G_q + (at.dN[b] / length * N) * forms.G_v;
  }
}

void WeakPrinciple::add_jump(Element& to, const Matrix& q, double begin, double length,
                             const std::vector<double>& parameters, const Kink& kink) const {
  const double aside = 1e-9;
  TimeIntegrands::Forms before;
  TimeIntegrands::Forms after;
  const auto forms = [&](double theta, TimeIntegrands::Forms& at) {
    integrands.evaluate(begin + theta * length, state(q, shape.at(theta), length), parameters, at);
  };
  forms(kink.theta - aside, before);
  forms(kink.theta + aside, after);
  const Vector jump = before.G - after.G;
  if (jump.cwiseAbs().maxCoeff() <= 1e-6 * (1.0 + before.G.cwiseAbs().maxCoeff())) return;
  const ElementShape::At at = shape.at(kink.theta);
  const Vector x = state(q, at, length);
  const Vector all = integrands.surfaces(begin + kink.theta * length, x, parameters);
  const Vector row =
      all.segment(index(integrands.switches() + kink.surface * static_cast<std::size_t>(2 * n + 1)), 2 * n + 1);
  const Vector acceleration = q * at.ddN / (length * length);
  const double speed = row.head(n).dot(x.tail(n)) + row.segment(n, n).dot(acceleration) + row[2 * n];
  if (speed == 0.0) return;
  for (Index a = 0; a < size(); ++a)
    for (Index b = 0; b < size(); ++b)
      to.tangent.block(a * n, b * n, n, n) -=
          at.N[a] * jump * (at.N[b] * row.head(n) + at.dN[b] / length * row.segment(n, n)).transpose() / speed;
}

}  // namespace saltus
