#include "saltus/driver/section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "saltus/base/setting.hpp"
#include "saltus/base/text.hpp"
#include "saltus/driver/flow_settings.hpp"
#include "saltus/driver/request_options.hpp"
#include "saltus/driver/start_warnings.hpp"

namespace saltus {
namespace {

/// Where to look, with the surface that the kernels must know.
struct Chosen {
  SectionPlace place;
  std::vector<Expr> surfaces;
  std::string text;
};

Chosen chosen(const SectionRequest& request, const PreparedModel& prepared) {
  if (!request.at_impacts.empty()) {
    if (!request.surface.empty())
      throw Error(ExitCode::usage, "both ⟨surface⟩ and ⟨at-impacts⟩ are given\n  expected one of them");
    const std::size_t contact = contact_named(*prepared.model, request.at_impacts);
    return {{SectionPlace::Kind::impacts, {}, contact}, {}, fmt::format("impacts of '{}'", request.at_impacts)};
  }
  if (prepared.setup.forcing_period > 0.0 && request.surface.empty() && request.direction.empty() &&
      request.modulo.empty())
    return {{SectionPlace::Kind::strobe, {}, 0}, {}, "strobe"};
  const auto surface = motion_surface(request, prepared);
  if (!surface)
    throw Error(ExitCode::usage,
                "the model has neither a forcing period nor a section\n"
                "  add [section] to the model, or ⟨surface⟩ EXPRESSION, or ⟨at-impacts⟩ CONTACT");
  return {{SectionPlace::Kind::surface, surface->watch, 0}, {surface->expr}, surface->text};
}

std::vector<double> row_of(const SectionPoint& point, const Mechanism& mechanism, const Model& model) {
  std::vector<double> row(point.x.data(), point.x.data() + point.x.size());
  if (model.observables.empty()) return row;
  const Vector observed = mechanism.observe(point.t, point.x);
  row.insert(row.end(), observed.data(), observed.data() + observed.size());
  return row;
}

SectionOptions options_of(const SectionRequest& request, const SectionPlace& place, double period,
                          const FlowOptions& flow) {
  const MotionLength length = motion_length(request, period);
  constexpr double most_points = 10'000'000;  // of all motions: as many samples as one may have
  const auto motions = static_cast<double>(std::max<std::size_t>(request.starts.count, 1));
  if (place.kind == SectionPlace::Kind::strobe && length.length * motions > most_points)
    throw usage(fmt::format("{} {}: the section would have {} points\n  expected at most 10000000",
                            request.periods ? "⟨periods⟩" : "⟨time⟩",
                            six_digits(request.periods ? *request.periods : *request.time),
                            six_digits(length.length * motions)));
  SectionOptions options;
  options.place = place;
  options.transient = length.transient;
  options.length = length.length;
  options.flow = flow;
  options.interrupted = request.interrupted;
  options.progress = request.progress;
  return options;
}

/// The first motion that did not reach its end, else the first that never met the section.
const SectionTrack* first_failure(const SectionResult& result) {
  const auto find = [&](auto failed) -> const SectionTrack* {
    const auto found = std::find_if(result.tracks.begin(), result.tracks.end(), failed);
    return found == result.tracks.end() ? nullptr : &*found;
  };
  if (const auto* stopped = find([](const SectionTrack& t) { return t.section.outcome != Outcome::reached_end; }))
    return stopped;
  return find([](const SectionTrack& t) { return t.section.points.empty(); });
}

}  // namespace

SectionResult run(const SectionRequest& request) {
  SectionResult result{.prepared = prepared(request), .request = request};
  const Model& model = *result.prepared.model;
  if (model.hill)
    throw Error(ExitCode::usage, "a [hill] model has no motion to follow\n  expected a model with [mechanics]");
  require_valid(request);
  const Setup& setup = result.prepared.setup;
  const Chosen at = chosen(request, result.prepared);
  result.place = at.text;
  result.options = flow_options(result.prepared, request.options, request.method);
  const SectionOptions options = options_of(request, at.place, setup.forcing_period, result.options);
  for (Diagnostic& warning : motion_warnings(request, result.prepared))
    result.prepared.warnings.push_back(std::move(warning));
  KernelOptions wanted;
  wanted.state_columns = 0;
  wanted.surfaces = at.surfaces;
  for (const Observable& observable : model.observables) wanted.observables.push_back(observable.value.expr);
  const Kernels kernels(model, wanted);
  const std::vector<Vector> starts = start_states(request.starts, result.prepared, kernels);
  warn_of_start(result.prepared.warnings, kernels, model, starts.front(), setup.parameters);
  std::vector<SectionPoints> sections =
      sections_of(kernels, starts, setup.parameters, setup.forcing_period, options, threads_of(request.options));
  result.columns = model.component_names();
  for (const Observable& observable : model.observables) result.columns.push_back(observable.name);
  result.angle_periods = translations_of(kernels, setup.parameters).periods(result.prepared.model->n());
  const Mechanism mechanism(kernels, setup.parameters);
  for (std::size_t k = 0; k < starts.size(); ++k) {
    SectionTrack track{starts[k], std::move(sections[k]), {}};
    for (const SectionPoint& point : track.section.points) track.rows.push_back(row_of(point, mechanism, model));
    result.tracks.push_back(std::move(track));
  }
  return result;
}

std::string stop_message(const SectionResult& result) {
  const SectionTrack* failed = first_failure(result);
  if (!failed) return "";
  const SectionPoints& section = failed->section;
  const double t = section.end.t.absolute(result.prepared.setup.forcing_period);
  if (section.outcome != Outcome::reached_end) return stop_message(result.prepared, {section, t, section.end});
  return said(
      fmt::format("{}: the section was never met until t = {}: {}\n"
                  "  make the run longer, or choose another surface with ⟨surface⟩ EXPRESSION or ⟨at-impacts⟩ CONTACT",
                  result.prepared.file, six_digits(t), result.place));
}

ExitCode exit_code(const SectionResult& result) {
  const SectionTrack* failed = first_failure(result);
  if (!failed) return ExitCode::done;
  return failed->section.outcome != Outcome::reached_end ? exit_code_of(failed->section.outcome)
                                                         : ExitCode::stopped_early;
}

}  // namespace saltus
