#include "saltus/driver/diagram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

#include "saltus/analysis/recurrence.hpp"
#include "saltus/base/text.hpp"
#include "saltus/driver/flow_settings.hpp"
#include "saltus/expr/differentiate.hpp"

namespace saltus {
namespace {

Error usage(const std::string& message) { return {ExitCode::usage, message}; }

std::size_t contact_named(const Model& model, const std::string& name) {
  std::vector<std::string> names;
  for (const Contact& contact : model.contacts) names.push_back(contact.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const std::string hint = did_you_mean(name, names);
  throw usage(fmt::format("the model has no contact '{}'\n  expected {}{}", printable(name),
                          names.empty() ? "a model with contacts" : listed(names), hint.empty() ? "" : "\n  " + hint));
}

/// dw/dt along the motion where no acceleration is needed for it.
Expr rate_of(Expr w, const std::string& text, const Model& model) {
  Expr rate = differentiate(w, model.t);
  for (std::size_t i = 0; i < model.q.size(); ++i) {
    if (depends_on(w, model.v[i]))
      throw usage(fmt::format("--extrema of '{}', which depends on velocities\n  expected coordinates, states and time",
                              printable(text)));
    rate = rate + differentiate(w, model.q[i]) * model.v[i];
  }
  for (std::size_t i = 0; i < model.z.size(); ++i) rate = rate + differentiate(w, model.z[i]) * model.rates[i].expr;
  return rate;
}

/// What is looked at and where: settled before anything is computed.
struct Look {
  Recording recording;
  Expr observable;
  std::string observed, place;
  std::vector<Expr> surfaces;
  std::vector<Expr> observables;       // for the kernels: the quantity, and its rate for extrema
  std::optional<std::size_t> coordinate;  // the quantity is this coordinate itself
};

std::string default_observable(const DiagramRequest& request, const PreparedModel& prepared, bool at_surface) {
  const Model& model = *prepared.model;
  if (!request.observe.empty()) return request.observe;
  return at_surface && !request.extrema ? model.coordinates.front() + "'" : model.coordinates.front();
}

void require_one_place(const DiagramRequest& request) {
  const int places =
      (request.at_impacts.empty() ? 0 : 1) + (request.impact_velocity.empty() ? 0 : 1) + (request.extrema ? 1 : 0);
  if (places > 1)
    throw usage("more than one of --at-impacts, --impact-velocity and --extrema is given\n  expected one");
  if (!request.impact_velocity.empty() && !request.observe.empty())
    throw usage("--impact-velocity shows speeds, not --observe\n  use --at-impacts CONTACT with --observe");
}

Look look_of(const DiagramRequest& request, const PreparedModel& prepared,
             const std::optional<MotionSurface>& surface) {
  const Model& model = *prepared.model;
  require_one_place(request);
  Look look;
  if (surface) look.surfaces.push_back(surface->expr);
  const bool forced = prepared.setup.forcing_period > 0.0;
  const bool of_surface = forced && !request.surface.empty();
  const std::string text = default_observable(request, prepared, surface.has_value() || of_surface);
  look.observable = model_expression("--observe", text, model);
  look.observables = {look.observable};
  look.observed = text;
  for (std::size_t i = 0; i < model.q.size(); ++i)
    if (look.observable == model.q[i]) look.coordinate = i;
  using Of = Recording::Of;
  const std::string& contact = request.impact_velocity.empty() ? request.at_impacts : request.impact_velocity;
  if (!contact.empty()) {
    look.recording = {Of::impacts, {}, contact_named(model, contact)};
    look.place = fmt::format("impacts of '{}'", contact);
    if (!request.impact_velocity.empty()) look.observed = fmt::format("approach speed at '{}'", contact);
  } else if (request.extrema) {
    const Expr rate = rate_of(look.observable, text, model);
    look.surfaces.push_back(rate);
    look.observables.push_back(rate);
    look.recording = {Of::turning, {look.surfaces.size() - 1, Crossing::both, 0.0}, {}};
    look.place = "extrema";
  } else if (of_surface) {
    const auto chosen = motion_surface(request, prepared);
    look.surfaces.push_back(chosen->expr);
    look.recording = {Of::surface, chosen->watch, {}};
    look.place = chosen->text;
  } else {
    if (!forced && !surface)
      throw usage(
          "the model has neither a forcing period nor a section\n"
          "  add [section] to the model, or --surface EXPRESSION, --at-impacts CONTACT or --extrema");
    look.recording = {Of::section, {}, {}};
    look.place = forced ? "strobe" : surface->text;
  }
  return look;
}

/// The numbers that a motion leaves in the diagram.
class Observer {
 public:
  Observer(const Kernels& kernels, const Look& look, bool speeds, std::vector<bool> angles)
      : kernels_(kernels), look_(look), speeds_(speeds), angles_(std::move(angles)) {}

  std::vector<double> operator()(const std::vector<RecordedPoint>& recorded, const RampValue& value) const {
    std::vector<double> numbers;
    const Mechanism mechanism(kernels_, value.parameters);
    for (const RecordedPoint& point : recorded) {
      if (speeds_) {
        numbers.push_back(std::abs(point.gamma_minus));
        continue;
      }
      const Vector seen = mechanism.observe(point.t, point.x_minus);
      const bool turns = look_.recording.of == Recording::Of::turning;
      if (turns && point.at_impact && !(seen[1] * mechanism.observe(point.t, point.x_plus)[1] < 0.0)) continue;
      numbers.push_back(reduced(seen[0]));
    }
    return numbers;
  }

 private:
  double reduced(double number) const {
    const bool angle = look_.coordinate && angles_[*look_.coordinate];
    return angle ? std::remainder(number, 2.0 * std::numbers::pi) : number;
  }
  const Kernels& kernels_;
  const Look& look_;
  bool speeds_;
  std::vector<bool> angles_;
};

std::vector<RampValue> values_of(const DiagramRequest& request, const PreparedModel& prepared,
                                 const VariedRange& range) {
  std::vector<RampValue> values;
  for (const double at : range.values()) {
    SetupReading reading = setup_at(prepared, request, {range}, {at});
    if (!reading.setup) throw ModelError(ExitCode::usage, std::move(reading.diagnostics));
    const Setup& setup = *reading.setup;
    const SweepLength length = sweep_length(request, setup.forcing_period);
    values.push_back({setup.parameters, setup.forcing_period,
                      Eigen::Map<const Vector>(setup.initial.data(), static_cast<Eigen::Index>(setup.initial.size())),
                      length.transient, length.length});
  }
  return values;
}

/// Ramps, and the branch that each belongs to.
struct Plan {
  std::vector<Ramp> ramps;
  std::vector<std::size_t> branch;
  std::vector<std::string> names;
};

void add_pieces(Plan& plan, const std::vector<std::size_t>& order, std::size_t pieces, const std::optional<Vector>& x) {
  const std::size_t count = std::min(pieces, order.size());
  for (std::size_t k = 0; k < count; ++k) {
    const auto from = order.begin() + static_cast<std::ptrdiff_t>(order.size() * k / count);
    const auto to = order.begin() + static_cast<std::ptrdiff_t>(order.size() * (k + 1) / count);
    plan.ramps.push_back({{from, to}, x});
    plan.branch.push_back(plan.names.size() - 1);
  }
}

Plan plan_of(const DiagramRequest& request, std::size_t count, const std::vector<std::vector<Vector>>& starts) {
  Plan plan;
  std::vector<std::size_t> up(count);
  for (std::size_t i = 0; i < count; ++i) up[i] = i;
  const std::vector<std::size_t> down(up.rbegin(), up.rend());
  for (std::size_t s = 0; s < request.starts; ++s) {
    const auto named = [&](const char* direction) {
      return request.starts == 1 ? std::string(direction) : fmt::format("{}, start {}", direction, s + 1);
    };
    const auto start_at = [&](std::size_t i) {
      return s == 0 ? std::nullopt : std::optional(starts[i][std::min(s, starts[i].size() - 1)]);
    };
    if (request.sweep == SweepDirection::up || request.sweep == SweepDirection::both) {
      plan.names.push_back(named("up"));
      add_pieces(plan, up, request.ramps, start_at(0));
    }
    if (request.sweep == SweepDirection::down || request.sweep == SweepDirection::both) {
      plan.names.push_back(named("down"));
      add_pieces(plan, down, request.ramps, start_at(count - 1));
    }
    if (request.sweep == SweepDirection::fresh) {
      plan.names.push_back(named("fresh"));
      for (const std::size_t i : up) {
        plan.ramps.push_back({{i}, start_at(i)});
        plan.branch.push_back(plan.names.size() - 1);
      }
    }
  }
  return plan;
}

/// Random states around the initial one of every value that needs them.
std::vector<std::vector<Vector>> starts_of(const DiagramRequest& request, const Kernels& kernels,
                                           const std::vector<RampValue>& values) {
  std::vector<std::vector<Vector>> starts(values.size());
  if (request.starts < 2) return starts;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (request.sweep == SweepDirection::fresh || i == 0 || i + 1 == values.size())
      starts[i] =
          random_states(kernels, values[i].parameters, values[i].x, request.starts, request.spread, request.seed);
  return starts;
}

// ---- journal -------------------------------------------------------------------------------------------------------

std::vector<double> numbers_of(const RampResult& result) {
  std::vector<double> numbers = {static_cast<double>(result.outcome),
                                 static_cast<double>(result.verdict.kind),
                                 static_cast<double>(result.verdict.period),
                                 static_cast<double>(result.verdict.frequencies),
                                 result.impacts_per_unit_time,
                                 result.sliding_fraction,
                                 static_cast<double>(result.exponents.values.size()),
                                 static_cast<double>(result.end.size())};
  const auto add = [&](const auto& values) { numbers.insert(numbers.end(), values.begin(), values.end()); };
  add(result.exponents.values);
  add(result.exponents.standard_errors);
  add(result.end);
  add(result.points);
  return numbers;
}

RampResult result_of(const std::vector<double>& numbers, std::size_t ramp, std::size_t place) {
  RampResult result{.ramp = ramp, .place = place};
  result.outcome = static_cast<Outcome>(static_cast<int>(numbers[0]));
  result.verdict.kind = static_cast<MotionKind>(static_cast<int>(numbers[1]));
  result.verdict.period = static_cast<std::size_t>(numbers[2]);
  result.verdict.frequencies = static_cast<std::size_t>(numbers[3]);
  result.impacts_per_unit_time = numbers[4];
  result.sliding_fraction = numbers[5];
  auto at = numbers.begin() + 8;
  const auto take = [&](double count) {
    const auto from = at;
    at += static_cast<std::ptrdiff_t>(count);
    return std::vector<double>(from, at);
  };
  result.exponents.values = take(numbers[6]);
  result.exponents.standard_errors = take(numbers[6]);
  const std::vector<double> end = take(numbers[7]);
  result.end = Eigen::Map<const Vector>(end.data(), static_cast<Eigen::Index>(end.size()));
  result.points.assign(at, numbers.end());
  return result;
}

std::uint64_t key_of(std::size_t ramp, std::size_t place) {
  return (static_cast<std::uint64_t>(ramp) << 32U) + static_cast<std::uint64_t>(place);
}

// ---- words ---------------------------------------------------------------------------------------------------------

std::string name_of(SweepDirection direction) {
  switch (direction) {
    case SweepDirection::up: return "up";
    case SweepDirection::down: return "down";
    case SweepDirection::both: return "both";
    case SweepDirection::fresh: return "fresh";
  }
  return "";
}

std::vector<std::string> words_of(const DiagramRequest& request) {
  std::vector<std::string> words = sweep_words(request);
  const auto add = [&](const char* option, const std::string& value) {
    words.emplace_back(option);
    words.push_back(value);
  };
  add("--direction", name_of(request.sweep));
  if (!request.observe.empty()) add("--observe", request.observe);
  if (!request.at_impacts.empty()) add("--at-impacts", request.at_impacts);
  if (!request.impact_velocity.empty()) add("--impact-velocity", request.impact_velocity);
  if (request.extrema) words.emplace_back("--extrema");
  if (request.lyapunov) words.emplace_back("--lyapunov");
  if (request.base == LogBase::two) add("--base", "2");
  if (request.settle > 0.0) add("--settle", shortest(request.settle));
  if (request.ramps != 1) add("--ramps", std::to_string(request.ramps));
  if (request.starts != 1) {
    add("--starts", std::to_string(request.starts));
    add("--seed", std::to_string(request.seed));
    add("--spread", shortest(request.spread));
  }
  return words;
}

void require_sensible(const DiagramRequest& request, const PreparedModel& prepared) {
  if (is_hill(prepared)) throw usage("a [hill] model has no motion to follow\n  expected a model with [mechanics]");
  if (request.starts < 1) throw usage("--starts 0 starts nothing\n  expected a number above 0");
  if (request.ramps < 1) throw usage("--ramps 0 follows nothing\n  expected a number above 0");
  if (!(request.settle >= 0.0) || !std::isfinite(request.settle))
    throw usage(fmt::format("--settle {} is no length\n  expected 0 or more, in the unit of --transient",
                            six_digits(request.settle)));
}

/// Writes down what is found, and keeps it for the result.
class Collector {
 public:
  Collector(DiagramResult& result, const Plan& plan, const std::vector<RampValue>& values)
      : result_(result), plan_(plan) {
    for (const std::string& name : plan.names)
      result.branches.push_back({name, std::vector<RampResult>(values.size(), RampResult{.place = not_reached})});
    progress_.total = plan.names.size() * values.size();
    for (std::size_t r = 0; r < plan.ramps.size(); ++r)
      for (std::size_t k = 0; k < plan.ramps[r].values.size(); ++k)
        if (auto before = known(r, k)) keep(std::move(*before));
    progress_.before = progress_.done;
  }

  std::optional<RampResult> known(std::size_t ramp, std::size_t place) const {
    const std::uint64_t key = key_of(ramp, place);
    if (!result_.journal->has(key)) return std::nullopt;
    return result_of(result_.journal->read(key), ramp, place);
  }
  void found(const RampResult& found) {
    result_.journal->append(key_of(found.ramp, found.place), numbers_of(found));
    const auto now = std::chrono::steady_clock::now();
    if (now - synced_ > std::chrono::milliseconds(200)) {
      result_.journal->sync();
      synced_ = now;
    }
    keep(RampResult(found));
    if (result_.request.advanced) result_.request.advanced(progress_);
  }
  std::size_t missing() const { return progress_.total - progress_.done; }

 private:
  void keep(RampResult&& found) {
    ++progress_.done;
    const std::size_t value = plan_.ramps[found.ramp].values[found.place];
    result_.branches[plan_.branch[found.ramp]].results[value] = std::move(found);
  }

  DiagramResult& result_;
  const Plan& plan_;
  SweepProgress progress_;
  std::chrono::steady_clock::time_point synced_ = std::chrono::steady_clock::now();
};

}  // namespace

SweepDirection sweep_direction_named(const std::string& name) {
  for (const SweepDirection each :
       {SweepDirection::up, SweepDirection::down, SweepDirection::both, SweepDirection::fresh})
    if (name_of(each) == name) return each;
  throw usage(fmt::format("--direction '{}' is no direction\n  expected up, down, both or fresh", printable(name)));
}

DiagramResult run(const DiagramRequest& request) {
  DiagramResult result{.prepared = prepared(request), .request = request};
  const PreparedModel& prepared = result.prepared;
  require_sensible(request, prepared);
  result.range = sweep_ranges(request, prepared, 1, Varied::either).front();
  result.options = flow_options(prepared, request.options, request.method);
  const std::optional<MotionSurface> surface = verdict_surface(request, prepared);
  const Look look = look_of(request, prepared, surface);
  result.observed = look.observed;
  result.place = look.place;
  const std::vector<RampValue> values = values_of(request, prepared, result.range);

  KernelOptions wanted;
  if (!request.lyapunov) wanted.state_columns = 0;
  wanted.surfaces = look.surfaces;
  wanted.observables = look.observables;
  const bool single = request.sweep != SweepDirection::both && request.sweep != SweepDirection::fresh &&
                      request.starts * request.ramps == 1;
  const unsigned width = single ? 1 : host().lanes;
  const Kernels kernels(*prepared.model, wanted,
                        width > 1 ? std::vector<unsigned>{1, width} : std::vector<unsigned>{1});
  const Plan plan = plan_of(request, values.size(), starts_of(request, kernels, values));
  result.recipe = sweep_recipe("diagram", words_of(request), request, prepared, result.options);
  result.journal = sweep_journal(request, result.recipe);

  RampOptions options;
  options.motion.flow = result.options;
  options.motion.unit = sweep_length(request, values.front().period).unit;
  options.motion.sum_rule = false;
  options.motion.keep_history = false;
  options.motion.recording = look.recording;
  if (surface) options.motion.section = surface->watch;
  options.settle = request.settle;
  options.width = width;
  options.threads = static_cast<unsigned>(
      std::min<std::size_t>(threads_of(request.options), (plan.ramps.size() + width - 1) / width));
  options.observe = Observer(kernels, look, !request.impact_velocity.empty(),
                             angle_coordinates(kernels, values.front().parameters, values.front().x));
  Collector collector(result, plan, values);
  options.known = [&](std::size_t ramp, std::size_t place) { return collector.known(ramp, place); };
  options.found = [&](const RampResult& found) { collector.found(found); };
  options.interrupted = request.interrupted;
  result.use = follow_ramps(kernels, values, plan.ramps, options);
  result.journal->sync();
  result.missing = collector.missing();
  return result;
}

}  // namespace saltus
