#include "saltus/analysis/orbits/hybrid_orbit.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "saltus/analysis/motions/multipliers.hpp"
#include "saltus/analysis/orbits/critical_multipliers.hpp"
#include "saltus/flow/contact_law.hpp"
#include "saltus/flow/saltation.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

using Kind = SegmentEnd::Kind;

}  // namespace

bool is_stable(const std::vector<std::complex<double>>& multipliers) {
  return std::all_of(multipliers.begin(), multipliers.end(), [](const auto& mu) { return std::abs(mu) < 1.0; });
}

HybridOrbit::HybridOrbit(const OrbitSystem& system, const PlannedOrbit& typical, const Vector& parameter_scale)
    : system_(system), plan_(typical.plan), held_at_(plan_.translations.drift(typical.x.front())) {
  const auto& segments = plan_.segments;
  has_time_ = plan_.periods > 0 &&
              std::none_of(segments.begin(), segments.end(), [](const auto& s) { return s.end.kind == Kind::strobe; });
  const Index N = index(system.kernels.layout().N());
  // What the components reach along the orbit, and the size below which the error of a step is absolute. The starts of the segments
  // alone will not do: at a grazing the velocity there vanishes, and so it may at halves and quarters of an orbit that is run through twice.
  Vector sizes = Vector::Zero(N);
  SegmentFlow flow(system.kernels, system.options, system.rates.at(typical.varied).inputs, LaneStepper::Carries::state);
  double t = typical.t;
  for (std::size_t i = 0; i < typical.x.size(); ++i) {
    sizes = sizes.cwiseMax(typical.x[i].cwiseAbs());
    for (const double part : {0.11, 0.24, 0.38, 0.53, 0.67, 0.79, 0.92}) {
      if (segments[i].chatter) break;
      const Segment piece = flow(t, typical.x[i], segments[i].mode, part * typical.tau[i], SegmentFlow::Watch::nothing);
      if (piece.whole) sizes = sizes.cwiseMax(piece.x.cwiseAbs());
    }
    t += typical.tau[i];
  }
  sizes.array() += system.options.atol / system.options.rtol;
  double longest = 0.0;
  for (const double tau : typical.tau) longest = std::max(longest, std::abs(tau));
  if (!(longest > 0.0)) longest = 1.0;
  scale_ = Vector::Ones(unknown_count());
  const double spread = std::sqrt(static_cast<double>(segments.size() * (static_cast<std::size_t>(N) + 1)));
  if (has_time_) scale_[0] = longest * spread;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    scale_.segment(column_x(i), N) = sizes * spread;
    scale_[column_x(i) + N] = longest * spread;
  }
  scale_.tail(parameter_scale.size()) = parameter_scale;
  anchor_ = {typical.x.front(), Vector::Zero(N), 1.0};
  anchored_at(unknowns(typical));
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

void HybridOrbit::allow_drift(const Vector& y, Jet& jet) const {
  const Translations& translations = plan_.translations;
  const Index N = index(system_.kernels.layout().N());
  const Index row = index(plan_.segments.size() - 1) * (N + 1);
  for (std::size_t k = 0; k < translations.drifts(); ++k) {
    const Index held = translations.held()[k];
    const auto direction = translations.cyclic().col(index(k));
    const double drift = jet.residual[row + held];
    const Eigen::RowVectorXd by_y = jet.jacobian.row(row + held);
    jet.residual.segment(row, N) -= direction * drift;
    jet.jacobian.middleRows(row, N) -= direction * by_y;
    jet.residual[row + held] = y[column_x(0) + held] - held_at_[index(k)];
    jet.jacobian.row(row + held) = Eigen::RowVectorXd::Unit(y.size(), column_x(0) + held);
  }
}

/// A segment so many times as long as the longest one is none that was meant.
constexpr double longest_of_all = 1e6;

