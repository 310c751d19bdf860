#include "saltus/analysis/orbits/shooting.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/numerics/decompositions.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

constexpr double deepest_node = 1e-9;  // a node this far inside an obstacle, relative to the state, is refused
constexpr int most_meshes = 6;         // renewed in one solution
constexpr double smallest_rcond = 1e-13;
constexpr double longest_step = 1e6;  // of Newton, relative to the unknowns
constexpr double shortest_part =
    1e-3;     // of the guess: an autonomous orbit of a shorter period is not the one that was meant
/// Steps of a trial, in those of the guess: one that needs more has strayed to where the model is stiff, and is refused.
constexpr long most_times_the_guess = 20;
constexpr long always_allowed = 1000;
constexpr double shortest_motion = 1e-10;  // of the states: an orbit that moves less is an equilibrium

/// The part of x behind the point, 0 ≤ part < 1.
double fraction(double x) {
  const double part = x - std::floor(x);
  return 1.0 - part < 1e-13 ? 0.0 : part;
}

/// One place in each of `segments` equal parts of the period: the middle of the longest stretch without an event in it.
std::vector<double> places_away_from(std::vector<double> events, std::size_t segments) {
  std::sort(events.begin(), events.end());
  std::vector<double> places;
  const double width = 1.0 / static_cast<double>(segments);
  for (std::size_t i = 0; i < segments; ++i) {
    const double begin = static_cast<double>(i) * width;
    const double end = begin + width;
    double last = begin;
    double longest = 0.0;
    double place = begin;
    const auto stretch_to = [&](double here) {
      if (here - last > longest) {
        longest = here - last;
        place = 0.5 * (last + here);
      }
      last = here;
    };
    for (const double event : events)
      if (event > begin && event < end) stretch_to(event);
    stretch_to(end);
    places.push_back(place);
  }
  return places;
}

/// A gap is measured by what it changes with components of these sizes.
bool inside_obstacle(const Kernels& kernels, const ParameterPoint& p, double t, const Vector& x, const Mode& mode,
                     const Vector& sizes) {
  if (kernels.layout().contacts == 0) return false;
  const Mechanism mechanism(kernels, p.inputs);
  const Vector h = mechanism.contact(t, x, mode).h;
  const Vector size = gap_sizes(mechanism, t, x, sizes);
  for (std::size_t i = 0; i < mode.contacts().size(); ++i)
    if (!mode.is_closed(i) && h[index(i)] < -deepest_node * size[index(i)]) return true;
  return false;
}

/// Largest |x| of each component on the motion from a guess, and the size below which the error of a step is absolute.
Vector sizes_of(const Kernels& kernels, const FlowOptions& options, const ParameterPoint& p, const ArcStart& start,
                double length) {
  const StateRange range = arc_range(kernels, options, p, start, length);
  return (range.lowest.cwiseAbs().cwiseMax(range.highest.cwiseAbs())).array() + options.atol / options.rtol;
}

/// |defect| of a segment, component by component: in units of its size, or of what rounding of its start makes of its end.
double defect_error(const Vector& defect, const Arc& arc, const Vector& start, const Vector& sizes) {
  constexpr double rounding = 2e-5;  // eps / 1e-11
  const Vector noise = rounding * (arc.dx_dx.cwiseAbs() * start.cwiseAbs());
  return defect.cwiseAbs().cwiseQuotient(sizes.cwiseMax(noise)).maxCoeff();
}

/// Takes the conditions of closure in the rows from `row` on up to a drift, and holds the components that tell it.
void allow_drift(const ShootingMesh& mesh, const Vector& x, Index row, ShootingValue& value) {
  const Translations& translations = mesh.translations;
  const Index N = x.size();
  const Vector drift = translations.drift(value.residual.segment(row, N));
  value.gain = mesh.gain + translations.cyclic() * drift;
  value.residual.segment(row, N) -= translations.cyclic() * drift;
  for (std::size_t k = 0; k < translations.drifts(); ++k) {
    const Index held = translations.held()[k];
    const auto direction = translations.cyclic().col(index(k));
    const Eigen::RowVectorXd by_unknowns = value.jacobian.row(row + held);
    const Eigen::RowVectorXd by_parameter = value.by_parameter.row(row + held);
    value.jacobian.middleRows(row, N) -= direction * by_unknowns;
    value.by_parameter.middleRows(row, N) -= direction * by_parameter;
    value.jacobian.row(row + held) = Eigen::RowVectorXd::Unit(value.jacobian.cols(), held);
    value.by_parameter.row(row + held).setZero();
    value.residual[row + held] = x[held] - mesh.held_at[index(k)];
  }
}

