#include "saltus/driver/response.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "saltus/analysis/motions/recurrence.hpp"
#include "saltus/base/text.hpp"
#include "saltus/driver/flow_settings.hpp"
#include "saltus/driver/option_expression.hpp"
#include "saltus/driver/request_recipe.hpp"
#include "saltus/driver/response_record.hpp"
#include "saltus/driver/start_warnings.hpp"
#include "saltus/driver/time_dependence.hpp"

namespace saltus {
namespace {

constexpr double paper_transient = 96.0;  // Kranjčević et al.: 128 periods from rest for every frequency
constexpr double paper_periods = 32.0;
constexpr std::size_t most_branches = 12;
constexpr std::size_t parts_of_a_branch = 100;  // pieces of work that a continued curve counts for

/// With the lengths of the paper where none are given.
ResponseRequest with_defaults(const ResponseRequest& request) {
  ResponseRequest whole = request;
  if (!whole.time && !whole.periods) whole.periods = paper_periods;
  const double usual = whole.time ? paper_transient / paper_periods * *whole.time : paper_transient;
  if (!whole.transient) whole.transient = usual;
  return whole;
}

void require_sensible(const ResponseRequest& request, const PreparedModel& prepared) {
  if (is_hill(prepared)) throw usage("a [hill] model has no motion to follow\n  expected a model with [mechanics]");
  if (prepared.setup.forcing_period == 0.0)
    throw usage(
        "the model has no [forcing], and so no response\n"
        "  add [forcing] with its period, or use saltus diagram ⟨extrema⟩");
  require_repeating(prepared);
  if (request.samples < 8 || request.samples > 1'000'000)
    throw usage(fmt::format("⟨samples⟩ {} is out of range\n  expected a whole number from 8 to 1000000, per period",
                            request.samples));
  if (request.sweep == ResponseSweep::none && !request.continued)
    throw usage("⟨direction⟩ none leaves nothing to do\n  add ⟨continuation⟩, or choose fresh, up, down or both");
  if (!request.from.empty() && !request.continued) throw usage("⟨from⟩ begins a continued curve\n  add ⟨continuation⟩");
  if (!request.point.empty() && request.from.empty()) throw usage("⟨point⟩ belongs to a file\n  add ⟨from⟩ FILE");
}

VariedRange range_of(const ResponseRequest& request, const PreparedModel& prepared) {
  if (request.sweep != ResponseSweep::none) return sweep_ranges(request, prepared, 1, Varied::parameter).front();
  if (request.vary.size() != 1)
    throw usage(
        fmt::format("⟨vary⟩ is given {} times\n  expected one range: ⟨vary⟩ name=from:to", request.vary.size()));
  const bool counted = std::count(request.vary[0].begin(), request.vary[0].end(), ':') > 1;
  return read_range(request.vary[0], prepared, Varied::parameter, counted ? RangeForm::values : RangeForm::interval);
}

std::vector<RampValue> values_of(const ResponseRequest& request, const PreparedModel& prepared,
                                 const VariedRange& range) {
  std::vector<RampValue> values;
  for (const double at : range.values()) {
    SetupReading reading = setup_at(prepared, request, {range}, {at});
    if (!reading.setup) throw ModelError(ExitCode::usage, std::move(reading.diagnostics));
    const Setup& setup = *reading.setup;
    const SweepLength length =
        sweep_length({request.time, request.periods, *request.transient}, {}, setup.forcing_period);
    values.push_back({setup.parameters, setup.forcing_period,
                      Eigen::Map<const Vector>(setup.initial.data(), static_cast<Eigen::Index>(setup.initial.size())),
                      length.transient, length.length});
  }
  return values;
}

// ---- simulated motions ---------------------------------------------------------------------------------------------

/// Ramps, and the curve that each belongs to.
struct ResponsePlan {
  std::vector<Ramp> ramps;
  std::vector<std::size_t> curve;
  std::vector<std::string> names;
};

ResponsePlan plan_of(ResponseSweep sweep, std::size_t count) {
  ResponsePlan plan;
  std::vector<std::size_t> up(count);
  for (std::size_t i = 0; i < count; ++i) up[i] = i;
  const auto add = [&](const char* name, const std::vector<std::vector<std::size_t>>& ramps) {
    for (const auto& values : ramps) {
      plan.ramps.push_back({values});
      plan.curve.push_back(plan.names.size());
    }
    plan.names.emplace_back(name);
  };
  if (sweep == ResponseSweep::up || sweep == ResponseSweep::both) add("up", {up});
  if (sweep == ResponseSweep::down || sweep == ResponseSweep::both) add("down", {{up.rbegin(), up.rend()}});
  if (sweep == ResponseSweep::fresh) {
    std::vector<std::vector<std::size_t>> each;
    for (const std::size_t i : up) each.push_back({i});
    add("fresh", each);
  }
  return plan;
}

std::string motion_words(const ResponsePoint& point) {
  if (point.period > 0) return "periodic";
  if (point.strobes < enough_points) return fmt::format("undecided: {}", too_few_points(point.strobes));
  if (point.doubtful) return "undecided: the strobe may still settle";
  return "not periodic";
}

ResponseEntry entry_of(const ResponsePoint& point, double parameter) {
  ResponseEntry entry{.parameter = parameter, .amplitudes = point.amplitudes};
  entry.x = point.end;
  const bool followed = point.outcome == Outcome::reached_end;
  entry.measured = followed && std::isfinite(point.amplitudes.steady) && !point.grows;
  entry.period = point.period;
  if (point.period > 0) entry.set(point.stability);
  if (point.drifts) entry.words = fmt::format("{}; the quantity drifts, and has no amplitude", motion_words(point));
  else if (followed && point.grows) entry.words = "growing; it has no amplitude";
  else if (followed && !entry.measured) entry.words = unresolved;
  else if (!followed) entry.words = fmt::format("stopped: {}", name_of(point.outcome));
  else entry.words = motion_words(point);
  return entry;
}

/// Writes down what is found, and keeps it for the result.
class ResponseCollector {
 public:
  ResponseCollector(ResponseResult& result, const ResponsePlan& plan, std::size_t count)
      : result_(result), plan_(plan) {
    for (const std::string& name : plan.names)
      entries_.push_back({name, std::vector<std::optional<ResponseEntry>>(count)});
    progress_.total = plan.names.size() * count;
    for (std::size_t r = 0; r < plan.ramps.size(); ++r)
      for (std::size_t k = 0; k < plan.ramps[r].values.size(); ++k)
        if (const auto before = known(r, k)) keep(*before);
    progress_.before = progress_.done;
  }

