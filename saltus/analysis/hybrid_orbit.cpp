#include "saltus/analysis/hybrid_orbit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/analysis/chatter_arc.hpp"
#include "saltus/analysis/multipliers.hpp"
#include "saltus/flow/contact_law.hpp"
#include "saltus/flow/index.hpp"
#include "saltus/flow/saltation.hpp"

namespace saltus {
namespace {

using Kind = SegmentEnd::Kind;

/// An event function with its derivatives by x, t and the varied parameters.
struct EventRow {
  double value = 0.0;
  Eigen::RowVectorXd dx;
  double dt = 0.0;
  Eigen::RowVectorXd dp;
};

EventRow row_of(const Matrix& jets, std::size_t row, double value, Index N) {
  const auto jet = jets.row(index(row));
  return {value, jet.head(N), jet[N], jet.tail(jets.cols() - N - 1)};
}

/// λ, w or 1 − w: event functions for which there is no kernel of derivatives.
double multiplier_value(const Mechanism& mechanism, const SegmentEnd& end, double t, const Vector& x,
                        const Mode& mode) {
  const FieldValue field = mechanism.field(t, x, mode);
  if (end.kind == Kind::release) return field.force[index(end.index)];
  return end.kind == Kind::weight_low ? field.weight[index(end.index)] : 1.0 - field.weight[index(end.index)];
}

/// Such a function with its derivatives, by central differences.
EventRow multiplier_row(const OrbitSystem& system, const Mechanism& mechanism, const SegmentPlan& plan, double t,
                        const Vector& x, const std::vector<double>& varied) {
  constexpr double h = 1e-5;
  const Index N = x.size();
  EventRow row;
  row.value = multiplier_value(mechanism, plan.end, t, x, plan.mode);
  const auto slope = [&](double dt, const Vector& dx) {
    return (multiplier_value(mechanism, plan.end, t + dt * h, x + dx * h, plan.mode) -
            multiplier_value(mechanism, plan.end, t - dt * h, x - dx * h, plan.mode)) /
           (2.0 * h);
  };
  row.dx.resize(N);
  for (Index j = 0; j < N; ++j) row.dx[j] = slope(0.0, Vector::Unit(N, j));
  row.dt = slope(1.0, Vector::Zero(N));
  row.dp.resize(index(varied.size()));
  for (std::size_t c = 0; c < varied.size(); ++c) {
    const auto moved = [&](double by) {
      std::vector<double> elsewhere = varied;
      elsewhere[c] += by;
      const ParameterPoint point = system.rates.at(elsewhere);
      return multiplier_value(Mechanism(system.kernels, point.inputs), plan.end, t, x, plan.mode);
    };
    row.dp[index(c)] = (moved(h) - moved(-h)) / (2.0 * h);
  }
  return row;
}

}  // namespace

bool is_stable(const std::vector<std::complex<double>>& multipliers) {
  return std::all_of(multipliers.begin(), multipliers.end(), [](const auto& mu) { return std::abs(mu) < 1.0; });
}

/// A segment with its end: the event function, the jump, and how all of it depends on start, start time and duration.
struct HybridOrbit::Piece {
  bool whole = false;
  double t_end = 0.0;
  Vector x_end;
  Matrix dx, dp;          // ∂x_end by start and varied parameters
  Vector dt, dtau;        // ∂x_end by the start time, by the duration
  EventRow event;
  Jump jump;
  std::vector<Dip> dips;
  double slides = 0.0;    // after this time a chatter has become a slide
};

/// The motion of a segment: of one mode, or first accumulating impacts and then of the mode that slides.
Segment HybridOrbit::motion_of(SegmentFlow& flow, const std::vector<double>& inputs, const PlannedOrbit& orbit,
                               std::size_t i, double t, SegmentFlow::Watch watch, double& slides) const {
  const SegmentPlan& plan = plan_.segments[i];
  if (!plan.chatter) return flow(t, orbit.x[i], plan.mode, orbit.tau[i], watch);
  const ChatterArc arc = chatter_arc(system_.kernels, system_.options, inputs, t, orbit.x[i], plan.start_mode(),
                                     *plan.chatter, 1.5 * orbit.tau[i]);
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
static Jump projection(const Mechanism& mechanism, const FlowOptions& options, double t, const Vector& x,
                       const Mode& mode) {
  const Index N = x.size();
  const Index v = index(mechanism.layout().varied.size());
  const Settler settler(mechanism, options, 0.0);
  const auto at = [&](double time, bool with_tangent) {
    FlowPoint point{{0, time}, x, mode, Matrix::Zero(N, with_tangent ? N + v : 0), 0.0, {}};
    if (with_tangent) point.tangent.leftCols(N).setIdentity();
    settler.project(point);
    return point;
  };
  constexpr double h = 1e-6;
  const FlowPoint point = at(t, true);
  Jump jump = no_jump(mechanism.layout(), x);
  jump.x = point.x;
  jump.dR_dx = point.tangent.leftCols(N);
  jump.dR_dp = point.tangent.rightCols(v);
  jump.dR_dt = (at(t + h, false).x - at(t - h, false).x) / (2.0 * h);
  return jump;
}

HybridOrbit::HybridOrbit(const OrbitSystem& system, const PlannedOrbit& typical, const Vector& parameter_scale)
    : system_(system), plan_(typical.plan) {
  const auto& segments = plan_.segments;
  has_time_ = plan_.periods > 0 &&
              std::none_of(segments.begin(), segments.end(), [](const auto& s) { return s.end.kind == Kind::strobe; });
  const Index N = index(system.kernels.layout().N());
  const Index n = index(system.kernels.layout().n);
  // What the components reach along the orbit; those of one kind (coordinates, velocities, further states) at least a tenth of the
  // largest of them. The starts of the segments alone will not do: at a grazing the velocity there vanishes.
  Vector sizes = Vector::Constant(N, 1e-6);
  SegmentFlow flow(system.kernels, system.options, system.rates.at(typical.varied).inputs, LaneStepper::Carries::state);
  double t = typical.t;
  for (std::size_t i = 0; i < typical.x.size(); ++i) {
    sizes = sizes.cwiseMax(typical.x[i].cwiseAbs());
    for (const double part : {0.25, 0.5, 0.75}) {
      if (segments[i].chatter) break;
      const Segment piece = flow(t, typical.x[i], segments[i].mode, part * typical.tau[i], SegmentFlow::Watch::nothing);
      if (piece.whole) sizes = sizes.cwiseMax(piece.x.cwiseAbs());
    }
    t += typical.tau[i];
  }
  const auto even_out = [&](Index first, Index count) {
    if (count > 0)
      sizes.segment(first, count) = sizes.segment(first, count).cwiseMax(0.1 * sizes.segment(first, count).maxCoeff());
  };
  even_out(0, n);
  even_out(n, n);
  even_out(2 * n, N - 2 * n);
  double longest = 1e-6;
  for (const double tau : typical.tau) longest = std::max(longest, std::abs(tau));
  scale_ = Vector::Ones(unknown_count());
  const double spread = std::sqrt(static_cast<double>(segments.size() * (static_cast<std::size_t>(N) + 1)));
  if (has_time_) scale_[0] = longest * spread;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    scale_.segment(column_x(i), N) = sizes * spread;
    scale_[column_x(i) + N] = longest * spread;
  }
  scale_.tail(parameter_scale.size()) = parameter_scale;
}

Index HybridOrbit::column_x(std::size_t i) const {
  return (has_time_ ? 1 : 0) + index(i * (system_.kernels.layout().N() + 1));
}
Index HybridOrbit::unknown_count() const { return column_x(plan_.segments.size()) + index(system_.rates.count()); }

Vector HybridOrbit::unknowns(const PlannedOrbit& orbit) const {
  const std::vector<double>& varied = orbit.varied;
  Vector y(unknown_count());
  const Index N = index(system_.kernels.layout().N());
  if (has_time_) y[0] = orbit.t;
  for (std::size_t i = 0; i < orbit.x.size(); ++i) {
    y.segment(column_x(i), N) = orbit.x[i];
    y[column_x(i) + N] = orbit.tau[i];
  }
  for (std::size_t c = 0; c < varied.size(); ++c) y[y.size() - index(varied.size()) + index(c)] = varied[c];
  return y;
}

PlannedOrbit HybridOrbit::orbit(const Vector& y) const {
  PlannedOrbit orbit;
  orbit.plan = plan_;
  orbit.t = has_time_ ? y[0] : 0.0;
  orbit.varied = varied(y);
  const Index N = index(system_.kernels.layout().N());
  for (std::size_t i = 0; i < plan_.segments.size(); ++i) {
    orbit.x.emplace_back(y.segment(column_x(i), N));
    orbit.tau.push_back(y[column_x(i) + N]);
  }
  return orbit;
}

std::vector<double> HybridOrbit::varied(const Vector& y) const {
  const Vector tail = y.tail(index(system_.rates.count()));
  return {tail.data(), tail.data() + tail.size()};
}

double HybridOrbit::period(const Vector& y) const {
  double sum = 0.0;
  for (const double tau : orbit(y).tau) sum += tau;
  return sum;
}

HybridOrbit::Piece HybridOrbit::piece(const Mechanism& mechanism, SegmentFlow& flow, const PlannedOrbit& orbit,
                                      std::size_t i, double t, SegmentFlow::Watch watch) const {
  const Layout& layout = system_.kernels.layout();
  const Index N = index(layout.N());
  const SegmentPlan& plan = plan_.segments[i];
  Piece piece;
  const std::vector<double> inputs = system_.rates.at(orbit.varied).inputs;
  Segment segment = motion_of(flow, inputs, orbit, i, t, watch, piece.slides);
  if (!segment.whole) return piece;
  piece.t_end = t + orbit.tau[i];
  piece.x_end = segment.x;
  piece.dx = segment.tangent.leftCols(N);
  piece.dp = segment.tangent.rightCols(segment.tangent.cols() - N);
  piece.dtau = mechanism.field(piece.t_end, piece.x_end, plan.mode).rate;
  piece.dt = piece.dtau - piece.dx * mechanism.field(t, orbit.x[i], plan.start_mode()).rate;
  piece.dips = std::move(segment.dips);
  piece.jump = !is_event(plan.end) && plan.mode.is_masked()
                   ? projection(mechanism, system_.options, piece.t_end, piece.x_end, plan.mode)
                   : no_jump(layout, piece.x_end);
  const std::size_t contacts = layout.contacts;
  const Matrix jets = mechanism.jets(piece.t_end, piece.x_end);
  const EventValue values = mechanism.events(piece.t_end, piece.x_end, piece.dtau);
  const SegmentEnd& end = plan.end;
  switch (end.kind) {
    case Kind::impact: {
      piece.event = row_of(jets, end.index, values.value[index(end.index)], N);
      std::vector<char> struck(contacts, 0);
      struck[end.index] = 1;
      piece.jump = followed_by(piece.jump, mechanism, piece.t_end, struck, std::vector<char>(contacts, 1));
      break;
    }
    case Kind::switched:
      piece.event = row_of(jets, 2 * contacts + end.index, values.value[index(contacts + end.index)], N);
      break;
    case Kind::section: {
      const std::size_t at = contacts + layout.switches + end.index;
      piece.event = row_of(jets, contacts + at, values.value[index(at)] - end.offset, N);
      break;
    }
    case Kind::strobe:
      piece.event = {0.0, Eigen::RowVectorXd::Zero(N), 1.0, Eigen::RowVectorXd::Zero(index(layout.varied.size()))};
      break;
    default: piece.event = multiplier_row(system_, mechanism, plan, piece.t_end, piece.x_end, orbit.varied);
  }
  piece.whole = piece.x_end.allFinite() && piece.jump.x.allFinite();
  return piece;
}

std::optional<CurveProblem::Jet> HybridOrbit::jet(const Vector& y) const {
  const ParameterPoint p = system_.rates.at(varied(y));
  if (!p.problem.empty() || !y.allFinite()) return std::nullopt;
  const PlannedOrbit now = orbit(y);
  const Mechanism mechanism(system_.kernels, p.inputs);
  SegmentFlow flow(system_.kernels, system_.options, p.inputs, LaneStepper::Carries::state_and_tangent);
  const Index N = index(system_.kernels.layout().N());
  const Index v = index(system_.rates.count());
  const std::size_t m = plan_.segments.size();
  const Index rows = index(m) * (N + 1) + (has_time_ ? 1 : 0);
  Jet jet{Vector::Zero(rows), Matrix::Zero(rows, y.size())};
  const bool forced = plan_.periods > 0;
  double t = now.t;
  for (std::size_t i = 0; i < m; ++i) {
    if (std::abs(now.tau[i]) > 1e6) return std::nullopt;
    const Piece at = piece(mechanism, flow, now, i, t, SegmentFlow::Watch::nothing);
    if (!at.whole) return std::nullopt;
    const Index row = index(i) * (N + 1);
    const Index next = column_x((i + 1) % m);
    const Index own = column_x(i);
    auto closure = jet.jacobian.middleRows(row, N);
    auto event = jet.jacobian.row(row + N);
    jet.residual.segment(row, N) = at.jump.x - plan_.segments[i].shift - now.x[(i + 1) % m];
    jet.residual[row + N] = at.event.value;
    closure.middleCols(own, N) += at.jump.dR_dx * at.dx;
    closure.middleCols(next, N) -= Matrix::Identity(N, N);
    closure.col(own + N) += at.jump.dR_dx * at.dtau + at.jump.dR_dt;
    closure.rightCols(v) += at.jump.dR_dx * at.dp + at.jump.dR_dp;
    event.segment(own, N) += at.event.dx * at.dx;
    event[own + N] += at.event.dx.dot(at.dtau) + at.event.dt;
    event.tail(v) += at.event.dx * at.dp + at.event.dp;
    if (plan_.segments[i].end.kind == Kind::strobe) {
      const double offset = plan_.segments[i].end.offset;
      jet.residual[row + N] = at.t_end - offset * p.period;
      for (Index c = 0; c < v; ++c) event[y.size() - v + c] -= offset * p.period_rates[static_cast<std::size_t>(c)];
    }
    if (forced) {
      const Vector by_time = at.jump.dR_dx * at.dt + at.jump.dR_dt;
      const double event_by_time = at.event.dx.dot(at.dt) + at.event.dt;
      const auto depends = [&](Index column) {
        closure.col(column) += by_time;
        event[column] += event_by_time;
      };
      if (has_time_) depends(0);
      for (std::size_t j = 0; j < i; ++j) depends(column_x(j) + N);
    }
    t = at.t_end;
  }
  if (has_time_) {
    const Index row = rows - 1;
    jet.residual[row] = t - now.t - static_cast<double>(plan_.periods) * p.period;
    for (std::size_t i = 0; i < m; ++i) jet.jacobian(row, column_x(i) + N) = 1.0;
    for (Index c = 0; c < v; ++c)
      jet.jacobian(row, y.size() - v + c) =
          -static_cast<double>(plan_.periods) * p.period_rates[static_cast<std::size_t>(c)];
  }
  return jet;
}

/// S ∂x_end/∂x_start of a segment: tangent carried over the event, all columns of the state.
Matrix HybridOrbit::carried(const Mechanism& mechanism, std::size_t i, const Piece& piece) const {
  const SegmentPlan& plan = plan_.segments[i];
  const Mode next = plan_.segments[(i + 1) % plan_.segments.size()].start_mode();
  if (plan.end.kind != Kind::impact && plan.end.kind != Kind::switched) return piece.jump.dR_dx * piece.dx;
  const Index v = index(system_.kernels.layout().varied.size());
  const EventJet event{piece.event.dx.transpose(),
                       piece.event.dt,
                       Vector::Zero(v),
                       piece.jump.dR_dx,
                       piece.jump.dR_dt,
                       Matrix::Zero(piece.dx.rows(), v),
                       piece.dtau,
                       mechanism.field(piece.t_end, piece.jump.x, next).rate};
  Matrix columns = Matrix::Zero(piece.dx.rows(), piece.dx.cols() + v);
  columns.leftCols(piece.dx.cols()) = piece.dx;
  return carried_over(event, columns).leftCols(piece.dx.cols());
}

void HybridOrbit::add_brinks(const Mechanism& mechanism, const PlannedOrbit& orbit, std::size_t i, const Piece& piece,
                             std::vector<Brink>& brinks) const {
  const SegmentPlan& plan = plan_.segments[i];
  const Mode next = plan_.segments[(i + 1) % plan_.segments.size()].start_mode();
  const EventValue end = mechanism.events(piece.t_end, piece.x_end, piece.dtau);
  if (plan.end.kind == Kind::impact) {
    const std::size_t c = plan.end.index;
    brinks.push_back({Brink::Kind::impact_speed, i, c, orbit.tau[i], -end.rate[index(c)]});
    const ContactValue contact = mechanism.contact(piece.t_end, piece.jump.x, Mode(mechanism.layout()));
    if (contact.restitution[index(c)] == 0.0 && !next.closed[c]) {
      const Vector rate = mechanism.field(piece.t_end, piece.jump.x, next).rate;
      const double away = mechanism.events(piece.t_end, piece.jump.x, rate).gap_second[index(c)];
      brinks.push_back({Brink::Kind::departure, i, c, orbit.tau[i], away});
    }
  }
  // A flight that begins with gap and rate zero, behind a slide or an impact without rebound, has a minimum of no depth there.
  const SegmentEnd& before = plan_.segments[(i + plan_.segments.size() - 1) % plan_.segments.size()].end;
  const auto is_beginning = [&](const Dip& dip) {
    const bool left = before.kind == Kind::release || before.kind == Kind::impact;
    return dip.guard.kind == ModeGuard::Kind::gap && left && before.index == dip.guard.index &&
           dip.after < 1e-3 * orbit.tau[i] && std::abs(dip.value) < 1e-9;
  };
  for (const Dip& dip : piece.dips) {
    if (is_beginning(dip)) continue;
    const Brink::Kind kind = dip.guard.kind == ModeGuard::Kind::gap     ? Brink::Kind::gap
                             : dip.guard.kind == ModeGuard::Kind::force ? Brink::Kind::force
                                                                        : Brink::Kind::switch_side;
    brinks.push_back({kind, i, dip.guard.index, dip.after, dip.value});
  }
  // Where an orbit is cut inside a slide, the smallest force may lie just there.
  const Vector force = mechanism.field(piece.t_end, piece.x_end, plan.mode).force;
  for (std::size_t c = 0; c < plan.mode.closed.size() && !is_event(plan.end); ++c)
    if (plan.mode.closed[c]) brinks.push_back({Brink::Kind::force, i, c, orbit.tau[i], force[index(c)]});
  for (std::size_t c = 0; c < plan.mode.closed.size(); ++c) {
    if (plan.mode.closed[c]) {
      const bool ends = is_event(plan.end);
      if (ends) brinks.push_back({Brink::Kind::slide_length, i, c, 0.0, orbit.tau[i] - piece.slides});
      continue;
    }
    const bool own = plan.end.kind == Kind::impact && plan.end.index == c;
    if (!own && is_event(plan.end)) brinks.push_back({Brink::Kind::corner, i, c, orbit.tau[i], end.value[index(c)]});
  }
}

const OrbitReport& HybridOrbit::report(const Vector& y) const {
  if (reported_y_.size() == y.size() && reported_y_ == y) return report_;
  reported_y_ = y;
  report_ = {};
  const ParameterPoint p = system_.rates.at(varied(y));
  if (!p.problem.empty()) return report_;
  const PlannedOrbit now = orbit(y);
  const Mechanism mechanism(system_.kernels, p.inputs);
  SegmentFlow flow(system_.kernels, system_.options, p.inputs, LaneStepper::Carries::state_and_tangent);
  const Index N = index(system_.kernels.layout().N());
  report_.monodromy = Matrix::Identity(N, N);
  std::vector<TangentFactor> factors;
  double t = now.t;
  for (std::size_t i = 0; i < plan_.segments.size(); ++i) {
    const Piece at = piece(mechanism, flow, now, i, t, SegmentFlow::Watch::dips);
    if (!at.whole) return report_;
    factors.push_back({carried(mechanism, i, at), may_annihilate(mechanism, i, at)});
    // What contact takes from every column is gone: of a matrix of rounding errors no direction is left.
    if (factors.back().may_annihilate && factors.back().matrix.norm() < 1e-13 * at.dx.norm())
      factors.back().matrix.setZero();
    report_.monodromy = factors.back().matrix * report_.monodromy;
    add_brinks(mechanism, now, i, at, report_.brinks);
    t = at.t_end;
  }
  report_.whole = true;
  if (!report_.monodromy.allFinite()) return report_;
  std::vector<Multiplier> found = multipliers(factors);
  if (plan_.periods == 0) mark_trivial(found);
  for (const Multiplier& each : found) {
    if (each.trivial) report_.trivial = each.value;
    else report_.multipliers.push_back(each.value);
  }
  return report_;
}

/// Contact destroys directions: in slides, and at impacts without rebound.
bool HybridOrbit::may_annihilate(const Mechanism& mechanism, std::size_t i, const Piece& piece) const {
  const SegmentPlan& plan = plan_.segments[i];
  if (plan.mode.is_masked() || plan_.segments[(i + 1) % plan_.segments.size()].mode.is_masked()) return true;
  if (plan.end.kind != Kind::impact) return false;
  return mechanism.contact(piece.t_end, piece.jump.x, plan.mode).restitution[index(plan.end.index)] == 0.0;
}

std::optional<Brink> HybridOrbit::brink(const Vector& y, std::size_t test) const {
  const auto belongs = [&](const Brink& brink) {
    switch (brink.kind) {
      case Brink::Kind::impact_speed: return test == first_brink_test;
      case Brink::Kind::gap:
      case Brink::Kind::corner: return test == first_brink_test + 1;
      case Brink::Kind::switch_side: return test == first_brink_test + 3;
      default: return test == first_brink_test + 2;
    }
  };
  std::optional<Brink> smallest;
  for (const Brink& brink : report(y).brinks)
    if (belongs(brink) && (!smallest || brink.value < smallest->value)) smallest = brink;
  return smallest;
}

/// Zero where the two halves are one orbit of half the duration. The halves change places there, so that its sign changes. The
/// component that tells them apart best at the first point is kept.
double HybridOrbit::difference_of_halves(const Vector& y) const {
  const Index half = column_x(plan_.segments.size() / 2) - column_x(0);
  const Vector scaled = y.cwiseQuotient(scale_).segment(column_x(0), 2 * half);
  const Vector apart = scaled.head(half) - scaled.tail(half);
  if (!halves_) {
    Index farthest = 0;
    apart.cwiseAbs().maxCoeff(&farthest);
    halves_ = farthest;
  }
  return apart[*halves_];
}

std::vector<double> HybridOrbit::tests(const Vector& y) const {
  const double unknown = std::nan("");
  const OrbitReport& at = report(y);
  std::vector<double> values(first_brink_test + brink_tests, unknown);
  if (!at.whole) return values;
  if (!at.multipliers.empty()) {
    std::complex<double> doubling = 1.0, torus = 1.0;
    for (std::size_t i = 0; i < at.multipliers.size(); ++i) {
      const auto& mu = at.multipliers[i];
      doubling *= (1.0 + mu) / (1.0 + std::abs(mu));
      for (std::size_t j = 0; j < i; ++j) {
        const auto product = mu * at.multipliers[j];
        torus *= (1.0 - product) / (1.0 + std::abs(product));
      }
    }
    values[period_doubling_test] = doubling.real();
    values[torus_test] = torus.real();
  }
  if (runs_twice(plan_)) values[halves_test] = difference_of_halves(y);
  for (std::size_t test = first_brink_test; test < values.size(); ++test) {
    const auto smallest = brink(y, test);
    values[test] = smallest ? smallest->value : unknown;
  }
  return values;
}

std::pair<double, Vector> HybridOrbit::approach(const Vector& y, std::size_t segment) const {
  const ParameterPoint p = system_.rates.at(varied(y));
  const PlannedOrbit now = orbit(y);
  const Mechanism mechanism(system_.kernels, p.inputs);
  SegmentFlow flow(system_.kernels, system_.options, p.inputs, LaneStepper::Carries::state_and_tangent);
  double t = now.t;
  for (std::size_t j = 0; j < segment; ++j) t += now.tau[j];
  const Piece at = piece(mechanism, flow, now, segment, t, SegmentFlow::Watch::nothing);
  const Layout& layout = system_.kernels.layout();
  const Index N = index(layout.N());
  const Index v = index(layout.varied.size());
  const std::size_t contact = plan_.segments[segment].end.index;
  const EventRow row = row_of(mechanism.jets(at.t_end, at.x_end), layout.contacts + contact,
                              mechanism.events(at.t_end, at.x_end, at.dtau).rate[index(contact)], N);
  Vector slope = Vector::Zero(y.size());
  slope.segment(column_x(segment), N) = (row.dx * at.dx).transpose();
  slope[column_x(segment) + N] = row.dx.dot(at.dtau) + row.dt;
  slope.tail(v) = (row.dx * at.dp + row.dp).transpose();
  if (plan_.periods > 0) {
    const double by_time = row.dx.dot(at.dt) + row.dt;
    if (has_time_) slope[0] += by_time;
    for (std::size_t j = 0; j < segment; ++j) slope[column_x(j) + N] += by_time;
  }
  return {row.value, slope};
}

}  // namespace saltus