/// The node that an arc leads to.
ShootingNode node_at(double place, const Arc& arc) { return {place, arc.end.mode, arc.end.fastest}; }

void set_phase_condition(const Kernels& kernels, const ParameterPoint& p, const Vector& x, ShootingMesh& mesh) {
  if (!mesh.autonomous()) return;
  mesh.anchor = x;
  const Vector rate = Mechanism(kernels, p.inputs).field(0.0, x, mesh.nodes.front().mode).rate;
  mesh.direction = rate.cwiseQuotient(mesh.sizes).normalized().cwiseQuotient(mesh.sizes);
}

Vector joined(const std::vector<Vector>& states, const ShootingMesh& mesh, double period) {
  const Index N = states.front().size();
  Vector u(N * index(states.size()) + (mesh.autonomous() ? 1 : 0));
  for (std::size_t i = 0; i < states.size(); ++i) u.segment(N * index(i), N) = states[i];
  if (mesh.autonomous()) u[u.size() - 1] = period;
  return u;
}

}  // namespace

// ---- the conditions -------------------------------------------------------------------------------------------------

Index Shooting::unknowns() const {
  return index(kernels_.layout().N() * mesh_.nodes.size()) + (mesh_.autonomous() ? 1 : 0);
}

Vector Shooting::state(const Vector& u, std::size_t node) const {
  const Index N = index(kernels_.layout().N());
  return u.segment(N * index(node), N);
}

double Shooting::period(const Vector& u, const ParameterPoint& p) const {
  return mesh_.autonomous() ? u[u.size() - 1] : static_cast<double>(mesh_.periods) * p.period;
}

double Shooting::part(std::size_t node) const {
  const std::vector<ShootingNode>& nodes = mesh_.nodes;
  return node + 1 < nodes.size() ? nodes[node + 1].place - nodes[node].place
                                 : 1.0 + nodes.front().place - nodes[node].place;
}

Arc Shooting::segment(const Vector& u, const ParameterPoint& p, std::size_t node) const {
  const ShootingNode& at = mesh_.nodes[node];
  const double unit = mesh_.autonomous() ? u[u.size() - 1] : static_cast<double>(mesh_.periods);
  const double phase = mesh_.autonomous() ? 0.0 : fraction(unit * at.place);
  return arc(kernels_, options_, p, {state(u, node), phase, at.mode, at.fastest}, unit * part(node));
}

ShootingValue Shooting::operator()(const Vector& u, const ParameterPoint& p) const {
  const std::size_t m = mesh_.nodes.size();
  const Index N = index(kernels_.layout().N());
  const Index size = unknowns();
  ShootingValue value;
  value.residual = Vector::Zero(size);
  value.jacobian = Matrix::Zero(size, size);
  value.by_parameter = Matrix::Zero(size, index(kernels_.layout().varied.size()));
  for (std::size_t i = 0; i < m; ++i) {
    const ShootingNode& node = mesh_.nodes[i];
    const double phase = fraction(static_cast<double>(mesh_.periods) * node.place) * p.period;
    if (!inside_obstacle(kernels_, p, phase, state(u, i), node.mode, mesh_.sizes)) continue;
    value.penetrated = i;
    return value;
  }
  for (std::size_t i = 0; i < m; ++i) {
    value.arcs.push_back(segment(u, p, i));
    const Arc& arc = value.arcs.back();
    if (!arc.whole() || !arc.x.allFinite() || !arc.dx_dx.allFinite()) {
      value.stopped = i;
      return value;
    }
    const Index row = N * index(i);
    const bool last = i + 1 == m;
    const Index next = last ? 0 : row + N;
    Vector defect = arc.x - u.segment(next, N);
    if (last) defect -= mesh_.gain;
    value.residual.segment(row, N) = defect;
    if (last) defect = mesh_.translations.without_drift(defect);
    value.jacobian.block(row, row, N, N) += arc.dx_dx;
    value.jacobian.block(row, next, N, N) -= Matrix::Identity(N, N);
    value.by_parameter.middleRows(row, N) = arc.dx_dp;
    if (mesh_.autonomous()) value.jacobian.block(row, size - 1, N, 1) = part(i) * arc.F_end;
    value.error = std::max(value.error, defect_error(defect, arc, state(u, i), mesh_.sizes));
  }
  value.gain = mesh_.gain;
  if (mesh_.translations.drifts() > 0) allow_drift(mesh_, state(u, 0), N * index(m - 1), value);
  if (mesh_.autonomous()) {
    value.residual[size - 1] = mesh_.direction.dot(state(u, 0) - mesh_.anchor);
    value.jacobian.row(size - 1).head(N) = mesh_.direction.transpose();
    value.error = std::max(value.error, std::abs(value.residual[size - 1]));
  }
  return value;
}

