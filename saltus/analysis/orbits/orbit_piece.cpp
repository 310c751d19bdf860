#include "saltus/analysis/orbits/orbit_piece.hpp"

#include <algorithm>

#include "saltus/analysis/motions/multipliers.hpp"
#include "saltus/analysis/orbits/chatter_arc.hpp"
#include "saltus/analysis/orbits/struck_together.hpp"
#include "saltus/flow/settle.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {

EventRow event_row(const Matrix& jets, std::size_t row, double value, Index N) {
  const auto jet = jets.row(index(row));
  return {value, jet.head(N), jet[N], jet.tail(jets.cols() - N - 1)};
}

namespace {

using Kind = SegmentEnd::Kind;

/// λ, w or 1 − w: event functions for which there is no kernel of derivatives.
double multiplier_value(const Mechanism& mechanism, const SegmentEnd& end, double t, const Vector& x,
                        const Mode& mode) {
  const FieldValue field = mechanism.field(t, x, mode);
  if (end.kind == Kind::release) return field.force[index(end.index)];
  return end.kind == Kind::weight_low ? field.weight[index(end.index)] : 1.0 - field.weight[index(end.index)];
}

/// Such a function with its derivatives, by central differences.
EventRow multiplier_row(const OrbitSystem& system, const Mechanism& mechanism, const SegmentPlan& plan, double t,
                        const Vector& x, const std::vector<double>& varied, const OrbitUnits& units) {
  constexpr double part = 1e-5;
  const Index N = x.size();
  EventRow row;
  row.value = multiplier_value(mechanism, plan.end, t, x, plan.mode);
  const auto difference = [&](double dt, const Vector& dx) {
    return multiplier_value(mechanism, plan.end, t + dt, x + dx, plan.mode) -
           multiplier_value(mechanism, plan.end, t - dt, x - dx, plan.mode);
  };
  row.dx.resize(N);
  for (Index j = 0; j < N; ++j) {
    const double h = part * units.x[j];
    row.dx[j] = difference(0.0, h * Vector::Unit(N, j)) / (2.0 * h);
  }
  row.dt = difference(part * units.t, Vector::Zero(N)) / (2.0 * part * units.t);
  row.dp.resize(index(varied.size()));
  for (std::size_t c = 0; c < varied.size(); ++c) {
    const auto moved = [&](double by) {
      std::vector<double> elsewhere = varied;
      elsewhere[c] += by;
      const ParameterPoint point = system.rates.at(elsewhere);
      return multiplier_value(Mechanism(system.kernels, point.inputs), plan.end, t, x, plan.mode);
    };
    const double h = part * units.p[index(c)];
    row.dp[index(c)] = (moved(h) - moved(-h)) / (2.0 * h);
  }
  return row;
}

/// The motion of a segment: of one mode, or first accumulating impacts and then of the mode that slides.
Segment motion_of(const OrbitSystem& system, SegmentFlow& flow, const PlannedOrbit& orbit, std::size_t i,
                  const Vector& x, double t, SegmentFlow::Watch watch, double& slides) {
  const SegmentPlan& plan = orbit.plan.segments[i];
  if (!plan.chatter) return flow(t, x, plan.mode, orbit.tau[i], watch);
  const std::vector<double> inputs = system.rates.at(orbit.varied).inputs;
  const ChatterArc arc =
      chatter_arc(system.kernels, system.options, inputs, t, x, plan.start_mode(), *plan.chatter, 1.5 * orbit.tau[i]);
  if (!arc.whole) return {};
  slides = arc.slides;
  Segment slide = flow(t + arc.length, arc.x, plan.mode, orbit.tau[i] - arc.length, watch);
  if (!slide.whole) return slide;
  const Index N = arc.x.size();
  const Matrix own = slide.tangent.rightCols(slide.tangent.cols() - N);
  slide.tangent = slide.tangent.leftCols(N) * arc.tangent;
  slide.tangent.rightCols(own.cols()) += own;
  for (Dip& dip : slide.dips) dip.after += arc.length;
  return slide;
}

/// Onto the closed contacts and the surfaces slid along: what keeps an orbit on them that is cut inside a slide.
Jump projection(const Mechanism& mechanism, const FlowOptions& options, double t, const Vector& x, const Mode& mode,
                double unit_of_time) {
  const Index N = x.size();
  const Index v = index(mechanism.layout().varied.size());
  const Settler settler(mechanism, options, 0.0);
  const auto at = [&](double time, bool with_tangent) {
    FlowPoint point{{0, time}, x, mode, Matrix::Zero(N, with_tangent ? N + v : 0), 0.0, {}};
    if (with_tangent) point.tangent.leftCols(N).setIdentity();
    settler.project(point);
    return point;
  };
  const double h = 1e-6 * unit_of_time;
  const FlowPoint point = at(t, true);
  Jump jump = no_jump(mechanism.layout(), x);
  jump.x = point.x;
  jump.dR_dx = point.tangent.leftCols(N);
  jump.dR_dp = point.tangent.rightCols(v);
  jump.dR_dt = (at(t + h, false).x - at(t - h, false).x) / (2.0 * h);
  return jump;
}

/// The mode of segment i without contacts and slides that begin or end somewhere in the orbit: no event ever puts the others on their
/// surfaces.
Mode kept_throughout(const OrbitPlan& plan, std::size_t i) {
  Mode kept = plan.segments[i].mode;
  for (const SegmentPlan& each : plan.segments) {
    const Mode mode = each.start_mode();
    for (std::size_t c = 0; c < mode.contacts().size(); ++c)
      if (!mode.is_closed(c)) kept.open(c);
    for (std::size_t k = 0; k < mode.switches().size(); ++k)
      if (!mode.slides_along(k) && kept.slides_along(k)) kept.pass(k, mode.side(k));
  }
  return kept;
}

}  // namespace

