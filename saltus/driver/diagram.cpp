#include "saltus/driver/diagram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "saltus/analysis/motions/recurrence.hpp"
#include "saltus/base/text.hpp"
#include "saltus/driver/diagram_look.hpp"
#include "saltus/driver/flow_settings.hpp"
#include "saltus/driver/request_options.hpp"
#include "saltus/driver/request_recipe.hpp"
#include "saltus/driver/shared_work.hpp"
#include "saltus/driver/start_warnings.hpp"
#include "saltus/driver/starts.hpp"

namespace saltus {
namespace {

std::vector<RampValue> values_of(const DiagramRequest& request, const PreparedModel& prepared,
                                 const VariedRange& range) {
  std::vector<RampValue> values;
  const VariedSetup setups = varied_setup(prepared, request, {range});
  for (const double at : range.values()) {
    const std::optional<Setup> setup = setups.at(std::span(&at, 1));
    if (!setup) throw ModelError(ExitCode::usage, setup_at(prepared, request, {range}, {at}).diagnostics);
    const SweepLength length = sweep_length(request, setup->forcing_period);
    values.push_back(
        {setup->parameters, setup->forcing_period, state_of(setup->initial), length.transient, length.length});
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
          random_states(kernels, values[i].parameters, values[i].x, request.starts, request.spread, request.seed,
                        spread_scale(kernels, FlowOptions(), values[i].parameters, values[i].period, values[i].x));
  return starts;
}

// ---- journal -------------------------------------------------------------------------------------------------------

std::vector<double> ramp_numbers(const RampResult& result) {
  std::vector<double> numbers = {number_of(result.outcome),
                                 static_cast<double>(result.verdict.kind),
                                 static_cast<double>(result.verdict.period),
                                 static_cast<double>(result.verdict.frequencies),
                                 result.impacts_per_unit_time,
                                 result.sliding_fraction,
                                 static_cast<double>(result.exponents.values.size()),
                                 static_cast<double>(result.end.size()),
                                 static_cast<double>(result.verdict.drift.size())};
  const auto add = [&](const auto& values) { numbers.insert(numbers.end(), values.begin(), values.end()); };
  add(result.exponents.values);
  add(result.exponents.standard_errors);
  add(result.end);
  for (const auto& [component, gain] : result.verdict.drift)
    numbers.insert(numbers.end(), {static_cast<double>(component), gain});
  add(result.points);
  return numbers;
}

RampResult result_of(const std::vector<double>& numbers, std::size_t ramp, std::size_t place) {
  RampResult result{.ramp = ramp, .place = place};
  result.outcome = stored_outcome(numbers[0]);
  result.verdict.kind = static_cast<MotionKind>(static_cast<int>(numbers[1]));
  result.verdict.period = static_cast<std::size_t>(numbers[2]);
  result.verdict.frequencies = static_cast<std::size_t>(numbers[3]);
  result.impacts_per_unit_time = numbers[4];
  result.sliding_fraction = numbers[5];
  auto at = numbers.begin() + 9;
  const auto take = [&](double count) {
    const auto from = at;
    at += static_cast<std::ptrdiff_t>(count);
    return std::vector<double>(from, at);
  };
  result.exponents.values = take(numbers[6]);
  result.exponents.standard_errors = take(numbers[6]);
  result.end = state_of(take(numbers[7]));
  const std::vector<double> drift = take(2.0 * numbers[8]);
  for (std::size_t i = 0; i < drift.size(); i += 2)
    result.verdict.drift[static_cast<std::size_t>(drift[i])] = drift[i + 1];
  result.points.assign(at, numbers.end());
  return result;
}

/// Can the numbers be what `ramp_numbers` has written, for a model of this dimension?
bool is_ramp_record(std::span<const double> numbers, std::size_t dimension) {
  if (numbers.size() < 9 || !outcome_of(numbers[0]) || !is_count(numbers[1], last_kind)) return false;
  constexpr double most = 1e15;
  const auto N = static_cast<double>(dimension);
  if (!is_count(numbers[2], most) || !is_count(numbers[3], most) || !is_count(numbers[6], N + 1.0)) return false;
  if (!(numbers[7] == 0.0 || numbers[7] == N) || !is_count(numbers[8], N)) return false;
  const double before_drift = 9.0 + 2.0 * numbers[6] + numbers[7];
  if (static_cast<double>(numbers.size()) < before_drift + 2.0 * numbers[8]) return false;
  for (std::size_t k = 0; k < static_cast<std::size_t>(numbers[8]); ++k)
    if (!is_count(numbers[static_cast<std::size_t>(before_drift) + 2 * k], N - 1.0)) return false;
  return true;
}

void require_sensible(const DiagramRequest& request, const PreparedModel& prepared) {
  if (is_hill(prepared)) throw usage("a [hill] model has no motion to follow\n  expected a model with [mechanics]");
  require_valid(request);
}

/// Hands out the ramps that the journal has not got to the end of, and writes down what is found: {ramp, place, last state …} and
/// {ramp, place, what was found there …}.
class JournalRamps final : public Pieces {
 public:
  JournalRamps(DiagramResult& result, const Plan& plan, const std::vector<RampValue>& values)
      : result_(result), plan_(plan), places_(plan.ramps.size(), 0) {
    for (const std::string& name : plan.names)
      result.branches.push_back({name, std::vector<RampResult>(values.size(), RampResult{.place = not_reached})});
    progress_.total = plan.names.size() * values.size();
    for (std::size_t r = 0; r < plan.ramps.size(); ++r)
      while (places_[r] < plan.ramps[r].values.size() && result.journal->has(ramp_key(r, places_[r]))) {
        keep(result_of(result.journal->read(ramp_key(r, places_[r])), r, places_[r]));
        ++places_[r];
      }
    progress_.before = progress_.done;
  }

  std::optional<std::vector<double>> next() override {
    while (next_ < places_.size() && places_[next_] == plan_.ramps[next_].values.size()) ++next_;
    if (next_ == places_.size()) return std::nullopt;
    const std::size_t place = places_[next_];
    std::vector<double> piece = {static_cast<double>(next_), static_cast<double>(place)};
    if (place > 0) {
      const RampResult& last = at(next_, place - 1);
      if (last.outcome == Outcome::reached_end) piece.insert(piece.end(), last.end.begin(), last.end.end());
    }
    ++next_;
    return piece;
  }
  void found(std::vector<double>&& numbers) override {
    const auto ramp = static_cast<std::size_t>(numbers[0]);
    const auto place = static_cast<std::size_t>(numbers[1]);
    numbers.erase(numbers.begin(), numbers.begin() + 2);
    result_.journal->append(ramp_key(ramp, place), numbers);
    const auto now = std::chrono::steady_clock::now();
    if (now - synced_ > std::chrono::milliseconds(200)) {
      result_.journal->sync();
      synced_ = now;
    }
    keep(result_of(numbers, ramp, place));
    if (result_.request.advanced) result_.request.advanced(progress_);
  }
  bool interrupted() override { return result_.request.interrupted && result_.request.interrupted(); }
  std::size_t missing() const { return progress_.total - progress_.done; }

 private:
  RampResult& at(std::size_t ramp, std::size_t place) {
    return result_.branches[plan_.branch[ramp]].results[plan_.ramps[ramp].values[place]];
  }
  void keep(RampResult&& found) {
    ++progress_.done;
    RampResult& place = at(found.ramp, found.place);
    place = std::move(found);
  }

  DiagramResult& result_;
  const Plan& plan_;
  std::vector<std::size_t> places_;  // of each ramp: the first that an earlier run has not computed
  std::size_t next_ = 0;
  SweepProgress progress_;
  std::chrono::steady_clock::time_point synced_ = std::chrono::steady_clock::now();
};

/// Follows the ramps that the pieces name.
LaneUse follow_pieces(const Kernels& kernels, const std::vector<RampValue>& values, const Plan& plan,
                      RampOptions options, Pieces& pieces) {
  options.next = [&]() -> std::optional<RampStart> {
    const auto piece = pieces.next();
    if (!piece) return std::nullopt;
    RampStart start{static_cast<std::size_t>((*piece)[0]), static_cast<std::size_t>((*piece)[1]), {}};
    if (piece->size() > 2) start.x = state_of({piece->begin() + 2, piece->end()});
    return start;
  };
  options.found = [&](const RampResult& found) {
    std::vector<double> numbers = ramp_numbers(found);
    numbers.insert(numbers.begin(), {static_cast<double>(found.ramp), static_cast<double>(found.place)});
    pieces.found(std::move(numbers));
  };
  options.interrupted = [&] { return pieces.interrupted(); };
  return follow_ramps(kernels, values, plan.ramps, options);
}

void require_fresh(const DiagramRequest& request, const VariedRange& range) {
  if (range.of != VariedRange::Of::initial_value || request.sweep == SweepDirection::fresh) return;
  throw usage(
      fmt::format("'{}' is an initial value, and ⟨direction⟩ {} begins only its first motion there: the others go on "
                  "where the last one ended\n  use ⟨direction⟩ fresh",
                  range.name, sweep_directions[static_cast<std::size_t>(request.sweep)]));
}

}  // namespace

DiagramResult run(const DiagramRequest& request) {
  DiagramResult result{.prepared = prepared(request), .request = request};
  const PreparedModel& prepared = result.prepared;
  require_sensible(request, prepared);
  result.range = sweep_ranges(request, prepared, 1, Varied::either).front();
  require_fresh(request, result.range);
  result.options = flow_options(prepared, request.options, request.method);
  const std::optional<MotionSurface> surface = verdict_surface(request, prepared);
  const DiagramLook look = diagram_look(request, prepared, surface);
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
  for (const RampValue& value : values)
    if (warn_of_start(result.prepared.warnings, kernels, *prepared.model, value.x, value.parameters)) break;
  const Plan plan = plan_of(request, values.size(), starts_of(request, kernels, values));
  result.recipe = sweep_recipe("diagram", request, prepared, result.options);

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
  options.observe =
      DiagramObserver(kernels, look, translations_of(kernels, values.front().parameters).periods(kernels.layout().n));
  const Computation compute = [&](Pieces& pieces) { return follow_pieces(kernels, values, plan, options, pieces); };
  Ranks* const all = ranks();
  if (all && all->rank() > 0) {
    result.writes = false;
    result.use = follow(*all, compute, work_of(result.recipe));
    return result;
  }
  result.journal = sweep_journal(request, result.recipe, [&](std::uint64_t key, std::span<const double> numbers) {
    return is_ramp_key(key, plan.ramps) && is_ramp_record(numbers, prepared.model->dimension());
  });
  JournalRamps ramps(result, plan, values);
  try {
    result.use = all ? lead(*all, ramps, compute, work_of(result.recipe)) : compute(ramps);
    result.journal->sync();
  } catch (const Error& error) {
    throw with_remedy(error, *result.journal, plan.names.size() * values.size(), "values");
  }
  result.missing = ramps.missing();
  return result;
}

}  // namespace saltus