/// The last condition: all segments last k T(p) together.
void HybridOrbit::add_period(const ParameterPoint& p, double duration, Jet& jet) const {
  const Index N = index(system_.kernels.layout().N());
  const Index row = jet.residual.size() - 1;
  const Index v = index(system_.rates.count());
  const double periods = static_cast<double>(plan_.periods);
  jet.residual[row] = duration - periods * p.period;
  for (std::size_t i = 0; i < plan_.segments.size(); ++i) jet.jacobian(row, column_x(i) + N) = 1.0;
  for (Index c = 0; c < v; ++c)
    jet.jacobian(row, jet.jacobian.cols() - v + c) = -periods * p.period_rates[static_cast<std::size_t>(c)];
}

/// What the condition that ends a segment changes with the state and the time.
static double unit_of_condition(const SegmentEnd& end, const EventRow& event, const OrbitUnits& measure) {
  if (end.kind == Kind::phase) return 1.0;  // in units of the anchor
  if (end.kind == Kind::share || end.kind == Kind::strobe) return measure.t;
  const double unit = event.dx.cwiseAbs().dot(measure.x) + std::abs(event.dt) * measure.t;
  return unit > 0.0 && std::isfinite(unit) ? unit : 1.0;
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
  Vector row_units = Vector::Constant(rows, scale_[column_x(0) + N]);
  const bool forced = plan_.periods > 0;
  const OrbitUnits measure = units();
  double t = now.t;
  for (std::size_t i = 0; i < m; ++i) {
    if (std::abs(now.tau[i]) > longest_of_all * scale_[column_x(i) + N]) return std::nullopt;
    const OrbitPiece at = orbit_piece(system_, mechanism, flow, now, i, t, SegmentFlow::Watch::nothing, measure);
    if (!at.whole) return std::nullopt;
    const Index row = index(i) * (N + 1);
    const Index next = column_x((i + 1) % m);
    const Index own = column_x(i);
    auto closure = jet.jacobian.middleRows(row, N);
    auto event = jet.jacobian.row(row + N);
    row_units.segment(row, N) = measure.x;
    row_units[row + N] = unit_of_condition(plan_.segments[i].end, at.event, measure);
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
    add_cut(now, i, jet);
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
  allow_drift(y, jet);
  if (has_time_) add_period(p, t - now.t, jet);
  // Gaps, speeds, forces, durations and components have units of their own.
  jet.residual = jet.residual.cwiseQuotient(row_units);
  jet.jacobian = row_units.cwiseInverse().asDiagonal() * jet.jacobian;
  return jet;
}

namespace {

/// S ∂x_end/∂x_start where a slide along switch k begins. The field beyond is a blend that keeps s = 0, so that the speed of arrival drops
/// out of S: it takes (F₊ − F₋)(s_x X)/(s_x (F₊ − F₋)) from X, and s_x S X = 0 also where the switch is reached without speed.
Matrix put_on_switch(const Mechanism& mechanism, const OrbitPiece& piece, Mode slide, std::size_t k) {
  const auto field = [&](double sign) {
    slide.pass(k, sign);
    return mechanism.field(piece.t_end, piece.x_end, slide).rate;
  };
  const Vector jump = field(1.0) - field(-1.0);
  const Eigen::RowVectorXd& s_x = piece.event.dx;
  return piece.dx - jump * (s_x * piece.dx) / s_x.dot(jump);
}

}  // namespace

/// S ∂x_end/∂x_start of a segment: tangent carried over the event, all columns of the state.
Matrix HybridOrbit::carried(const Mechanism& mechanism, std::size_t i, const OrbitPiece& piece) const {
  const SegmentPlan& plan = plan_.segments[i];
  const Mode next = plan_.segments[(i + 1) % plan_.segments.size()].start_mode();
  if (plan.end.kind != Kind::impact && plan.end.kind != Kind::switched) return piece.jump.dR_dx * piece.dx;
  if (plan.end.kind == Kind::switched && next.slides_alone(plan.end.index))
    return put_on_switch(mechanism, piece, next, plan.end.index);
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

namespace {

/// x(end) − x(start) of an orbit from its last piece, with the turns that were taken off before.
Vector gain_at(const PlannedOrbit& orbit, const OrbitPiece& last) {
  Vector gain = last.jump.x - orbit.x.front();
  for (std::size_t i = 0; i + 1 < orbit.plan.segments.size(); ++i) gain += orbit.plan.segments[i].shift;
  return gain;
}

}  // namespace

/// Those of a segment, the last of them carried over its end.
template <class Carried>
static void add_factors(const std::vector<Matrix>& parts, const TangentFactor& whole,
                        std::vector<TangentFactor>& factors, const Carried& carried) {
  if (parts.size() == 1) return factors.push_back(whole);
  for (std::size_t k = 0; k + 1 < parts.size(); ++k) factors.push_back({parts[k]});
  factors.push_back({carried(parts.back()), whole.may_annihilate});
}

/// ln of what an error made somewhere on a segment may grow by until its end: where a motion creeps and then runs, that is far more than the whole
/// tangent tells.
static double most_growth(std::span<const TangentFactor> parts) {
  Matrix rest = parts.back().matrix;
  double most = std::log(rest.norm());
  for (std::size_t k = parts.size() - 1; k-- > 0;) {
    rest = rest * parts[k].matrix;
    most = std::max(most, std::log(rest.norm()));
  }
  return most;
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
  const OrbitUnits measure = units();
  const auto in_units = [&](const Matrix& X) -> Matrix {
    return measure.x.cwiseInverse().asDiagonal() * X * measure.x.asDiagonal();
  };
  double t = now.t;
  for (std::size_t i = 0; i < plan_.segments.size(); ++i) {
    const OrbitPiece at = orbit_piece(system_, mechanism, flow, now, i, t, SegmentFlow::Watch::dips, measure);
    if (!at.whole) return report_;
    TangentFactor whole{carried(mechanism, i, at), may_annihilate(mechanism, i, at)};
    // What contact takes from every column is gone: of a matrix of rounding errors no direction is left.
    if (whole.may_annihilate && in_units(whole.matrix).norm() < 1e-13 * in_units(at.dx).norm()) whole.matrix.setZero();
    report_.monodromy = whole.matrix * report_.monodromy;
    const std::size_t first = factors.size();
    add_factors(segment_factors(flow, now, i, t, at.dx, measure.x), whole, factors, [&](const Matrix& last) {
      OrbitPiece end = at;
      end.dx = last;
      return carried(mechanism, i, end);
    });
    for (std::size_t k = first; k < factors.size(); ++k)
      factors[k].matrix = in_units(factors[k].matrix);  // similar: rounding is that of each component
    report_.growth.push_back(most_growth(std::span(factors).subspan(first)));
    add_brinks(mechanism, now, i, at, measure.x, report_.brinks);
    t = at.t_end;
    if (i + 1 == plan_.segments.size()) report_.drift = plan_.translations.drift_of(gain_at(now, at));
  }
  report_.whole = true;
  if (!report_.monodromy.allFinite()) return report_;
  std::vector<Multiplier> found = multipliers(factors);
  mark_trivial(found, plan_.periods == 0, plan_.translations.drifts());
  for (const Multiplier& each : found) {
    if (each.trivial && !each.cyclic) report_.trivial = each.value;
    if (each.trivial) continue;
    report_.multipliers.push_back(each.value);
    report_.log_abs.push_back(each.annihilated ? std::log(0.0) : each.log_abs);
  }
  return report_;
}

/// Contact destroys directions: in slides, and at impacts without rebound.
bool HybridOrbit::may_annihilate(const Mechanism& mechanism, std::size_t i, const OrbitPiece& piece) const {
  const SegmentPlan& plan = plan_.segments[i];
  if (plan.mode.annihilates() || plan_.segments[(i + 1) % plan_.segments.size()].mode.annihilates()) return true;
  if (plan.end.kind != Kind::impact) return false;
  const ContactValue before = mechanism.contact(piece.t_end, piece.x_end, plan.mode);
  const auto stops = [&](std::size_t c) {
    return before.restitution[index(c)] == 0.0 || before.rebound_slope[index(c)] == 0.0;
  };
  const auto& blows = plan.end.blows;
  return stops(plan.end.index) || std::any_of(blows.begin(), blows.end(), [&](const auto& blow) {
           return std::any_of(blow.begin(), blow.end(), stops);
         });
}

std::optional<Brink> HybridOrbit::brink(const Vector& y, std::size_t test) const {
  const auto belongs = [&](const Brink& brink) {
    switch (brink.kind) {
      case Brink::Kind::impact_speed:
      case Brink::Kind::blow_speed:
      case Brink::Kind::arrival: return test == speed_test;
      case Brink::Kind::gap:
      case Brink::Kind::corner: return test == gap_test;
      case Brink::Kind::switch_side:
      case Brink::Kind::switch_order: return test == switch_test;
      default: return test == sliding_test;
    }
  };
  std::optional<Brink> smallest;
  for (const Brink& brink : report(y).brinks)
    if (belongs(brink) && (!smallest || brink.value < smallest->value)) smallest = brink;
  return smallest;
}

/// Zero where the two halves are one orbit of half the duration: their distance, with a sign that changes when they change places.
/// Where the sign alone changes, it jumps. The direction that tells the halves apart at the first point is kept.
double HybridOrbit::difference_of_halves(const Vector& y) const {
  const std::size_t m = plan_.segments.size();
  const Index N = index(system_.kernels.layout().N());
  const Index half = column_x(m / 2) - column_x(0);
  const Vector scaled = y.cwiseQuotient(scale_).segment(column_x(0), 2 * half);
  Vector apart = scaled.head(half) - scaled.tail(half);
  // Angles count on from segment to segment: the second half is behind by what is taken off before it, beyond half of all turns.
  std::vector<Vector> taken = {Vector::Zero(N)};
  for (const SegmentPlan& segment : plan_.segments) taken.push_back(taken.back() + segment.shift);
  for (std::size_t i = 0; i < m / 2; ++i) {
    const Vector behind = taken[i] - taken[i + m / 2] + 0.5 * taken[m];
    const Vector difference = y.segment(column_x(i), N) - y.segment(column_x(i + m / 2), N) + behind;
    apart.segment(column_x(i) - column_x(0), N) =
        plan_.translations.without_drift(difference).cwiseQuotient(scale_.segment(column_x(i), N));
  }
  if (!halves_) halves_ = apart;
  // Not compared: orbits of half the duration are a curve of their own, which Newton's method finds near the crossing.
  if (apart.norm() <= 1e-6 * halves_->norm() || halves_->norm() < 1e-8) return std::nan("");
  return apart.dot(*halves_) >= 0.0 ? apart.norm() : -apart.norm();
}

std::pair<double, Vector> HybridOrbit::approach(const Vector& y, std::size_t segment) const {
  const ParameterPoint p = system_.rates.at(varied(y));
  const PlannedOrbit now = orbit(y);
  const Mechanism mechanism(system_.kernels, p.inputs);
  SegmentFlow flow(system_.kernels, system_.options, p.inputs, LaneStepper::Carries::state_and_tangent);
  double t = now.t;
  for (std::size_t j = 0; j < segment; ++j) t += now.tau[j];
  const OrbitPiece at = orbit_piece(system_, mechanism, flow, now, segment, t, SegmentFlow::Watch::nothing, units());
  const Layout& layout = system_.kernels.layout();
  const Index N = index(layout.N());
  const Index v = index(layout.varied.size());
  const std::size_t contact = plan_.segments[segment].end.index;
  const EventRow row = event_row(mechanism.jets(at.t_end, at.x_end), layout.contacts + contact,
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

Vector HybridOrbit::slope_at_start(std::size_t segment, const EventRow& row, double dtau) const {
  const Index N = row.dx.size();
  Vector slope = Vector::Zero(unknown_count());
  slope.segment(column_x(segment), N) = row.dx.transpose();
  slope[column_x(segment) + N] = dtau;
  slope.tail(row.dp.size()) = row.dp.transpose();
  if (has_time_) slope[0] = row.dt;
  for (std::size_t j = 0; j < segment && plan_.periods > 0; ++j) slope[column_x(j) + N] += row.dt;
  return slope;
}

}  // namespace saltus
