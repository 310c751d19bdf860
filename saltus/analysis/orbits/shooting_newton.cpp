#include "saltus/analysis/orbits/shooting_newton.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/numerics/decompositions.hpp"

namespace saltus {
namespace {

constexpr int most_meshes = 6;         // renewed in one solution
constexpr double smallest_rcond = 1e-13;
constexpr double longest_step = 1e6;  // of Newton, relative to the unknowns
constexpr double shortest_part =
    1e-3;     // of the guess: an autonomous orbit of a shorter period is not the one that was meant
constexpr double longest_part = 100.0;  // of the guess: Newton has strayed
constexpr double coarse_growth =
    1e6;    // of disturbances over one segment: beyond, it is cut further where Newton's method fails
constexpr std::size_t finest_mesh = 320;
/// Steps of a trial, in those of the guess: one that needs more has strayed to where the model is stiff, and is refused.
constexpr long most_times_the_guess = 20;
constexpr long always_allowed = 1000;
constexpr double shortest_motion = 1e-10;  // of the states: an orbit that moves less is an equilibrium

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
        // At the solution, or where no step helps, a mesh is to blame whose modes are not those of the motion, or whose segments are too long for it.
        const bool agree = modes_agree(result_.mesh, result_.value);
        const std::size_t segments = result_.mesh.nodes.size();
        const bool coarse = agree && is_coarse() && 2 * segments <= finest_mesh;
        if ((agree && !coarse) || ++meshes_ > most_meshes) return finished(failure());
        if (newton_.interrupted && newton_.interrupted()) return finished(ShootingEnd::interrupted);
        const std::size_t wanted = coarse ? 2 * segments : segments;
        if (const auto failed = begin(remeshed(*shooting_, result_.u, p_, result_.value, wanted)))
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
      const double period = shooting_->mesh().autonomous() ? u[u.size() - 1] : first_period_;
      collapses_ = !(period > shortest_part * first_period_);
      if (collapses_ || !(period < longest_part * first_period_)) continue;
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

  /// Over some segment disturbances grow so much that its end tells little of its start.
  bool is_coarse() const {
    const Vector& sizes = result_.mesh.sizes;
    return std::any_of(result_.value.arcs.begin(), result_.value.arcs.end(), [&](const Arc& arc) {
      return (sizes.cwiseInverse().asDiagonal() * arc.dx_dx * sizes.asDiagonal()).norm() > coarse_growth;
    });
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

ShootingResult solve_shooting(const Kernels& kernels, const FlowOptions& options, const ParameterPoint& p,
                              const ShootingStart& start, const NewtonOptions& newton) {
  return Newton(kernels, options, p, newton)(start);
}

}  // namespace saltus
