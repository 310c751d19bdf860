#include "saltus/driver/continuation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "saltus/analysis/motions/drifting_amplitude.hpp"
#include "saltus/analysis/orbits/orbit_path.hpp"
#include "saltus/base/text.hpp"
#include "saltus/driver/continuation_start.hpp"
#include "saltus/driver/continuation_wishes.hpp"
#include "saltus/driver/extreme.hpp"
#include "saltus/driver/flow_settings.hpp"
#include "saltus/driver/option_expression.hpp"
#include "saltus/driver/request_options.hpp"
#include "saltus/driver/request_recipe.hpp"
#include "saltus/driver/start_warnings.hpp"
#include "saltus/driver/starts.hpp"
#include "saltus/driver/sweep_request.hpp"
#include "saltus/driver/time_dependence.hpp"

namespace saltus {
namespace {

/// Branches are followed with tighter tolerances than motions: special points are located to 1e-9.
FlowOptions continuation_options(const PreparedModel& prepared, const ContinueRequest& request) {
  FlowOptions options = flow_options(prepared, request.options, request.method);
  // A chatter that is no longer completed beyond a point of the branch is followed by steps only.
  if (options.method == FlowMethod::automatic && !prepared.model->contacts.empty())
    options.method = FlowMethod::runge_kutta;
  if (!request.options.rtol) options.rtol = std::min(options.rtol, 1e-12);
  if (!request.options.atol) options.atol = std::min(options.atol, 1e-13);
  options.tangent_rtol = std::min(options.tangent_rtol, std::max(options.rtol, 1e-12));
  options.interrupted = request.interrupted;
  return options;
}

WhichSection section_of(const ContinueRequest& request) { return {request.surface, {}, request.modulo}; }

BranchOptions branch_options(const ContinueRequest& request, const Model& model, const VariedRange& range) {
  BranchOptions options;
  options.direction = request.direction;
  options.curve.lower = std::min(range.from, range.to);
  options.curve.upper = std::max(range.from, range.to);
  options.curve.largest_step = request.largest_step;
  options.curve.first_step = std::min(options.curve.first_step, request.largest_step);
  options.curve.most_points = request.most_points;
  options.curve.family = request.family || (!request.fix.empty() && request.fix != "period");
  options.longest = request.longest;
  options.curve.interrupted = request.interrupted;
  options.progress = request.progress;
  options.names = event_names(model);
  return options;
}

/// Kernels with the columns of these parameters, unless there are some already; the first of --vary stands last.
Workshop workshop(const ContinueResult& result, std::size_t varied, std::shared_ptr<const Kernels> kernels = {}) {
  const ContinueRequest& request = result.request;
  const Model& model = *result.prepared.model;
  Workshop shop;
  KernelOptions wanted;
  for (std::size_t i = varied; i-- > 0;) wanted.varied.push_back(result.ranges[i].index);
  wanted.followed = followed_parameters(model, request.case_name, request.assignments, wanted.varied);
  require_surface(section_of(request));
  ReturnPlace place;
  if (result.prepared.setup.forcing_period == 0.0) {
    const auto surface = motion_surface(section_of(request), result.prepared);
    if (!surface)
      throw usage("the model has neither [forcing] nor [section], so returns cannot be counted\n  add ⟨surface⟩ EXPR");
    wanted.surfaces = {surface->expr};
    place.section = surface->watch;
    if (const auto fixed = fixed_quantity(request, result.prepared)) wanted.surfaces.push_back(fixed->expr);
  }
  const auto extreme = extreme_in(result.observed_name);
  shop.observed = std::make_unique<ObservedQuantity>(
      option_expression("⟨observe⟩", extreme ? extreme->of : result.observed_name, model), model);
  wanted.observables = shop.observed->observables();
  shop.kernels = kernels ? std::move(kernels) : std::make_shared<const Kernels>(model, wanted);
  shop.rates =
      std::make_unique<ParameterRates>(result.prepared.model, shop.kernels->layout(), result.prepared.setup.parameters);
  shop.system = std::make_unique<OrbitSystem>(OrbitSystem{*shop.kernels, result.options, *shop.rates, place});
  shop.components = model.component_names();
  shop.options = branch_options(request, model, result.ranges.front());
  if (varied == result.ranges.size()) {  // not of the branch on which a special point is looked for
    shop.options.curve.marks = wanted_marks(result);
    shop.options.stops = wanted_stops(request.stops);
  }
  return shop;
}

const StoredOrbit& chosen(const StoredOrbits& stored, const std::string& point, const std::string& file) {
  std::vector<std::string> labels;
  for (const StoredOrbit& orbit : stored.orbits)
    if (!orbit.label.empty()) labels.push_back(orbit.label);
  if (point.empty() && stored.orbits.size() == 1) return stored.orbits.front();
  if (point.empty())
    throw usage(fmt::format("'{}' holds {} orbits\n  choose one with ⟨point⟩: a label{} or a number from 1 to {}",
                            printable(file), stored.orbits.size(),
                            labels.empty() ? "" : fmt::format(" ({})", listed(labels)), stored.orbits.size()));
  for (const StoredOrbit& orbit : stored.orbits)
    if (orbit.label == point) return orbit;
  char* end = nullptr;
  const long number = std::strtol(point.c_str(), &end, 10);
  if (*end == '\0' && number >= 1 && static_cast<std::size_t>(number) <= stored.orbits.size())
    return stored.orbits[static_cast<std::size_t>(number - 1)];
  throw usage(fmt::format("'{}' has no point '{}'\n  expected a label{} or a number from 1 to {}", printable(file),
                          printable(point), labels.empty() ? "" : fmt::format(" ({})", listed(labels)),
                          stored.orbits.size()));
}

/// The values of the varied parameters where the stored orbit is; those that the file did not vary as now.
std::vector<double> values_at(const ContinueResult& result, const StoredOrbit& stored, const Workshop& shop) {
  std::vector<double> values = shop.rates->start();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string& name = result.ranges[values.size() - 1 - i].name;
    for (std::size_t k = 0; k < stored.names.size() && k < stored.varied.size(); ++k)
      if (stored.names[k] == name) values[i] = stored.varied[k];
  }
  return values;
}

BranchPoint stored_point(const ContinueResult& result, const StoredOrbit& stored, const Workshop& shop) {
  BranchPoint point;
  point.label = stored.label;
  point.special = kind_of_label(stored.label);
  if (is_ordinary(point.special)) point.special = SpecialKind::none;
  const std::vector<double> values = values_at(result, stored, shop);
  require_fitting(stored, *result.prepared.model);
  if (is_equilibrium(point.special))
    throw usage(fmt::format("{} is an equilibrium, no orbit\n  begin with another point of the file", stored.label));
  if (stored.orbit) {
    point.orbit = *stored.orbit;
    point.orbit.varied = values;
    point.orbit.plan.translations = translations_of(*shop.kernels, shop.rates->at(values).inputs);  // not in the file
  } else {
    point.orbit = read_orbit(shop, values, stored, "the stored orbit");
  }
  point.parameter = point.orbit.varied.back();
  point.returns = {stored.x};
  return point;
}

void require_inside(const VariedRange& range, double value) {
  if (value >= std::min(range.from, range.to) && value <= std::max(range.from, range.to)) return;
  throw usage(fmt::format("the branch begins at {} = {}, outside of ⟨vary⟩ {}={}:{}\n  widen the interval, or ⟨set⟩ {}",
                          range.name, six_digits(value), range.name, shortest(range.from), shortest(range.to),
                          range.name));
}

const BranchPoint& labelled(const Branch& branch, const std::string& label) {
  std::vector<std::string> labels;
  for (const BranchPoint& point : branch.points) {
    if (point.label == label) return point;
    if (!point.label.empty()) labels.push_back(point.label);
  }
  throw usage(fmt::format("the branch has no point '{}'\n  {}", printable(label),
                          labels.empty() ? "it has no special points" : "its special points: " + listed(labels, 30)));
}

void require_switchable(const BranchPoint& point) {
  if (point.special == SpecialKind::period_doubling || point.special == SpecialKind::branch_point) return;
  throw usage(fmt::format("no other branch begins at {}\n  branches can be changed at PD and BP", point.label));
}

/// The point of the file with which the branch begins. With a branch's file, the first --switch names one.
const StoredOrbit& first_point(const ContinueRequest& request, const StoredOrbits& stored) {
  const bool from_label = request.point.empty() && !request.switches.empty() && stored.orbits.size() > 1;
  return chosen(stored, from_label ? request.switches.front() : request.point, request.from);
}

/// The file's case and settings, and what its branch varied with the value it has at the chosen point, stand before those of
/// the command line.
ContinueRequest with_stored(const ContinueRequest& request, const StoredOrbits& stored) {
  ContinueRequest whole = request;
  if (whole.case_name.empty()) whole.case_name = stored.case_name;
  std::vector<Assignment> all = stored.assignments;
  const auto set_before = [&](const std::string& name) {
    return std::any_of(request.assignments.begin(), request.assignments.end(),
                       [&](const Assignment& each) { return each.name == name; });
  };
  std::erase_if(all, [&](const Assignment& each) { return set_before(each.name); });  // a recipe sets each once
  const StoredOrbit& first = first_point(request, stored);
  for (std::size_t k = 0; k < first.names.size() && k < first.varied.size(); ++k) {
    std::erase_if(all, [&](const Assignment& each) { return each.name == first.names[k]; });
    if (!set_before(first.names[k])) all.push_back({first.names[k], shortest(first.varied[k])});
  }
  all.insert(all.end(), request.assignments.begin(), request.assignments.end());
  whole.assignments = all;
  return whole;
}

/// The branch in the first parameter: from a file's point, through the motion's orbit, over all --switch.
Branch branch_in_one(const ContinueResult& result, const Workshop& shop, const StoredOrbits& stored) {
  const ContinueRequest& request = result.request;
  std::vector<std::string> switches = request.switches;
  Branch branch;
  if (!request.from.empty()) {
    const StoredOrbit& first = first_point(request, stored);
    BranchPoint point = stored_point(result, first, shop);
    require_inside(result.ranges.front(), point.parameter);
    const bool leaves = request.point.empty() && !switches.empty() && stored.orbits.size() > 1;
    if (!is_solution(shop, point.orbit)) {
      if (leaves)
        throw usage(
            fmt::format("{} of the file is no special orbit at these values of the parameters\n"
                        "  follow the branch at them first",
                        printable(point.label)));
      point.orbit = solved_anew(shop, point.orbit, point.label, first.returns);
      point.special = SpecialKind::none;
    }
    if (leaves) {
      switches.erase(switches.begin());
      require_switchable(point);
      branch = switched_branch(*shop.system, point, shop.options);
    } else {
      branch = branch_through(*shop.system, point, shop.options);
    }
  } else {
    require_inside(result.ranges.front(), shop.rates->start().back());
    branch = branch_through(*shop.system, orbit_of_motion(result, shop), shop.options);
  }
  for (const std::string& label : switches) {
    const BranchPoint point = labelled(branch, label);
    require_switchable(point);
    branch = switched_branch(*shop.system, point, shop.options);
  }
  return branch;
}

/// The special point from which a curve in two parameters begins.
BranchPoint special_point(const ContinueResult& result, const StoredOrbits& stored) {
  const ContinueRequest& request = result.request;
  const Workshop shop = workshop(result, 1);
  if (!request.from.empty() && stored.orbits.size() > 1)
    return stored_point(result, chosen(stored, request.point, request.from), shop);
  return labelled(branch_in_one(result, shop, stored), request.point);
}

/// Bounds of the parameter that was varied second, whose value now lies between them.
SecondBounds second_bounds(const ContinueResult& result, const Workshop& shop) {
  const VariedRange& second = result.ranges[1];
  require_inside(second, shop.rates->start().front());
  return {std::min(second.from, second.to), std::max(second.from, second.to)};
}

/// Orbits that have something in common with the first one: how long they last, or a quantity that their motions keep.
Branch held_curve(const ContinueResult& result, const StoredOrbits& stored) {
  const ContinueRequest& request = result.request;
  if (result.prepared.setup.forcing_period > 0.0)
    throw usage(request.fix == "period"
                    ? "⟨fix⟩ period: a forced orbit has the period of its forcing\n  leave it out, or vary the forcing"
                    : "⟨fix⟩: forcing does work, and keeps no quantity of the state\n  leave it out");
  const Workshop one = workshop(result, 1);
  PlannedOrbit orbit = request.from.empty() ? orbit_of_motion(result, one)
                                            : stored_point(result, first_point(request, stored), one).orbit;
  require_inside(result.ranges.front(), orbit.varied.back());
  const Workshop shop = workshop(result, 2);
  if (orbit.varied.size() == 1) orbit.varied.insert(orbit.varied.begin(), shop.rates->start().front());
  const SecondBounds bounds = second_bounds(result, shop);
  const auto fixed = fixed_quantity(request, result.prepared);
  return fixed ? level_curve(*shop.system, orbit, shop.options, bounds, fixed->held)
               : period_curve(*shop.system, orbit, shop.options, bounds);
}

void require_curve(const BranchPoint& point, const std::string& name) {
  const char* const where = "curves in two parameters are followed from LP, BP, PD, NS, GR and SL";
  if (is_equilibrium(point.special))
    throw usage(fmt::format("{} is an equilibrium, no orbit: its curve is not followed\n  {}", printable(name), where));
  if (is_ordinary(point.special))
    throw usage(fmt::format("nothing is special at {}: no curve begins there\n  {}", printable(name), where));
}

Branch curve_in_two(const ContinueResult& result, const StoredOrbits& stored) {
  if (!result.request.fix.empty()) return held_curve(result, stored);
  if (result.request.point.empty())
    throw usage("two parameters are varied, but no special point is named\n  add ⟨point⟩ LABEL, such as ⟨point⟩ PD1");
  BranchPoint point = special_point(result, stored);
  require_curve(point, result.request.point);
  const Workshop shop = workshop(result, 2);
  if (point.orbit.varied.size() == 1)
    point.orbit.varied.insert(point.orbit.varied.begin(), shop.rates->start().front());
  return special_curve(*shop.system, point, shop.options, second_bounds(result, shop));
}

/// The state where a search ended, in place of a branch.
Branch only_point(const NoFirstOrbit& none, const std::vector<double>& start) {
  BranchPoint point;
  point.orbit.varied = start;
  point.orbit.varied.back() = point.parameter = none.parameter;
  point.period = std::nan("");
  point.returns.assign(static_cast<std::size_t>(none.returns), none.x);
  Branch branch;
  branch.points = {point};
  branch.sequences = {"not known"};
  branch.ends = {{CurveEnd::no_convergence, none.message.substr(0, none.message.find('\n'))}};
  return branch;
}

/// What is observed, along the orbit that was computed. Not numbers if there is none.
Amplitudes amplitudes_over(const BranchPoint& point, const Workshop& shop) {
  constexpr double no = std::numeric_limits<double>::quiet_NaN();
  if (point.orbit.x.empty()) return {no, no, no, no, no};
  const ParameterPoint p = shop.rates->at(point.orbit.varied);
  // Angles that segments turned back go on here.
  PlannedOrbit orbit = point.orbit;
  Vector shift = Vector::Zero(orbit.x.front().size());
  for (std::size_t i = 0; i < orbit.x.size(); ++i) {
    orbit.x[i] += shift;
    if (orbit.plan.segments[i].shift.size() > 0) shift += orbit.plan.segments[i].shift;
  }
  for (const auto& [component, gain] : point.drift) shift[static_cast<Eigen::Index>(component)] += gain;
  const auto go_round = [&](PathFollower& follower) { return follow_orbit(*shop.system, orbit, follower); };
  return amplitudes_of_period(*shop.kernels, p.inputs, *shop.observed, orbit.t, orbit.x.front(), shift, go_round)
      .value_or(Amplitudes{no, no, no, no, no});
}

std::vector<std::vector<double>> observed_at(const ContinueResult& result, const Workshop& shop) {
  const auto extreme = extreme_in(result.observed_name);
  std::vector<std::vector<double>> values;
  for (const BranchPoint& point : result.branch.points) {
    if (extreme) {
      values.push_back({extreme->value_in(amplitudes_over(point, shop))});
      continue;
    }
    const ParameterPoint p = shop.rates->at(point.orbit.varied);
    const Mechanism mechanism(*shop.kernels, p.inputs);
    values.emplace_back();
    for (const Vector& x : point.returns) values.back().push_back(mechanism.observe(0.0, x)[0]);
  }
  return values;
}

void require_sensible(const ContinueRequest& request) {
  require_valid(request);
  if (!request.fix.empty() && request.vary.size() != 2)
    throw usage(fmt::format("⟨fix⟩ '{}': expected ⟨fix⟩ period with two ⟨vary⟩ name=from:to, or ⟨fix⟩ EXPR=VALUE",
                            printable(request.fix)));
}

void require_uninterrupted(const ContinueRequest& request) {
  if (request.interrupted && request.interrupted())
    throw Error(ExitCode::interrupted, "interrupted before the branch began: nothing is stored");
}

/// What is observed and, if wanted, amplitudes of every orbit. A branch is marked as a part if they are.
void measure(ContinueResult& result, const Workshop& shop) {
  const auto& interrupted = result.request.interrupted;
  const bool before = interrupted && interrupted();
  result.observed = observed_at(result, shop);
  if (result.request.measures)
    for (const BranchPoint& point : result.branch.points) result.amplitudes.push_back(amplitudes_over(point, shop));
  const bool measured = extreme_in(result.observed_name) || result.request.measures;
  if (!before && measured && interrupted && interrupted())
    for (BranchEnd& end : result.branch.ends) end = {CurveEnd::interrupted, ""};
}

/// A file's case and settings, for a model that is read.
void take_settings(ContinueResult& result, const StoredOrbits& stored) {
  result.request = with_stored(result.request, stored);
  result.prepared.case_name = result.request.case_name;
  SetupReading reading = set_up(*result.prepared.model, result.request.case_name, result.request.assignments);
  if (!reading.setup) throw ModelError(ExitCode::usage, std::move(reading.diagnostics));
  result.prepared.setup = std::move(*reading.setup);
  if (stored.warning) result.prepared.warnings.push_back(*stored.warning);
}

void require_orbits(const PreparedModel& prepared) {
  if (is_hill(prepared)) throw usage("a Hill equation has no orbits to continue\n  use: saltus hill");
}

ContinueResult branch_of(ContinueResult result, const StoredOrbits& stored, std::shared_ptr<const Kernels>& kernels) {
  const ContinueRequest& whole = result.request;
  const Model& model = *result.prepared.model;
  result.observed_name = whole.observe.empty() ? model.component_names().front() : whole.observe;
  result.options = continuation_options(result.prepared, whole);
  result.recipe = sweep_recipe("continue", whole, result.prepared, result.options);
  if (result.prepared.setup.forcing_period == 0.0)
    if (const auto surface = motion_surface(section_of(whole), result.prepared)) result.section = surface->text;
  const Workshop shop = workshop(result, result.ranges.size(), kernels);
  kernels = shop.kernels;
  if (whole.from.empty())
    warn_of_start(result.prepared.warnings, *shop.kernels, *result.prepared.model, initial_state(result.prepared),
                  shop.rates->at_start().inputs);
  try {
    result.branch = result.ranges.size() == 1 ? branch_in_one(result, shop, stored) : curve_in_two(result, stored);
  } catch (const NoFirstOrbit& none) {
    require_uninterrupted(whole);  // else motions that ended early are to blame
    result.missing = none.message;
    result.branch =
        only_point(none, result.ranges.size() == 1 ? shop.rates->start() : workshop(result, 1).rates->start());
  }
  if (result.branch.points.size() <= 1) require_uninterrupted(whole);
  measure(result, shop);
  return result;
}

}  // namespace

