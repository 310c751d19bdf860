// The phase of an orbit without events and forcing: where on it the first segment begins.

#include <cmath>
#include <numeric>

#include "saltus/analysis/orbits/hybrid_orbit.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {

using Kind = SegmentEnd::Kind;

bool HybridOrbit::has_phase() const { return plan_.segments.back().end.kind == Kind::phase; }

/// ẋ where a segment begins, in units of the scale.
Vector HybridOrbit::rate_at(const Vector& y, std::size_t segment) const {
  const ParameterPoint p = system_.rates.at(varied(y));
  const Index N = index(system_.kernels.layout().N());
  const Vector x = y.segment(column_x(segment), N);
  const Vector rate = Mechanism(system_.kernels, p.inputs).field(0.0, x, plan_.segments[segment].start_mode()).rate;
  return rate.cwiseQuotient(scale_.segment(column_x(segment), N));
}

bool HybridOrbit::anchored_at(const Vector& y) const {
  if (!has_phase()) return false;
  const Vector rate = rate_at(y, 0);
  if (!rate.allFinite() || rate.norm() == 0.0) return false;
  anchor_ = Anchor{y.segment(column_x(0), rate.size()), rate.normalized(), rate.norm()};
  return true;
}

/// Another phase moves the start of every segment along the flow: the parts across it, the durations and the parameters stay as they are. The tangents
/// themselves may point apart, where the starts of many segments move faster along the flow than across it.
Vector HybridOrbit::without_phase(const Vector& y, const Vector& tangent) const {
  if (!has_phase()) return tangent;
  Vector across = tangent;
  for (std::size_t i = 0; i < plan_.segments.size(); ++i) {
    const Vector along = rate_at(y, i).normalized();
    if (!along.allFinite()) return tangent;
    across.segment(column_x(i), along.size()) -= along.dot(tangent.segment(column_x(i), along.size())) * along;
  }
  return across;
}

/// n · (X₁ − a)/scale = 0 behind the last segment, with the anchor a and the direction n of the flow there;  τᵢ = shareᵢ Σ τ  elsewhere.
void HybridOrbit::add_cut(const PlannedOrbit& now, std::size_t i, Jet& jet) const {
  const Index N = index(system_.kernels.layout().N());
  const Index row = index(i) * (N + 1) + N;
  const SegmentEnd& end = plan_.segments[i].end;
  if (end.kind == Kind::phase) {
    const Vector sizes = scale_.segment(column_x(0), N);
    jet.residual[row] = anchor_.along.dot((now.x.front() - anchor_.x).cwiseQuotient(sizes));
    jet.jacobian.row(row).segment(column_x(0), N) = anchor_.along.cwiseQuotient(sizes).transpose();
  }
  if (end.kind == Kind::share) {
    jet.residual[row] = now.tau[i] - end.offset * std::accumulate(now.tau.begin(), now.tau.end(), 0.0);
    for (std::size_t j = 0; j < now.tau.size(); ++j) jet.jacobian(row, column_x(j) + N) = -end.offset;
    jet.jacobian(row, column_x(i) + N) += 1.0;
  }
}

OrbitUnits HybridOrbit::units() const {
  const Index N = index(system_.kernels.layout().N());
  const double spread = std::sqrt(static_cast<double>(index(plan_.segments.size()) * (column_x(1) - column_x(0))));
  return {scale_.segment(column_x(0), N) / spread, scale_[column_x(0) + N] / spread,
          scale_.tail(index(system_.rates.count()))};
}

PhaseState HybridOrbit::phase_state(const Vector& y) const {
  if (!has_phase()) return {};
  const Vector rate = rate_at(y, 0);
  const double along = anchor_.along.dot(rate);
  return {along / anchor_.speed, rate.norm() > 0.0 ? along / rate.norm() : 0.0};
}

double HybridOrbit::path_length(const Vector& y) const {
  const PlannedOrbit now = orbit(y);
  const ParameterPoint p = system_.rates.at(now.varied);
  const Mechanism mechanism(system_.kernels, p.inputs);
  const Vector units = sizes();
  double length = 0.0;
  for (std::size_t i = 0; i < now.x.size(); ++i) {
    const Vector rate = mechanism.field(0.0, now.x[i], plan_.segments[i].start_mode()).rate;
    length += rate.cwiseQuotient(units).norm() * std::abs(now.tau[i]);
  }
  return length;
}

}  // namespace saltus