  std::optional<ResponsePoint> known(std::size_t ramp, std::size_t place) const {
    const std::uint64_t key = ramp_key(ramp, place);
    if (!result_.journal->has(key)) return std::nullopt;
    return point_of_record(result_.journal->read(key), ramp, place);
  }
  void found(const ResponsePoint& point) {
    result_.journal->append(ramp_key(point.ramp, point.place), record_of(point));
    const auto now = std::chrono::steady_clock::now();
    if (now - synced_ > std::chrono::milliseconds(200)) {
      result_.journal->sync();
      synced_ = now;
    }
    keep(point);
    if (result_.request.advanced) result_.request.advanced(progress_);
  }
  void finish() {
    result_.journal->sync();
    result_.missing = progress_.total - progress_.done;
    for (auto& [name, entries] : entries_) {
      ResponseCurve curve{name, false, {}};
      for (auto& entry : entries)
        if (entry) curve.points.push_back(std::move(*entry));
      result_.curves.push_back(std::move(curve));
    }
  }

 private:
  void keep(const ResponsePoint& point) {
    ++progress_.done;
    const std::size_t value = plan_.ramps[point.ramp].values[point.place];
    entries_[plan_.curve[point.ramp]].second[value] = entry_of(point, result_.range.at(value));
  }

  ResponseResult& result_;
  const ResponsePlan& plan_;
  std::vector<std::pair<std::string, std::vector<std::optional<ResponseEntry>>>> entries_;
  SweepProgress progress_;
  std::chrono::steady_clock::time_point synced_ = std::chrono::steady_clock::now();
};

void add_simulated_curves(ResponseResult& result, const Kernels& kernels, const ObservedQuantity& quantity,
                          unsigned width) {
  const ResponseRequest& request = result.request;
  const std::vector<RampValue> values = values_of(request, result.prepared, result.range);
  for (const RampValue& value : values)
    if (warn_of_start(result.prepared.warnings, kernels, *result.prepared.model, value.x, value.parameters)) break;
  const ResponsePlan plan = plan_of(request.sweep, values.size());
  ResponseOptions options;
  options.flow = result.options;
  options.width = width;
  options.threads = static_cast<unsigned>(
      std::min<std::size_t>(threads_of(request.options), (plan.ramps.size() + width - 1) / width));
  ResponseCollector collector(result, plan, values.size());
  options.known = [&](std::size_t ramp, std::size_t place) { return collector.known(ramp, place); };
  options.found = [&](const ResponsePoint& point) { collector.found(point); };
  options.interrupted = request.interrupted;
  result.use = follow_responses(kernels, quantity, values, plan.ramps, options);
  collector.finish();
}

// ---- continued curves ----------------------------------------------------------------------------------------------

/// A branch of the response's model over its range, from the initial state.
ContinueResult begun_branch(const ResponseResult& result) {
  const ResponseRequest& request = result.request;
  ContinueResult begun{.prepared = result.prepared, .request = {}};
  ContinueRequest& asked = begun.request;
  static_cast<Request&>(asked) = request;
  asked.options = request.options;
  asked.method = request.method;
  asked.largest_step = request.largest_step;
  asked.interrupted = request.interrupted;
  asked.observe = result.observed;
  asked.measures = true;
  begun.ranges = {interval_of(result.range)};
  return begun;
}

/// Begins at a simulated motion that repeats.
ContinueResult begun_branch(const ResponseResult& result, const ResponseEntry& entry) {
  ContinueResult begun = begun_branch(result);
  SetupReading reading = setup_at(result.prepared, result.request, {result.range}, {entry.parameter});
  if (!reading.setup) throw ModelError(ExitCode::usage, std::move(reading.diagnostics));
  begun.prepared.setup = std::move(*reading.setup);
  begun.prepared.setup.initial.assign(entry.x.begin(), entry.x.end());
  begun.request.period = static_cast<long>(entry.period);
  begun.request.transient = 0.0;
  return begun;
}

/// Does the curve pass through the entry? Between two neighbours of the curve both amplitudes are about those of the chord.
bool passes_through(const ResponseCurve& curve, const ResponseEntry& entry) {
  double size = 0.0;
  for (const ResponseEntry& point : curve.points) size = std::max(size, point.amplitudes.steady);
  const auto near = [&](const ResponseEntry& a, const ResponseEntry& b, double Amplitudes::* of) {
    const double length = b.parameter - a.parameter;
    const double part = length != 0.0 ? (entry.parameter - a.parameter) / length : 0.5;
    const double rise = b.amplitudes.*of - a.amplitudes.*of;
    return std::abs(entry.amplitudes.*of - a.amplitudes.*of - part * rise) <= 0.005 * size + 0.3 * std::abs(rise);
  };
  for (std::size_t i = 0; i + 1 < curve.points.size(); ++i) {
    const ResponseEntry& a = curve.points[i];
    const ResponseEntry& b = curve.points[i + 1];
    const bool between = (a.parameter - entry.parameter) * (b.parameter - entry.parameter) <= 0.0;
    // A motion that has not quite settled may repeat, to the tolerance, only after some turns of its orbit.
    if (between && entry.period % a.period == 0 && near(a, b, &Amplitudes::steady) &&
        near(a, b, &Amplitudes::effective))
      return true;
  }
  return false;
}

ResponseCurve curve_of(const ContinueResult& branch) {
  ResponseCurve curve{"", true, {}};
  for (std::size_t i = 0; i < branch.branch.points.size(); ++i) {
    const BranchPoint& point = branch.branch.points[i];
    ResponseEntry entry{.parameter = point.parameter, .amplitudes = branch.amplitudes[i]};
    entry.measured = std::isfinite(entry.amplitudes.steady);
    entry.x = point.x();
    entry.period = point.returns.size();
    entry.label = point.label;
    entry.kind = std::string(label_of(point.special));
    if (!point.multipliers.empty()) {
      entry.stable = point.stable;
      entry.stability = stability_of(point.multipliers);
    }
    entry.drift = point.drift;
    entry.words = "periodic";
    if (entry.measured) curve.points.push_back(std::move(entry));
  }
  return curve;
}

/// One curve; a reason in the notes if it cannot be begun or ends early. The kernels are those of all curves.
void follow_curve(ResponseResult& result, ContinueResult begun, std::shared_ptr<const Kernels>& kernels,
                  const std::string& where) {
  const auto number = static_cast<std::size_t>(
      std::count_if(result.curves.begin(), result.curves.end(), [](const auto& curve) { return curve.continued; }));
  std::size_t simulated = 0;
  for (const ResponseCurve& curve : result.curves)
    if (!curve.continued) simulated += curve.points.size();
  begun.request.progress = [&, number, simulated](double part) {
    const auto done = static_cast<std::size_t>(std::lround(part * static_cast<double>(parts_of_a_branch)));
    const std::size_t before = simulated + number * parts_of_a_branch;
    if (result.request.advanced) result.request.advanced({before + done, before + parts_of_a_branch, 0});
  };
  try {
    const ContinueResult branch =
        begun.request.from.empty() ? continued(std::move(begun), kernels) : continued_from_file(std::move(begun));
    ResponseCurve curve = curve_of(branch);
    curve.name = fmt::format("branch {}", number + 1);
    std::string why = stop_message(branch);
    if (const std::string file = branch.prepared.file + ": "; why.starts_with(file)) why.erase(0, file.size());
    while (why.ends_with('\n')) why.pop_back();
    if (!why.empty()) result.notes.push_back(fmt::format("{}: {}", curve.name, why));
    result.interrupted = result.interrupted || exit_code(branch) == ExitCode::interrupted;
    if (!curve.points.empty()) result.curves.push_back(std::move(curve));
  } catch (const Error& error) {
    if (error.code() != ExitCode::stopped_early) throw;
    result.notes.push_back(fmt::format("{}: {}", where, error.what()));
  }
}

/// Every simulated motion that repeats and lies on no curve yet begins one.
void add_continued_curves(ResponseResult& result) {
  std::shared_ptr<const Kernels> kernels;
  if (!result.request.from.empty()) {
    ContinueResult begun = begun_branch(result);
    begun.request.from = result.request.from;
    begun.request.point = result.request.point;
    follow_curve(result, std::move(begun), kernels, result.request.from);
  } else if (result.request.sweep == ResponseSweep::none) {
    follow_curve(result, begun_branch(result), kernels, "the initial state");
  }
  std::vector<ResponseEntry> seeds;
  for (const ResponseCurve& curve : result.curves)
    for (const ResponseEntry& entry : curve.points)
      if (!curve.continued && entry.measured && entry.stable.value_or(false)) seeds.push_back(entry);
  std::stable_sort(seeds.begin(), seeds.end(), [](const auto& a, const auto& b) { return a.period < b.period; });
  std::size_t followed = 0;
  for (const ResponseEntry& seed : seeds) {
    if (result.interrupted || (result.request.interrupted && result.request.interrupted())) return;
    const bool known = std::any_of(result.curves.begin(), result.curves.end(), [&](const ResponseCurve& curve) {
      return curve.continued && passes_through(curve, seed);
    });
    if (known) continue;
    if (++followed > most_branches) {
      result.notes.push_back(fmt::format("more than {} curves: the rest is not continued", most_branches));
      return;
    }
    follow_curve(result, begun_branch(result, seed), kernels,
                 fmt::format("{} = {}", result.range.name, six_digits(seed.parameter)));
  }
  if (seeds.empty() && result.request.sweep != ResponseSweep::none && result.request.from.empty())
    result.notes.push_back(
        "no simulated motion repeats, so that none is continued\n  give a longer ⟨transient⟩, or an orbit with ⟨from⟩");
}

/// What cyclic coordinates gain in one period of each simulated motion that repeats.
void add_drifts(ResponseResult& result, const Kernels& kernels) {
  for (ResponseCurve& curve : result.curves)
    for (ResponseEntry& entry : curve.points) {
      if (curve.continued || entry.period == 0 || !entry.measured || entry.x.size() == 0) continue;
      const SetupReading reading = setup_at(result.prepared, result.request, {result.range}, {entry.parameter});
      if (!reading.setup) continue;
      const Translations translations = translations_of(kernels, reading.setup->parameters);
      if (translations.drifts() == 0) return;
      FlowRun run;
      run.start = start_point(kernels, {}, entry.x, LaneStepper::Carries::state);
      run.end = {static_cast<long>(entry.period), 0.0};
      run.period = reading.setup->forcing_period;
      run.parameters = reading.setup->parameters;
      run.keep_events = false;
      const FlowResult end = flow(kernels, result.options, run);
      if (end.outcome == Outcome::reached_end) entry.drift = translations.drift_of(end.end.x - entry.x);
    }
}

}  // namespace

ResponseResult run(const ResponseRequest& asked) {
  const ResponseRequest request = with_defaults(asked);
  ResponseResult result{.prepared = prepared(request), .request = request};
  const PreparedModel& prepared = result.prepared;
  require_sensible(request, prepared);
  result.range = range_of(request, prepared);
  const Model& model = *prepared.model;
  result.observed = request.observe.empty() ? model.component_names().front() : request.observe;
  result.options = flow_options(prepared, request.options, request.method);
  KernelOptions wanted;
  const ObservedQuantity quantity(option_expression("⟨observe⟩", result.observed, model), model);
  wanted.observables = quantity.observables();
  const bool alone = request.sweep == ResponseSweep::up || request.sweep == ResponseSweep::down ||
                     request.sweep == ResponseSweep::none || request.road == ResponseRoad::elements;
  const unsigned width = alone ? 1 : host().lanes;
  const Kernels kernels(model, wanted, width > 1 ? std::vector<unsigned>{1, width} : std::vector<unsigned>{1});
  result.recipe = sweep_recipe("response", request, prepared, result.options);
  const ResponsePlan plan = plan_of(request.sweep, result.range.values().size());
  result.journal = sweep_journal(request, result.recipe, [&](std::uint64_t key, std::span<const double> numbers) {
    return is_ramp_key(key, plan.ramps) && is_point_record(numbers, model.dimension());
  });
  if (request.road == ResponseRoad::elements) add_element_curves(result, kernels, quantity);
  else if (request.sweep != ResponseSweep::none) add_simulated_curves(result, kernels, quantity, width);
  if (request.road != ResponseRoad::elements) add_drifts(result, kernels);
  if (request.continued && result.missing == 0) add_continued_curves(result);
  return result;
}

}  // namespace saltus
