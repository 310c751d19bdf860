#include "saltus/analysis/branches/chatter_limit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "saltus/analysis/orbits/chatter_arc.hpp"
#include "saltus/numerics/decompositions.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

/// Of the period. Flights become so low that rounding takes over: with the time left, rebounds fall as its square, heights as its cube.
constexpr double shortest_part = 5e-4;

/// Behind an impact on a contact: rebound u, free acceleration ḧ, restitution.
struct Bounce {
  double speed;
  double acceleration;
  double restitution;
};

Bounce bounce_at(const Mechanism& mechanism, double t, const Vector& x, const Mode& flight, std::size_t contact) {
  const Index c = index(contact);
  const Vector rate = mechanism.field(t, x, flight).rate;
  const EventValue events = mechanism.events(t, x, rate);
  return {events.rate[c], events.gap_second[c], mechanism.contact(t, x, flight).restitution[c]};
}

double start_of(const PlannedOrbit& orbit, std::size_t i) {
  double t = orbit.t;
  for (std::size_t j = 0; j < i; ++j) t += orbit.tau[j];
  return t;
}

/// u + w(e) ḧ s at the start of a slide of the duration s: zero on the border. Derivatives by central differences.
struct BorderExcess {
  EventRow row;
  double dtau;
};

BorderExcess excess_at(const OrbitSystem& system, const PlannedOrbit& orbit, std::size_t slide, const Mode& flight,
                       std::size_t contact, const OrbitUnits& units) {
  constexpr double part = 1e-5;
  const double t = start_of(orbit, slide);
  const double s = orbit.tau[slide];
  const Vector& x = orbit.x[slide];
  const auto value = [&](double time, const Vector& state, double left, const std::vector<double>& varied) {
    const ParameterPoint p = system.rates.at(varied);
    const Bounce at = bounce_at(Mechanism(system.kernels, p.inputs), time, state, flight, contact);
    return at.speed + chatter_border(at.restitution).speed * at.acceleration * left;
  };
  const Index N = x.size();
  BorderExcess excess{{value(t, x, s, orbit.varied), Eigen::RowVectorXd(N), 0.0, {}}, 0.0};
  for (Index j = 0; j < N; ++j) {
    const double h = part * units.x[j];
    const Vector step = h * Vector::Unit(N, j);
    excess.row.dx[j] = (value(t, x + step, s, orbit.varied) - value(t, x - step, s, orbit.varied)) / (2.0 * h);
  }
  const double h = part * units.t;
  excess.row.dt = (value(t + h, x, s, orbit.varied) - value(t - h, x, s, orbit.varied)) / (2.0 * h);
  excess.dtau = (value(t, x, s + h, orbit.varied) - value(t, x, s - h, orbit.varied)) / (2.0 * h);
  excess.row.dp.resize(index(orbit.varied.size()));
  for (std::size_t c = 0; c < orbit.varied.size(); ++c) {
    std::vector<double> more = orbit.varied, less = orbit.varied;
    const double h_p = part * units.p[index(c)];
    more[c] += h_p;
    less[c] -= h_p;
    excess.row.dp[index(c)] = (value(t, x, s, more) - value(t, x, s, less)) / (2.0 * h_p);
  }
  return excess;
}

/// An orbit whose chatter is written as `flights` flights from segment `first` on and a slide behind them.
struct Unfolded {
  PlannedOrbit orbit;
  std::size_t first;
  std::size_t flights;
  std::size_t contact;
  Mode flight;

  std::size_t slide() const { return first + flights; }
  double left() const { return orbit.tau[slide()]; }

  /// Cuts a flight off the slide: it lasts `tau`, and behind its impact the orbit is at x.
  void add_flight(double tau, const Vector& x) {
    const auto at = static_cast<std::ptrdiff_t>(slide());
    SegmentPlan plan = orbit.plan.segments[slide()];
    plan.mode = flight;
    plan.settles = false;
    plan.end = {SegmentEnd::Kind::impact, contact};
    plan.shift.setZero();
    orbit.plan.segments.insert(orbit.plan.segments.begin() + at, plan);
    orbit.tau[slide()] -= tau;
    orbit.tau.insert(orbit.tau.begin() + at, tau);
    orbit.x.insert(orbit.x.begin() + at + 1, x);
    ++flights;
  }