// ---- meshes ---------------------------------------------------------------------------------------------------------

ShootingStart shooting_start(const Kernels& kernels, const FlowOptions& options, const ParameterPoint& p,
                             const OrbitGuess& guess, std::size_t segments, const Translations& translations) {
  ShootingStart result;
  const bool forced = p.period > 0.0;
  result.mesh.periods = forced ? guess.periods : 0;
  const double unit = forced ? static_cast<double>(guess.periods) : guess.duration;
  const Arc whole = arc(kernels, options, p, guess.start, unit);
  if (!whole.whole()) {
    result.stopped = whole;
    return result;
  }
  const Vector change = whole.x - guess.start.x;
  result.mesh.gain = change - translations.remainder(change);
  result.mesh.translations = translations;
  result.mesh.sizes = sizes_of(kernels, options, p, guess.start, unit);
  std::vector<double> events;
  for (const Event& event : whole.events) events.push_back(fraction(event.t / whole.duration));
  ArcStart from = guess.start;
  double here = 0.0;
  std::vector<Vector> states;
  for (const double place : places_away_from(events, segments)) {
    const Arc step = arc(kernels, options, p, from, unit * (place - here));
    if (!step.whole()) {
      result.stopped = step;
      return result;
    }
    here = place;
    from = {step.x, forced ? fraction(guess.start.phase + unit * place) : 0.0, step.end.mode, step.end.fastest};
    states.push_back(step.x);
    // Places count from the strobe.
    result.mesh.nodes.push_back(node_at(forced ? place + guess.start.phase / unit : place, step));
  }
  set_phase_condition(kernels, p, states.front(), result.mesh);
  result.mesh.held_at = translations.drift(states.front());
  result.u = joined(states, result.mesh, guess.duration);
  return result;
}

ShootingStart remeshed(const Shooting& shooting, const Vector& u, const ParameterPoint& p, const ShootingValue& value,
                       std::size_t segments) {
  const ShootingMesh& old = shooting.mesh();
  const double period = shooting.period(u, p);
  std::vector<double> events;
  for (std::size_t i = 0; i < value.arcs.size(); ++i)
    for (const Event& event : value.arcs[i].events) events.push_back(fraction(old.nodes[i].place + event.t / period));
  ShootingStart result;
  result.mesh = old;
  result.mesh.gain = value.gain;
  result.mesh.nodes.clear();
  std::vector<Vector> states;
  for (const double place : places_away_from(events, segments)) {
    // The last node at or before the place; places before the first node belong to the last segment, a period later.
    const bool wraps = place < old.nodes.front().place;
    const double target = wraps ? place + 1.0 : place;
    std::size_t i = old.nodes.size() - 1;
    while (old.nodes[i].place > target) --i;
    const double unit = old.autonomous() ? period : static_cast<double>(old.periods);
    const ShootingNode& from = old.nodes[i];
    const double phase = old.autonomous() ? 0.0 : fraction(unit * from.place);
    const Arc step = arc(shooting.kernels(), shooting.options(), p,
                         {shooting.state(u, i), phase, from.mode, from.fastest}, unit * (target - from.place));
    if (!step.whole()) {
      result.stopped = step;
      return result;
    }
    states.push_back(wraps ? Vector(step.x - value.gain) : step.x);
    result.mesh.nodes.push_back(node_at(place, step));
  }
  set_phase_condition(shooting.kernels(), p, states.front(), result.mesh);
  result.mesh.held_at = old.translations.drift(states.front());
  result.u = joined(states, result.mesh, period);
  return result;
}

bool modes_agree(const ShootingMesh& mesh, const ShootingValue& value) {
  for (std::size_t i = 0; i < value.arcs.size(); ++i)
    if (!(value.arcs[i].end.mode == mesh.nodes[(i + 1) % mesh.nodes.size()].mode)) return false;
  return true;
}

std::vector<Event> orbit_events(const ShootingValue& value) {
  std::vector<Event> events;
  double t = 0.0;
  for (const Arc& arc : value.arcs) {
    for (Event event : arc.events) {
      event.t += t;
      events.push_back(std::move(event));
    }
    t += arc.duration;
  }
  return events;
}

