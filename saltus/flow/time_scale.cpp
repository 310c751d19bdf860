#include "saltus/flow/time_scale.hpp"

#include <algorithm>
#include <cmath>

namespace saltus {

double time_scale(const Mechanism& mechanism, double t, const Vector& x, const Mode& mode, const Vector& rate) {
  const Index n = index(mechanism.layout().n);
  const auto finite = [](double value) { return std::isfinite(value) ? value : 0.0; };
  if (n == 0) return x.size() > 0 ? finite(x.cwiseAbs().maxCoeff() / rate.cwiseAbs().maxCoeff()) : 0.0;
  const auto energy_at = [&](const Vector& w) {
    Vector moved = x;
    moved.segment(n, n) = w;
    return mechanism.energy(t, moved, mode).first;
  };
  const double at_rest = energy_at(Vector::Zero(n));
  const auto size_of = [&](const Vector& w) {
    return std::sqrt(std::max(finite(energy_at(w) + energy_at(-w) - 2.0 * at_rest), 0.0));
  };
  const double q = size_of(x.head(n));
  const double v = size_of(x.segment(n, n));
  const double a = size_of(rate.segment(n, n));
  return finite(a > 0.0 ? std::max(std::sqrt(q / a), v / a) : q / v);
}

}  // namespace saltus