  /// As one segment again.
  PlannedOrbit folded(const OrbitPlan& plan) const {
    PlannedOrbit whole = orbit;
    whole.plan = plan;
    const auto at = static_cast<std::ptrdiff_t>(first);
    const auto count = static_cast<std::ptrdiff_t>(flights);
    for (std::size_t j = 0; j < flights; ++j) whole.tau[first] += j + 1 == flights ? left() : orbit.tau[first + j + 1];
    whole.x.erase(whole.x.begin() + at + 1, whole.x.begin() + at + 1 + count);
    whole.tau.erase(whole.tau.begin() + at + 1, whole.tau.begin() + at + 1 + count);
    return whole;
  }

  bool is_real(const OrbitSystem& system) const {
    const std::vector<double> inputs = system.rates.at(orbit.varied).inputs;
    const Mechanism mechanism(system.kernels, inputs);
    double t = start_of(orbit, first);
    for (std::size_t j = first; j <= slide(); t += orbit.tau[j++])
      if (!(orbit.tau[j] > 0.0) || !(bounce_at(mechanism, t, orbit.x[j], flight, contact).speed > 0.0)) return false;
    return true;
  }
};

/// The chatter of segment i with its impacts one by one, as the event-driven motion meets them, up to the one that lies nearest to the
/// border.
std::optional<Unfolded> unfolded(const OrbitSystem& system, const PlannedOrbit& orbit, std::size_t i) {
  const SegmentPlan& plan = orbit.plan.segments[i];
  const std::size_t contact = *plan.chatter;
  Unfolded result{orbit, i, 0, contact, plan.start_mode()};
  result.orbit.plan.segments[i].chatter.reset();
  result.orbit.plan.segments[i].settles = true;
  const std::vector<double> inputs = system.rates.at(orbit.varied).inputs;
  const Mechanism mechanism(system.kernels, inputs);
  const double begin = start_of(orbit, i);
  const double duration = std::accumulate(orbit.tau.begin(), orbit.tau.end(), 0.0);
  const auto distance = [&](double t, const Vector& x) {
    const Bounce at = bounce_at(mechanism, t, x, result.flight, contact);
    const double left = begin + orbit.tau[i] - t;
    if (left < 2.0 * shortest_part * duration) return 1e300;
    const double w = at.speed / (-at.acceleration * left);
    return at.acceleration < 0.0 && w > 0.0 ? std::abs(std::log(w / chatter_border(at.restitution).speed)) : 1e300;
  };
  FlowRun run = chatter_run(system.kernels, inputs, begin, orbit.x[i], result.flight, contact, orbit.tau[i],
                            LaneStepper::Carries::state);
  run.end = {0, begin + orbit.tau[i]};
  const FlowResult motion = flow(system.kernels, chatter_options(system.options), run);
  std::vector<Event> impacts;
  for (const Event& event : motion.events)
    if (event.kind == EventKind::impact && event.index == contact && event.t > begin) impacts.push_back(event);
  std::size_t nearest = 0;
  double best = distance(begin, orbit.x[i]);
  for (std::size_t k = 0; k < impacts.size(); ++k)
    if (const double d = distance(impacts[k].t, impacts[k].x_plus); d < best) {
      best = d;
      nearest = k + 1;
    }
  if (best > 1.0) return std::nullopt;
  double t = begin;
  for (std::size_t k = 0; k < nearest; t = impacts[k++].t) result.add_flight(impacts[k].t - t, impacts[k].x_plus);
  return result;
}

/// More impacts, as they follow each other on the border.
void extend(const OrbitSystem& system, const ChatterBorder& border, int impacts, Unfolded& now) {
  const std::vector<double> inputs = system.rates.at(now.orbit.varied).inputs;
  const Mechanism mechanism(system.kernels, inputs);
  SegmentFlow flow(system.kernels, system.options, inputs, LaneStepper::Carries::state);
  std::vector<char> struck(system.kernels.layout().contacts, 0);
  struck[now.contact] = 1;
  for (int k = 0; k < impacts; ++k) {
    const double t = start_of(now.orbit, now.slide());
    const double tau = border.flight * now.left();
    const Segment flown = flow(t, now.orbit.x[now.slide()], now.flight, tau, SegmentFlow::Watch::nothing);
    if (!flown.whole) return;
    const Jump jump = followed_by(no_jump(system.kernels.layout(), flown.x), mechanism, t + tau, struck,
                                  std::vector<char>(struck.size(), 1));
    now.add_flight(tau, jump.x);
  }
}

