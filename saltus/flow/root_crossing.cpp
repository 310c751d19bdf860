#include "saltus/flow/root_crossing.hpp"

#include <cmath>

#include "saltus/numerics/vectors.hpp"

namespace saltus {

RootCrossing::Place RootCrossing::later(const Place& from, double delta) const {
  const Vector F = mechanism_.field(from.t, from.x, mode_).rate;
  const double half = 0.5 * delta;
  return {from.t + delta, from.x + delta * mechanism_.field(from.t + half, from.x + half * F, mode_).rate};
}

std::optional<double> RootCrossing::time_to_surface(const Place& from, double guess) const {
  const Index row = index(mechanism_.layout().contacts + switch_);
  double delta = guess;
  for (int count = 0; count < 8; ++count) {
    const Place there = later(from, delta);
    const EventValue s = mechanism_.events(there.t, there.x, mechanism_.field(there.t, there.x, mode_).rate, mode_);
    const double correction = -s.value[row] / s.rate[row];
    if (!std::isfinite(correction) || std::abs(correction) > 0.5 * guess) return std::nullopt;
    delta += correction;
    if (std::abs(correction) <= 1e-13 * guess) break;
  }
  return delta;
}

/// ∂s by x, t and the varied parameters.
Vector RootCrossing::jet(const Place& at) const {
  return mechanism_.jets(at.t, at.x, mode_).row(index(mechanism_.layout().switch_jet(switch_))).transpose();
}

Matrix RootCrossing::column_rates(const Place& at, const Matrix& X) const {
  const Layout& layout = mechanism_.layout();
  const std::size_t N = layout.N();
  std::vector<double> columns(N * layout.columns());
  for (std::size_t c = 0; c < layout.columns(); ++c)
    for (std::size_t i = 0; i < N; ++i) columns[layout.tangent(i, c)] = X(index(i), index(c));
  std::vector<double> out(N + layout.tangent_rates() + layout.contacts + layout.switches);
  const KernelSet& one = mechanism_.kernels().at(1);
  const Kernel kernel = mode_.is_masked() ? one.sliding_tangent : one.field_tangent;
  kernel(&at.t, at.x.data(), mechanism_.parameters(), mode_inputs(mode_).data(), columns.data(), out.data());
  Matrix rates(index(N), X.cols());
  for (std::size_t c = 0; c < layout.columns(); ++c)
    for (std::size_t i = 0; i < N; ++i)
      rates(index(i), index(c)) = i < layout.n ? X(index(layout.n + i), index(c)) : out[N + layout.tangent_rate(i, c)];
  return rates;
}

Matrix RootCrossing::carried(const Place& from, const Place& to, Off off, const Matrix& X) const {
  const Layout& layout = mechanism_.layout();
  const Index N = index(layout.N());
  const Index varied = index(layout.varied.size());
  const double delta = to.t - from.t;
  const Vector F_from = mechanism_.field(from.t, from.x, mode_).rate;
  const Vector ds = jet(from);
  Eigen::RowVectorXd c = ds.head(N).transpose() * X;
  c.tail(varied) += ds.tail(varied).transpose();
  c /= ds.head(N).dot(F_from) + ds[N];
  const Matrix R = X - F_from * c;
  const Place& beside = off == Off::from ? from : to;
  const double dt = 1e-3 * delta;
  const Vector dF_dt =
      (mechanism_.field(beside.t + dt, beside.x, mode_).rate - mechanism_.field(beside.t - dt, beside.x, mode_).rate) /
      (2.0 * dt);
  return R + delta * (column_rates(beside, R) - dF_dt * c) + mechanism_.field(to.t, to.x, mode_).rate * c;
}

}  // namespace saltus
