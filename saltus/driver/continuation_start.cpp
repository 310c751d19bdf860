#include "saltus/driver/continuation_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/analysis/branches/half_orbit.hpp"
#include "saltus/analysis/motions/section.hpp"
#include "saltus/analysis/motions/translations.hpp"
#include "saltus/base/text.hpp"
#include "saltus/driver/motion_stop.hpp"

namespace saltus {
namespace {

constexpr double closed =
    1e-10;  // an orbit that is not corrected any further although it closes has neighbours that close, too

PlannedOrbit corrected_orbit(const Workshop& shop, const PlannedOrbit& guess, long returns, const std::string& where) {
  const CorrectedOrbit found = nearby_orbit(*shop.system, guess, shop.options.curve);
  if (found.orbit) return *found.orbit;
  std::vector<std::string> last;
  for (Eigen::Index i = 0; i < found.last.size(); ++i)
    last.push_back(fmt::format("{} = {}", shop.components[static_cast<std::size_t>(i)], six_digits(found.last[i])));
  // Where orbits are a family at one value of the parameter, none of them is found there alone.
  const bool fails_so = found.problem.find("singular") != std::string::npos ||
                        found.problem.find("falls into an equilibrium") != std::string::npos || found.residual < closed;
  const bool may_be_family = guess.plan.periods == 0 && fails_so;
  const std::string message = fmt::format(
      "no periodic orbit near {}: {}\n"
      "  the motion misses its start by {}; the last point{}: {}\n"
      "  give a better start: ⟨from⟩ FILE, ⟨set⟩ of the initial state, another ⟨period⟩ or ⟨transient⟩{}",
      where, found.problem, six_digits(found.residual), guess.plan.has_events() ? ", just behind an event" : "",
      listed(last),
      may_be_family ? "\n  of a conservative system, which has a family of orbits at one value: ⟨family⟩" : "");
  throw NoFirstOrbit{message, found.last_return, guess.varied.back(), returns};
}

/// A motion without forcing that comes to rest has no orbit: near its equilibrium it would meet a section there again and again.
void require_motion(const ContinueResult& result, const Workshop& shop, const ParameterPoint& p) {
  if (p.period > 0.0 || result.request.transient == 0.0) return;
  FlowRun run;
  run.start = start_point(*shop.kernels, {}, initial_state(result.prepared), LaneStepper::Carries::state);
  run.parameters = p.inputs;
  run.end = {0, result.request.transient};
  run.keep_events = false;
  run.interrupted = result.request.interrupted;
  const FlowResult motion = flow(*shop.kernels, result.options, run);
  if (motion.outcome != Outcome::reached_end) return;
  const Vector& x = motion.end.x;
  const Vector rate = Mechanism(*shop.kernels, p.inputs).field(0.0, x, motion.end.mode).rate;
  const Vector before = Mechanism(*shop.kernels, p.inputs).field(0.0, run.start.x, run.start.mode).rate;
  if (!(rate.cwiseAbs().maxCoeff() < 1e-9 * before.cwiseAbs().maxCoeff())) return;
  throw NoFirstOrbit{
      "the motion from the initial state comes to rest in an equilibrium\n"
      "  give another initial state, or an orbit found by saltus orbit with ⟨from⟩ FILE",
      x, shop.rates->start().back(), 1};
}

/// Of the section's surface.
double surface_value(const Workshop& shop, const ParameterPoint& p, const Vector& x) {
  const Mechanism mechanism(*shop.kernels, p.inputs);
  const Layout& layout = mechanism.layout();
  const std::size_t row = layout.contacts + layout.switches + shop.system->place.section->surface;
  return mechanism.events(0.0, x, Vector::Zero(x.size())).value[static_cast<Eigen::Index>(row)];
}

/// Whether an orbit without forcing was stored where it meets this section, and not another one: then its returns are counted here.
bool is_on_section(const Workshop& shop, const ParameterPoint& p, const Vector& x) {
  const double modulo = shop.system->place.section->modulo;
  const double s = surface_value(shop, p, x);
  const double a_little = 1e-6 * (1.0 + x.cwiseAbs().maxCoeff());
  return std::abs(modulo > 0.0 ? std::remainder(s, modulo) : s) < a_little;
}

/// The state less the whole turns that its angles have made since the start, if the section does not tell them apart: after a long transient they are large, and rounding with them.
Vector turned_back(const Workshop& shop, const ParameterPoint& p, const Vector& start, const Vector& x) {
  Vector back = x - translations_of(*shop.kernels, p.inputs).turns(x - start);
  if (!shop.system->place.section) return back;
  const double modulo = shop.system->place.section->modulo;
  const double moved = surface_value(shop, p, back) - surface_value(shop, p, x);
  const double apart = modulo > 0.0 ? std::remainder(moved, modulo) : moved;
  return std::abs(apart) < 1e-8 * (1.0 + std::abs(surface_value(shop, p, x))) ? back : x;
}

/// The dense matrix of all unknowns has to fit into memory: 3 GB at this many.
void require_solvable(const Workshop& shop, std::size_t segments, const std::string& where) {
  constexpr std::size_t most_unknowns = 20'000;
  const std::size_t most = std::max<std::size_t>(100, most_unknowns / (shop.components.size() + 1));
  if (segments <= most) return;
  throw usage(
      fmt::format("the motion from {} has {} segments between events; at most {} are solved for together\n"
                  "  begin with an orbit of fewer returns",
                  where, segments, most));
}

}  // namespace

PlannedOrbit read_orbit(const Workshop& shop, const std::vector<double>& varied, const StoredOrbit& start,
                        const std::string& where) {
  const auto& [x, returns] = std::pair(start.x, start.returns);
  const auto reading = [&](const ReturnPlace& place) {
    return read_plan(*shop.kernels, shop.system->options, *shop.rates, varied, x, returns, place);
  };
  const bool has_duration = start.period > 0.0 && shop.system->place.section;
  ReturnPlace anywhere =
      shop.system->place;  // along the branch an orbit may have left its section, or the file has another one
  if (has_duration) anywhere.duration = start.period;
  PlanReading read;
  if (!has_duration || is_on_section(shop, shop.rates->at(varied), x)) read = reading(shop.system->place);
  if (!read.orbit && has_duration)
    if (PlanReading again = reading(anywhere); again.orbit || read.problem.empty()) read = std::move(again);
  if (!read.orbit) {
    std::vector<std::string> names;
    for (const std::size_t contact : read.contacts)
      names.push_back(fmt::format("'{}'", shop.options.names.contacts[contact]));
    throw NoFirstOrbit{fmt::format("the motion from {} cannot be continued with a fixed sequence of events: {}{}\n"
                                   "  choose another start, or another value of a parameter, where it is otherwise; "
                                   "saltus orbit finds single orbits of this kind",
                                   where, read.problem, names.empty() ? "" : fmt::format(" ({})", listed(names))),
                       x, varied.back(), returns};
  }
  require_solvable(shop, read.orbit->plan.segments.size(), where);
  PlannedOrbit orbit = corrected_orbit(shop, *read.orbit, returns, where);
  // A motion that settles in turns looks like an orbit of twice the period long before it is one.
  const auto once = once_round(*shop.system, orbit);
  if (!once) return orbit;
  StoredOrbit shorter;
  shorter.x = once->x;
  shorter.returns = once->returns;
  return read_orbit(shop, varied, shorter, where);
}

bool is_solution(const Workshop& shop, const PlannedOrbit& orbit) {
  constexpr double tolerable = 1e-6;  // of the components' sizes: tolerances may be others than the file's
  const HybridOrbit problem(*shop.system, orbit, Vector::Ones(static_cast<Eigen::Index>(orbit.varied.size())));
  const auto jet = problem.jet(problem.unknowns(orbit));
  return jet && jet->residual.cwiseAbs().maxCoeff() < tolerable;
}

PlannedOrbit solved_anew(const Workshop& shop, const PlannedOrbit& stored, const std::string& label, long returns) {
  return corrected_orbit(shop, stored, returns, fmt::format("the stored orbit {}", printable(label)));
}

PlannedOrbit orbit_of_motion(const ContinueResult& result, const Workshop& shop) {
  const ContinueRequest& request = result.request;
  const double T = result.prepared.setup.forcing_period;
  SectionOptions options;
  options.transient = request.transient;
  options.length = T > 0.0 ? 64.0 * 4.0 : std::max(request.transient, 300.0);
  options.flow = result.options;
  options.interrupted = request.interrupted;
  if (shop.system->place.section) options.place = {SectionPlace::Kind::surface, *shop.system->place.section, 0};
  const ParameterPoint p = shop.rates->at_start();
  require_motion(result, shop, p);
  const SectionPoints points = section_points(*shop.kernels, initial_state(result.prepared), p.inputs, T, options);
  if (request.interrupted && request.interrupted())
    throw Error(ExitCode::interrupted, "interrupted during the transient, before the branch began: nothing is stored");
  const double parameter = shop.rates->start().back();
  const std::optional<std::size_t> seen = points.period ? points.period : points.nearing;
  const bool is_known = !points.points.empty() && (seen || request.period > 0);
  if (points.outcome != Outcome::reached_end && !is_known) {
    const MotionStop stop{points, points.end.t.absolute(T), points.end};
    throw NoFirstOrbit{
        "the motion from the initial state ends before it shows a period\n  " + stop_message(result.prepared, stop),
        points.end.x, parameter, 1};
  }
  if (points.points.empty())
    throw NoFirstOrbit{"the motion never meets its section\n  choose another with ⟨surface⟩",
                       initial_state(result.prepared), parameter, 1};
  if (!seen && request.period == 0)
    throw NoFirstOrbit{
        fmt::format("the motion from the initial state is not periodic after the transient of {} {}\n"
                    "  give ⟨period⟩ K to look for an orbit of K returns near it, a longer ⟨transient⟩, or ⟨from⟩ FILE",
                    six_digits(request.transient), T > 0.0 ? "periods" : "time units"),
        points.points.back().x, parameter, 1};
  const long returns = request.period > 0 ? request.period : static_cast<long>(*seen);
  StoredOrbit start;
  start.x = turned_back(shop, p, initial_state(result.prepared), points.points.back().x);
  start.returns = returns;
  return read_orbit(shop, shop.rates->start(), start, "the end of the transient");
}

}  // namespace saltus
