#include "saltus/analysis/motions/section.hpp"

#include <cmath>
#include <mutex>

#include "saltus/analysis/motions/coming_to_rest.hpp"
#include "saltus/analysis/motions/neighbour_growth.hpp"
#include "saltus/analysis/motions/parallel.hpp"
#include "saltus/analysis/motions/recurrence.hpp"

namespace saltus {
namespace {

/// A time in forcing periods, or in time without forcing.
Time time_in_units(double units, double period) {
  if (period == 0.0) return {0, units};
  const double whole = std::floor(units);
  return {static_cast<long>(whole), (units - whole) * period};
}

/// One strobe per period, counted from the end of the transient.
std::vector<Time> strobes(const SectionOptions& options, double period) {
  std::vector<Time> times;
  for (long k = 1; static_cast<double>(k) <= options.length * (1.0 + 1e-12); ++k) {
    Time at = time_in_units(options.transient, period);
    at.cycles += k;
    times.push_back(at);
  }
  return times;
}

FlowRun run_to(const FlowPoint& start, double units, const std::vector<double>& parameters, double period,
               const SectionOptions& options) {
  FlowRun run;
  run.start = start;
  run.end = time_in_units(units, period);
  run.period = period;
  run.parameters = parameters;
  run.keep_events = false;
  run.measure_range = true;
  run.interrupted = options.interrupted;
  if (options.progress) {
    const double whole = (options.transient + options.length) * (period > 0.0 ? period : 1.0);
    run.progress = [&options, whole, period](const Time& t) { options.progress(t.absolute(period) / whole); };
  }
  return run;
}

void collect(const FlowResult& result, const SectionPlace& place, std::vector<SectionPoint>& points) {
  if (place.kind == SectionPlace::Kind::strobe)
    for (const Sample& sample : result.samples) points.push_back({sample.t, sample.x});
  for (const Event& event : result.events) {
    const bool at_surface = place.kind == SectionPlace::Kind::surface && event.kind == EventKind::section;
    const bool at_impact =
        place.kind == SectionPlace::Kind::impacts && event.kind == EventKind::impact && event.index == place.contact;
    if (at_surface || at_impact) points.push_back({event.t, event.x_minus});
  }
}

void finish(SectionPoints& section, FlowResult&& result) {
  static_cast<Stop&>(section) = result;
  section.end = std::move(result.end);
}

}  // namespace

SectionPoints section_points(const Kernels& kernels, const Vector& x, const std::vector<double>& parameters,
                             double period, const SectionOptions& options) {
  SectionPoints section;
  StateRange way;
  way.include(x);
  FlowPoint start = start_point(kernels, {}, x, LaneStepper::Carries::state);
  if (options.transient > 0.0) {
    FlowResult transient = flow(kernels, options.flow, run_to(start, options.transient, parameters, period, options));
    if (transient.outcome != Outcome::reached_end) {
      finish(section, std::move(transient));
      return section;
    }
    way.include(transient);
    start = std::move(transient.end);
  }
  const double t_start = start.t.absolute(period);
  FlowRun run = run_to(start, options.transient + options.length, parameters, period, options);
  run.keep_events = options.place.kind == SectionPlace::Kind::impacts;
  if (options.place.kind == SectionPlace::Kind::surface) run.watches = {options.place.watch};
  if (options.place.kind == SectionPlace::Kind::strobe) run.samples = strobes(options, period);
  FlowResult result = flow(kernels, options.flow, run);
  collect(result, options.place, section.points);
  section.time = result.end.t.absolute(period) - t_start;
  std::vector<Vector> states;
  for (const SectionPoint& point : section.points) states.push_back(point.x);
  const Translations translations = translations_of(kernels, parameters);
  StateRange motion;
  motion.include(result);
  way.include(motion);
  StateSizes sizes = state_sizes(kernels, options.flow, translations, motion, way, result.end);
  sizes.allow_drift(translations, states);
  Recurrence recurrence = recurrence_of(states, translations, sizes, options.longest_period);
  const bool forgetful = period > 0.0 && result.ledger.held_time > 0.0;
  if ((recurrence.period || forgetful) && result.outcome == Outcome::reached_end) {
    FlowRun from;
    from.start = result.end;
    from.period = period;
    from.parameters = parameters;
    if (period == 0.0) {
      const double once = section.points.back().t - section.points[section.points.size() - 1 - *recurrence.period].t;
      recurrence =
          unless_coming_to_rest(std::move(recurrence), states, kernels, options.flow, from, once, translations, sizes);
    } else if (forgetful) {
      recurrence = unless_by_rounding(std::move(recurrence), kernels, options.flow, from, translations, sizes);
    }
  }
  if (period == 0.0 && rests(Mechanism(kernels, parameters), result.end, sizes))
    recurrence = {std::nullopt, "the motion has come to rest, and meets the section by rounding, if at all"};
  section.period = recurrence.period;
  section.doubt = recurrence.doubt;
  section.nearing = recurrence.nearing;
  if (section.period)
    section.drift = translations.drift_of(states.back() - states[states.size() - 1 - *section.period]);
  finish(section, std::move(result));
  return section;
}

std::vector<SectionPoints> sections_of(const Kernels& kernels, const std::vector<Vector>& states,
                                       const std::vector<double>& parameters, double period,
                                       const SectionOptions& options, unsigned threads) {
  std::vector<SectionPoints> sections(states.size());
  std::vector<double> parts(states.size(), 0.0);
  double done = 0.0;
  std::mutex mutex;
  parallel_for_each(states.size(), threads, [&](std::size_t k) {
    SectionOptions own = options;
    if (options.interrupted)
      own.interrupted = [&] {
        const std::lock_guard lock(mutex);
        return options.interrupted();
      };
    if (options.progress)
      own.progress = [&, k](double part) {
        const std::lock_guard lock(mutex);
        done += part - parts[k];
        parts[k] = part;
        options.progress(done / static_cast<double>(states.size()));
      };
    sections[k] = section_points(kernels, states[k], parameters, period, own);
  });
  return sections;
}

}  // namespace saltus
