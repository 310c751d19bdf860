#include <fmt/format.h>

#include "saltus/base/setting.hpp"
#include "saltus/base/text.hpp"
#include "saltus/driver/numbers.hpp"
#include "saltus/driver/orbit.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

std::string point_line(const OrbitResult& result, const Vector& u) {
  const std::vector<std::string> names = result.prepared.model->component_names();
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < names.size() && index(i) < u.size(); ++i)
    parts.push_back(fmt::format("{} = {}", names[i], six_digits(u[index(i)])));
  return listed(parts);
}

std::string last_point(const OrbitResult& result) {
  const ShootingResult& shooting = result.search.shooting;
  const std::size_t steps = shooting.steps.size();
  if (steps == 0) return "";
  return fmt::format("\n  after {} the motion misses its start by {}; the last point: {}",
                     counted(static_cast<long>(steps) - 1, "step", "steps"), six_digits(shooting.steps.back().error),
                     point_line(result, result.search.last));
}

/// The two sequences that Newton cannot decide between.
std::string changing_sequences(const OrbitResult& result) {
  const Model& model = *result.prepared.model;
  const std::vector<NewtonStep>& steps = result.search.shooting.steps;
  for (std::size_t i = steps.size(); i-- > 1;)
    if (!same_cycle(steps[i].sequence, steps[i - 1].sequence))
      return fmt::format(": '{}' before, '{}' after", sequence_text(steps[i - 1].sequence, model),
                         sequence_text(steps[i].sequence, model));
  if (steps.empty()) return "";
  return fmt::format(" beside '{}'", sequence_text(steps.back().sequence, model));
}

const char* const remedy =
    "\n  start nearer to an orbit (⟨transient⟩ N, ⟨set⟩ NAME=VALUE), cut it into more ⟨segments⟩, or try random "
    "⟨starts⟩";

std::string shooting_message(const OrbitResult& result) {
  const ShootingResult& shooting = result.search.shooting;
  switch (shooting.end) {
    case ShootingEnd::converged: return "";
    case ShootingEnd::interrupted: return "interrupted" + last_point(result);
    case ShootingEnd::not_converged: return "Newton's iteration does not converge" + last_point(result) + remedy;
    case ShootingEnd::sequence_changed:
      return "the sequence of events changes during Newton's iteration" + changing_sequences(result) +
             last_point(result) +
             "\n  the orbit may graze here: change a parameter a little, start nearer to it (⟨transient⟩ N, ⟨set⟩ "
             "NAME=VALUE), or follow it there with saltus continue";
    case ShootingEnd::singular:
      return "the Jacobian is singular" + last_point(result) +
             "\n  orbits are not isolated here (an equilibrium, a family, a fold): change a parameter, or ⟨set⟩ "
             "another "
             "start";
    case ShootingEnd::collapsed:
      return "Newton's iteration leads to a motion of no length: an equilibrium, or a period of zero" +
             last_point(result) + remedy;
    case ShootingEnd::penetrated:
      return "the guess lies inside an obstacle\n  ⟨set⟩ another start, or use ⟨transient⟩ N";
    case ShootingEnd::motion_stopped: break;
  }
  return "";
}

std::string elements_message(const OrbitResult& result) {
  const TimeElementOrbit& last = result.element_orbit;
  if (last.end == TimeElementEnd::singular)
    return fmt::format(
        "the tangent matrix is singular: nothing decides where '{0}' is\n"
        "  it stays for the whole period where no force depends on it, inside a clearance perhaps\n"
        "  give it a little stiffness there, or start from a motion in which it leaves the clearance (⟨transient⟩ N, "
        "⟨set⟩ {0}=VALUE)",
        result.prepared.model->coordinates[last.undetermined.value_or(0)]);
  return fmt::format(
      "Newton's iteration on {} does not converge\n  after {} the residual is {} of its largest term\n"
      "  start nearer to an orbit (⟨transient⟩ N, ⟨set⟩ NAME=VALUE), or take more ⟨elements⟩",
      counted(static_cast<long>(result.elements->options().elements), "element", "elements"),
      counted(last.iterations, "iteration", "iterations"), six_digits(last.residual));
}

std::string stopped_message(const OrbitResult& result, const Arc& arc) {
  if (arc.missed)
    return fmt::format(
        "{}: no orbit found: the section was not met within t = {}: {}\n"
        "  ⟨set⟩ another start, or choose another surface with ⟨surface⟩ EXPRESSION\n",
        result.prepared.file, six_digits(arc.duration), result.section);
  return stop_message(result.prepared, {arc, arc.duration, arc.end});
}

std::string stop_words(const OrbitResult& result) {
  if (result.interrupted && !is_single(result)) return "interrupted; the orbits found so far are kept\n";
  if (!result.orbits.empty()) return "";
  if (!is_single(result))
    return fmt::format(
        "{}: no orbit of period up to {} found from {}\n"
        "  try more ⟨starts⟩, a wider ⟨spread⟩, a longer ⟨transient⟩ or a longer ⟨period⟩\n",
        result.prepared.file, result.request.period, counted(static_cast<long>(result.tried), "start", "starts"));
  if (result.stopped) return stopped_message(result, *result.stopped);
  if (result.elements && result.interrupted) return "interrupted\n";
  if (result.elements) return fmt::format("{}: no orbit found: {}\n", result.prepared.file, elements_message(result));
  const ShootingResult& shooting = result.search.shooting;
  if (shooting.end == ShootingEnd::motion_stopped && !shooting.value.arcs.empty())
    return stopped_message(result, shooting.value.arcs.back());
  return fmt::format("{}: no orbit found: {}\n", result.prepared.file, shooting_message(result));
}

}  // namespace

std::string stop_message(const OrbitResult& result) { return said(stop_words(result)); }

ExitCode exit_code(const OrbitResult& result) {
  if (result.interrupted) return ExitCode::interrupted;
  return result.orbits.empty() ? ExitCode::stopped_early : ExitCode::done;
}

}  // namespace saltus