/// Newton's method on the equations of the unfolded orbit and the condition of the border.
bool solve(const OrbitSystem& system, const Vector& parameter_scale, Unfolded& now) {
  const HybridOrbit problem(system, now.orbit, parameter_scale);
  const Vector scale = problem.scale();
  const Index n = scale.size();
  Vector y = problem.unknowns(now.orbit);
  double before = 1e300;
  for (int i = 0; i < 20; ++i) {
    const auto jet = problem.jet(y);
    if (!jet || !jet->residual.allFinite() || !jet->jacobian.allFinite()) return false;
    const PlannedOrbit orbit = problem.orbit(y);
    const BorderExcess excess = excess_at(system, orbit, now.slide(), now.flight, now.contact, problem.units());
    Matrix A(n, n);
    Vector right(n);
    A.topRows(n - 1) = jet->jacobian * scale.asDiagonal();
    A.row(n - 1) = problem.slope_at_start(now.slide(), excess.row, excess.dtau).cwiseProduct(scale).transpose();
    const double size_of_row = A.row(n - 1).cwiseAbs().maxCoeff();
    A.row(n - 1) /= size_of_row;
    right << -jet->residual, -excess.row.value / size_of_row;
    const Vector change = LuFactors(A).solve(right);
    const double size = change.cwiseAbs().maxCoeff();
    if (!std::isfinite(size) || size > 1.0) return false;
    y += change.cwiseProduct(scale);
    const bool at_the_noise = size < 1e-8 && size > 0.5 * before;
    before = size;
    if (size > 1e-13 && !at_the_noise) continue;
    now.orbit = problem.orbit(y);
    return true;
  }
  return false;
}

double restitution_of(const OrbitSystem& system, const Unfolded& now) {
  const std::vector<double> inputs = system.rates.at(now.orbit.varied).inputs;
  const Mechanism mechanism(system.kernels, inputs);
  return bounce_at(mechanism, start_of(now.orbit, now.slide()), now.orbit.x[now.slide()], now.flight, now.contact)
      .restitution;
}

}  // namespace

ChatterBorder chatter_border(double restitution) {
  const double e = restitution;
  // e (1/2 − θ/3) and (1/2 − θ/6) (1 − θ)² cross once in (0, 1): the second is convex, above the first at 0 and below it at 1.
  double lower = 0.0, upper = 1.0;
  for (int i = 0; i < 60; ++i) {
    const double theta = 0.5 * (lower + upper);
    const double rest = 1.0 - theta;
    (e * (0.5 - theta / 3.0) < (0.5 - theta / 6.0) * rest * rest ? lower : upper) = theta;
  }
  const double theta = 0.5 * (lower + upper);
  const double rest = 1.0 - theta;
  const double next_by_flight =
      e * ((0.5 - 2.0 * theta / 3.0) / (rest * rest) + 2.0 * theta * (0.5 - theta / 3.0) / (rest * rest * rest));
  return {theta, theta * (0.5 - theta / 6.0), next_by_flight / (0.5 - theta / 3.0)};
}

std::optional<PlannedOrbit> chatter_limit(const HybridOrbit& near, const Vector& y, std::size_t i) {
  const OrbitSystem& system = near.system();
  const SegmentPlan& plan = near.plan().segments[i];
  const bool released = plan.end.kind == SegmentEnd::Kind::release && plan.end.index == plan.chatter;
  if (system.rates.count() != 1 || !released) return std::nullopt;
  auto now = unfolded(system, near.orbit(y), i);
  if (!now) return std::nullopt;
  const Vector parameter_scale = near.scale().tail(1);
  const double shortest = shortest_part * near.period(y);
  std::optional<Vector> before, estimate;
  for (int round = 0; round < 30; ++round) {
    if (!solve(system, parameter_scale, *now) || !now->is_real(system)) return std::nullopt;
    const ChatterBorder border = chatter_border(restitution_of(system, *now));
    // Restitutions close to 1 have so many impacts that the border is not reached.
    constexpr double shortest_flight = 1e-4;
    if (!(border.flight > shortest_flight)) return std::nullopt;
    const int impacts = std::max(1, static_cast<int>(std::lround(std::log(0.5) / std::log1p(-border.flight))));
    const double ratio = std::pow((1.0 - border.flight) / border.growth, impacts);
    const Vector found = near.unknowns(now->folded(near.plan()));
    if (before) {
      const Vector extrapolated = found + (found - *before) * (ratio / (1.0 - ratio));
      const double change = estimate ? std::abs((extrapolated - *estimate)[y.size() - 1]) / parameter_scale[0] : 1.0;
      estimate = extrapolated;
      if (change < 1e-11 || now->left() < shortest) break;
    }
    before = found;
    extend(system, border, impacts, *now);
  }
  if (!estimate) return std::nullopt;
  return near.orbit(*estimate);
}

}  // namespace saltus