OrbitPiece orbit_piece(const OrbitSystem& system, const Mechanism& mechanism, SegmentFlow& flow,
                       const PlannedOrbit& orbit, std::size_t i, double t, SegmentFlow::Watch watch,
                       const OrbitUnits& units) {
  const Layout& layout = system.kernels.layout();
  const Index N = index(layout.N());
  const SegmentPlan& plan = orbit.plan.segments[i];
  OrbitPiece piece;
  const Jump onto = plan.settles ? projection(mechanism, system.options, t, orbit.x[i], plan.mode, units.t)
                                 : no_jump(layout, orbit.x[i]);
  Segment segment = motion_of(system, flow, orbit, i, onto.x, t, watch, piece.slides);
  if (!segment.whole) return piece;
  piece.t_end = t + orbit.tau[i];
  piece.x_end = segment.x;
  const Matrix dx = segment.tangent.leftCols(N);
  piece.dx = dx * onto.dR_dx;
  piece.dp = segment.tangent.rightCols(segment.tangent.cols() - N) + dx * onto.dR_dp;
  piece.dtau = mechanism.field(piece.t_end, piece.x_end, plan.mode).rate;
  piece.dt = piece.dtau - dx * (mechanism.field(t, onto.x, plan.start_mode()).rate - onto.dR_dt);
  piece.dips = std::move(segment.dips);
  const Mode kept = is_event(plan.end) ? kept_throughout(orbit.plan, i) : plan.mode;
  piece.jump = kept.is_masked() ? projection(mechanism, system.options, piece.t_end, piece.x_end, kept, units.t)
                                : no_jump(layout, piece.x_end);
  const std::size_t contacts = layout.contacts;
  const Matrix jets = mechanism.jets(piece.t_end, piece.x_end);
  const EventValue values = mechanism.events(piece.t_end, piece.x_end, piece.dtau);
  const SegmentEnd& end = plan.end;
  switch (end.kind) {
    case Kind::impact:
      piece.event = event_row(jets, end.index, values.value[index(end.index)], N);
      piece.jump = struck_by(piece.jump, mechanism, piece.t_end, end);
      break;
    case Kind::switched:
      piece.event = event_row(jets, 2 * contacts + end.index, values.value[index(contacts + end.index)], N);
      break;
    case Kind::phase:
    case Kind::share:
    case Kind::strobe:
      piece.event = {0.0, Eigen::RowVectorXd::Zero(N), end.kind == Kind::strobe ? 1.0 : 0.0,
                     Eigen::RowVectorXd::Zero(index(layout.varied.size()))};
      break;
    default: piece.event = multiplier_row(system, mechanism, plan, piece.t_end, piece.x_end, orbit.varied, units);
  }
  piece.whole = piece.x_end.allFinite() && piece.jump.x.allFinite();
  return piece;
}

std::vector<Matrix> segment_factors(SegmentFlow& flow, const PlannedOrbit& orbit, std::size_t i, double t,
                                    const Matrix& whole, const Vector& sizes) {
  constexpr int most_factors = 1024;
  const SegmentPlan& plan = orbit.plan.segments[i];
  const auto contracts = [&](const Matrix& X) {
    return contraction({sizes.cwiseInverse().asDiagonal() * X * sizes.asDiagonal()}) < strongest_contraction;
  };
  std::vector<Matrix> factors = {whole};
  if (plan.chatter || plan.settles || plan.mode.is_masked()) return factors;
  for (int parts = 4; parts <= most_factors && std::any_of(factors.begin(), factors.end(), contracts); parts *= 4) {
    std::vector<Matrix> finer;
    Vector x = orbit.x[i];
    const double length = orbit.tau[i] / parts;
    for (int k = 0; k < parts; ++k) {
      const Segment part = flow(t + k * length, x, plan.mode, length, SegmentFlow::Watch::nothing);
      if (!part.whole) return factors;
      finer.push_back(part.tangent.leftCols(x.size()));
      x = part.x;
    }
    factors = std::move(finer);
  }
  return factors;
}

}  // namespace saltus