TangentFactor tangent_factor(const Arc& arc) {
  const bool held = arc.start_mode.lost_directions() + arc.end.mode.lost_directions() > 0;
  const bool stops = std::any_of(arc.events.begin(), arc.events.end(), [](const Event& event) {
    const bool without_rebound = event.kind == EventKind::impact && event.gamma_plus == 0.0;
    return event.kind == EventKind::slide_start || event.kind == EventKind::filippov_start || without_rebound;
  });
  return {arc.dx_dx, held || stops};
}

std::vector<Multiplier> orbit_multipliers(const ShootingMesh& mesh, const ShootingValue& value) {
  std::vector<TangentFactor> factors;
  for (const Arc& arc : value.arcs) factors.push_back(tangent_factor(arc));
  std::vector<Multiplier> found = multipliers(factors);
  mark_trivial(found, mesh.autonomous(), mesh.translations.drifts());
  return found;
}

// ---- Newton ---------------------------------------------------------------------------------------------------------

std::string_view name_of(ShootingEnd end) {
  switch (end) {
    case ShootingEnd::converged: return "converged";
    case ShootingEnd::not_converged: return "not_converged";
    case ShootingEnd::sequence_changed: return "sequence_changed";
    case ShootingEnd::motion_stopped: return "motion_stopped";
    case ShootingEnd::penetrated: return "penetrated";
    case ShootingEnd::singular: return "singular";
    case ShootingEnd::collapsed: return "collapsed";
    case ShootingEnd::interrupted: return "interrupted";
  }
  return "";
}

namespace {

class Newton {
 public:
  Newton(const Kernels& kernels, const FlowOptions& options, const ParameterPoint& p, const NewtonOptions& newton)
      : kernels_(kernels), options_(options), p_(p), newton_(newton) {}

  ShootingResult operator()(const ShootingStart& start) {
    if (start.stopped) {
      result_.mesh = start.mesh;
      result_.value.arcs = {*start.stopped};
      result_.value.stopped = 0;
      return finished(ShootingEnd::motion_stopped);
    }
    if (const auto failed = begin(start)) return finished(*failed);
    first_period_ = shooting_->period(result_.u, p_);
    bound_trials();
    for (int i = 0; i < newton_.most_iterations; ++i) {
      if (newton_.interrupted && newton_.interrupted()) return finished(ShootingEnd::interrupted);
      const bool small = result_.value.error <= newton_.tolerance;
      if (small && modes_agree(result_.mesh, result_.value)) {
        polish();
        result_.mesh.gain = result_.value.gain;
        return finished(moves() ? ShootingEnd::converged : ShootingEnd::collapsed);
      }
      if (small || !step()) {
        // At the solution, or where no step helps, a mesh whose modes are not those of the motion is to blame.
        if (modes_agree(result_.mesh, result_.value) || ++meshes_ > most_meshes) return finished(failure());
        if (newton_.interrupted && newton_.interrupted()) return finished(ShootingEnd::interrupted);
        if (const auto failed = begin(remeshed(*shooting_, result_.u, p_, result_.value, result_.mesh.nodes.size())))
          return finished(*failed);
      }
    }
    return finished(failure());
  }

 private:
  ShootingResult finished(ShootingEnd end) {
    result_.end = end;
    return std::move(result_);
  }

  /// Takes a mesh and its unknowns; what is wrong with it.
  std::optional<ShootingEnd> begin(const ShootingStart& start) {
    result_.mesh = start.mesh;
    if (start.stopped) return ShootingEnd::motion_stopped;
    shooting_.emplace(kernels_, options_, start.mesh);
    result_.u = start.u;
    result_.value = (*shooting_)(start.u, p_);
    if (result_.value.penetrated) return ShootingEnd::penetrated;
    if (result_.value.stopped) return ShootingEnd::motion_stopped;
    note(0.0);
    return std::nullopt;
  }

  void bound_trials() {
    long steps = 0;
    for (const Arc& arc : result_.value.arcs) steps += arc.ledger.steps;
    options_.most_steps = std::min(options_.most_steps, always_allowed + most_times_the_guess * steps);
    shooting_.emplace(kernels_, options_, result_.mesh);
  }

  void note(double damping) {
    result_.steps.push_back({result_.value.error, damping, event_sequence(orbit_events(result_.value))});
  }