ContinueResult continued(ContinueResult begun, std::shared_ptr<const Kernels>& kernels) {
  require_sensible(begun.request);
  return branch_of(std::move(begun), {}, kernels);
}

ContinueResult continued_from_file(ContinueResult begun) {
  require_sensible(begun.request);
  const StoredOrbits stored =
      read_orbits(begun.request.from, *begun.prepared.model, begun.prepared.setup.forcing_period);
  take_settings(begun, stored);
  std::shared_ptr<const Kernels> kernels;
  return branch_of(std::move(begun), stored, kernels);
}

ContinueResult run(const ContinueRequest& request) {
  ContinueResult result{.prepared = prepared(request), .request = request};
  require_orbits(result.prepared);
  StoredOrbits stored;
  if (!request.from.empty()) {
    stored = read_orbits(request.from, *result.prepared.model, result.prepared.setup.forcing_period);
    take_settings(result, stored);
  }
  require_repeating(result.prepared);
  const std::vector<std::string>& vary = result.request.vary;
  if (vary.empty() || vary.size() > 2)
    throw usage("expected one ⟨vary⟩ name=from:to, or two for a curve of special points");
  for (const std::string& text : vary)
    result.ranges.push_back(read_range(text, result.prepared, Varied::parameter, RangeForm::interval));
  require_sensible(result.request);
  std::shared_ptr<const Kernels> kernels;
  return branch_of(std::move(result), stored, kernels);
}

}  // namespace saltus
