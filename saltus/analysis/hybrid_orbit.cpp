#include "saltus/analysis/hybrid_orbit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/flow/contact_law.hpp"
#include "saltus/flow/saltation.hpp"

namespace saltus {
namespace {

using Index = Eigen::Index;
Index index(std::size_t i) { return static_cast<Index>(i); }
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
};

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
  Segment segment = flow(t, orbit.x[i], plan.mode, orbit.tau[i], watch);
  Piece piece;
  if (!segment.whole) return piece;
  piece.t_end = t + orbit.tau[i];
  piece.x_end = segment.x;
  piece.dx = segment.tangent.leftCols(N);
  piece.dp = segment.tangent.rightCols(segment.tangent.cols() - N);
  piece.dtau = mechanism.field(piece.t_end, piece.x_end, plan.mode).rate;
  piece.dt = piece.dtau - piece.dx * mechanism.field(t, orbit.x[i], plan.mode).rate;
  piece.dips = std::move(segment.dips);
  piece.jump = no_jump(layout, piece.x_end);
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
  const Mode& next = plan_.segments[(i + 1) % plan_.segments.size()].mode;
  if (plan.end.kind != Kind::impact && plan.end.kind != Kind::switched) return piece.dx;
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
  const Mode& next = plan_.segments[(i + 1) % plan_.segments.size()].mode;
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
  for (const Dip& dip : piece.dips) {
    const Brink::Kind kind = dip.guard.kind == ModeGuard::Kind::gap     ? Brink::Kind::gap
                             : dip.guard.kind == ModeGuard::Kind::force ? Brink::Kind::force
                                                                        : Brink::Kind::switch_side;
    brinks.push_back({kind, i, dip.guard.index, dip.after, dip.value});
  }
  for (std::size_t c = 0; c < plan.mode.closed.size(); ++c) {
    if (plan.mode.closed[c]) {
      brinks.push_back({Brink::Kind::slide_length, i, c, 0.0, orbit.tau[i]});
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
  double t = now.t;
  for (std::size_t i = 0; i < plan_.segments.size(); ++i) {
    const Piece at = piece(mechanism, flow, now, i, t, SegmentFlow::Watch::dips);
    if (!at.whole) return report_;
    report_.monodromy = carried(mechanism, i, at) * report_.monodromy;
    add_brinks(mechanism, now, i, at, report_.brinks);
    t = at.t_end;
  }
  report_.whole = true;
  if (!report_.monodromy.allFinite()) return report_;
  const Eigen::VectorXcd values = report_.monodromy.eigenvalues();
  report_.multipliers.assign(values.data(), values.data() + values.size());
  auto& mu = report_.multipliers;
  std::sort(mu.begin(), mu.end(), [](const auto& a, const auto& b) {
    const double size = std::abs(a) - std::abs(b);
    return std::abs(size) > 1e-12 * std::abs(a) ? size > 0.0 : a.imag() > b.imag();
  });
  if (plan_.periods == 0) {
    const auto trivial = std::min_element(
        mu.begin(), mu.end(), [](const auto& a, const auto& b) { return std::abs(a - 1.0) < std::abs(b - 1.0); });
    report_.trivial = *trivial;
    mu.erase(trivial);
  }
  return report_;
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
  for (std::size_t test = first_brink_test; test < values.size(); ++test) {
    const auto smallest = brink(y, test);
    values[test] = smallest ? smallest->value : unknown;
  }
  return values;
}

std::vector<Vector> HybridOrbit::return_states(const Vector& y) const {
  const PlannedOrbit now = orbit(y);
  const ParameterPoint p = system_.rates.at(varied(y));
  std::vector<Vector> states;
  if (plan_.periods == 0) {
    if (!system_.place.section || !plan_.has_events()) return {now.x.front()};
    FlowRun run;
    run.start = start_point(system_.kernels, {}, now.x.front(), LaneStepper::Carries::state);
    run.parameters = p.inputs;
    run.end = {0, period(y)};
    run.watches = {*system_.place.section};
    for (const Event& event : flow(system_.kernels, system_.options, run).events)
      if (event.kind == EventKind::section) states.push_back(event.x_plus);
    return states.empty() ? std::vector<Vector>{now.x.front()} : states;
  }
  // The strobes t = j T that the orbit's time passes, j = 0 first: they move with the orbit, not with the cut.
  const double whole = static_cast<double>(plan_.periods) * p.period;
  SegmentFlow segment(system_.kernels, system_.options, p.inputs, LaneStepper::Carries::state);
  for (long j = 0; j < plan_.periods; ++j) {
    const double strobe = static_cast<double>(j) * p.period;
    const double wanted = strobe + whole * std::ceil((now.t - strobe) / whole - 1e-12);
    double t = now.t;
    std::size_t i = 0;
    Vector turned = Vector::Zero(now.x.front().size());
    while (i + 1 < now.x.size() && wanted > t + now.tau[i]) {
      turned += plan_.segments[i].shift;
      t += now.tau[i++];
    }
    const Segment piece = segment(t, now.x[i], plan_.segments[i].mode, wanted - t, SegmentFlow::Watch::nothing);
    states.push_back(piece.whole ? Vector(piece.x + turned) : now.x[i]);
  }
  return states;
}

namespace {

/// Is this what the plan expects at the end of a segment?
bool matches(const Event& event, const SegmentEnd& end) {
  switch (event.kind) {
    case EventKind::impact: return end.kind == Kind::impact && event.index == end.index;
    case EventKind::slide_end: return end.kind == Kind::release && event.index == end.index;
    case EventKind::switched:
    case EventKind::filippov_start: return end.kind == Kind::switched && event.index == end.index;
    case EventKind::filippov_end:
      return (end.kind == Kind::weight_low || end.kind == Kind::weight_high) && event.index == end.index;
    default: return false;
  }
}

}  // namespace

std::string HybridOrbit::contradiction(const Vector& y) const {
  const ParameterPoint p = system_.rates.at(varied(y));
  const PlannedOrbit now = orbit(y);
  double t = now.t;
  for (std::size_t i = 0; i < now.x.size(); ++i) {
    const SegmentEnd& end = plan_.segments[i].end;
    const double tau = now.tau[i];
    if (tau < 0.0) return fmt::format("segment {} lasts a negative time", i + 1);
    const double slack = 1e-6 * (1e-3 + tau);
    FlowRun run;
    const double cycles = p.period > 0.0 ? std::floor(t / p.period) : 0.0;
    const double phase = t - cycles * p.period;
    run.start = start_point(system_.kernels, {0, phase}, now.x[i], LaneStepper::Carries::state);
    run.period = p.period;
    run.parameters = p.inputs;
    if (plan_.segments[i].mode.is_masked()) {
      // A slide is begun in its mode: by the gap alone, which is zero to Newton's tolerance only, it might not be recognised.
      run.start.mode = plan_.segments[i].mode;
      run.start.natural_step = 0.01 * (tau + 1e-9);
      run.start.fastest.assign(system_.kernels.layout().contacts, 0.0);
      const Mechanism mechanism(system_.kernels, p.inputs);
      Settler(mechanism, system_.options, p.period).project(run.start);
    }
    const double until = phase + tau + (is_event(end) ? slack : 0.0);
    const double turns = p.period > 0.0 ? std::floor(until / p.period) : 0.0;
    run.end = {static_cast<long>(turns), until - turns * p.period};
    const FlowResult motion = flow(system_.kernels, system_.options, run);
    const Event* first = nullptr;
    for (const Event& event : motion.events) {
      if (event.kind == EventKind::grazing || event.kind == EventKind::section || event.kind == EventKind::slide_start)
        continue;
      if (event.t - phase <= std::min(slack, 1e-3 * tau)) continue;  // the instant that began the segment
      first = &event;
      break;
    }
    const bool expected = is_event(end);
    if (!expected && first)
      return fmt::format("{} at t = {:.6g} in a flight without events", name_of(first->kind), t + first->t - phase);
    if (expected && !first) return fmt::format("no event where segment {} ends", i + 1);
    if (expected && (!matches(*first, end) || std::abs(first->t - phase - tau) > slack))
      return fmt::format("{} at t = {:.6g} inside segment {}", name_of(first->kind), t + first->t - phase, i + 1);
    if (motion.ledger.worst_penetration > 1e-7) return fmt::format("penetration inside segment {}", i + 1);
    t += tau;
  }
  return "";
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