  /// One damped step; false if none is an improvement.
  bool step() {
    const Vector unit = units();
    const Vector row_unit = row_units(unit);
    const LuFactors lu(row_unit.cwiseInverse().asDiagonal() * result_.value.jacobian * unit.asDiagonal());
    const double rcond = lu.rcond();
    result_.condition = 1.0 / rcond;
    const Vector delta = -lu.solve(result_.value.residual.cwiseQuotient(row_unit));
    // Singular within the accuracy of the tangent; or all of it is rounding, and the step leads to nowhere.
    singular_ =
        !(rcond > smallest_rcond) || !(delta.norm() < longest_step * (1.0 + result_.u.cwiseQuotient(unit).norm()));
    if (singular_) return false;
    for (double damping = 1.0; damping >= newton_.least_damping; damping *= 0.5) {
      if (newton_.interrupted && newton_.interrupted()) return false;
      const Vector u = result_.u + damping * delta.cwiseProduct(unit);
      if (shooting_->mesh().autonomous() && !(u[u.size() - 1] > shortest_part * first_period_)) {
        collapses_ = true;
        continue;
      }
      collapses_ = false;
      ShootingValue value = (*shooting_)(u, p_);
      if (!value.whole()) continue;
      const double next = lu.solve(value.residual.cwiseQuotient(row_unit)).norm();
      const bool improves = next <= (1.0 - 0.25 * damping) * delta.norm() || value.error <= newton_.tolerance;
      if (!improves) {
        refused_ = event_sequence(orbit_events(value));
        continue;
      }
      result_.u = u;
      result_.value = std::move(value);
      note(damping);
      return true;
    }
    return false;
  }

  /// One more step at the solution, if it is no worse; and the condition there.
  void polish() {
    const ShootingResult before = result_;
    const double error = result_.value.error;
    // Along a family of orbits (a multiplier 1) a step leads anywhere: only a small one is wanted.
    const bool better = step() && result_.value.error <= error && modes_agree(result_.mesh, result_.value);
    const Vector unit = units();
    const double moved = (result_.u - before.u).cwiseQuotient(unit).norm();
    if (better && moved <= 1e-6 * (1.0 + before.u.cwiseQuotient(unit).norm())) return;
    const double condition = result_.condition;
    result_ = before;
    result_.condition = condition;
  }

  /// An autonomous orbit is more than a point: at some node there is a speed.
  bool moves() const {
    if (!result_.mesh.autonomous()) return true;
    double longest = 0.0;  // in units of the components
    for (const Arc& arc : result_.value.arcs)
      longest = std::max(longest, arc.duration * arc.F_start.cwiseQuotient(result_.mesh.sizes).cwiseAbs().maxCoeff());
    return longest > shortest_motion;
  }

  /// Of the unknowns: sizes of the components at each node, and the period.
  Vector units() const {
    Vector unit(result_.u.size());
    const Vector& sizes = result_.mesh.sizes;
    for (Index i = 0; i < index(result_.mesh.nodes.size()); ++i) unit.segment(i * sizes.size(), sizes.size()) = sizes;
    if (result_.mesh.autonomous()) unit[unit.size() - 1] = first_period_;
    return unit;
  }
  /// Of the conditions: the same, but for the phase condition, which has none.
  Vector row_units(Vector unit) const {
    if (result_.mesh.autonomous()) unit[unit.size() - 1] = 1.0;
    return unit;
  }

  ShootingEnd failure() const {
    if (collapses_) return ShootingEnd::collapsed;
    if (singular_) return ShootingEnd::singular;
    constexpr std::size_t last = 3;
    const std::vector<NewtonStep>& steps = result_.steps;
    bool changed = refused_ && !same_cycle(*refused_, steps.back().sequence);
    for (std::size_t i = steps.size() > last ? steps.size() - last : 1; i < steps.size(); ++i)
      changed = changed || !same_cycle(steps[i].sequence, steps[i - 1].sequence);
    return changed ? ShootingEnd::sequence_changed : ShootingEnd::not_converged;
  }

  const Kernels& kernels_;
  FlowOptions options_;
  const ParameterPoint& p_;
  const NewtonOptions& newton_;
  std::optional<Shooting> shooting_;
  std::optional<EventSequence> refused_;
  ShootingResult result_;
  int meshes_ = 0;
  bool singular_ = false;
  bool collapses_ = false;
  double first_period_ = 0.0;
};

}  // namespace

ShootingResult solve_shooting(const Kernels& kernels, const FlowOptions& options, const ParameterPoint& p,
                              const ShootingStart& start, const NewtonOptions& newton) {
  return Newton(kernels, options, p, newton)(start);
}

}  // namespace saltus
