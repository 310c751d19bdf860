#include "saltus/driver/lyapunov.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <thread>

#include "saltus/analysis/motions/recurrence.hpp"
#include "saltus/base/text.hpp"
#include "saltus/driver/flow_settings.hpp"
#include "saltus/driver/request_options.hpp"
#include "saltus/driver/start_warnings.hpp"

namespace saltus {
namespace {

LyapunovOptions options_of(const LyapunovRequest& request, double period) {
  const MotionLength length = motion_length(request, period);
  LyapunovOptions options;
  options.transient = length.transient;
  options.length = length.length;
  if (request.error) options.error = *request.error * unit_of(request.base);
  return options;
}

void require_motion(const Model& model) {
  if (model.hill)
    throw Error(ExitCode::usage, "a [hill] model has no motion to follow\n  expected a model with [mechanics]");
}

unsigned useful_threads(const RunOptions& options, std::size_t starts) {
  return static_cast<unsigned>(std::min<std::size_t>(threads_of(options), starts));
}

std::size_t first_incomplete(const LyapunovResult& result) {
  const auto found = std::find_if(result.spectra.begin(), result.spectra.end(),
                                  [](const auto& s) { return s.outcome != Outcome::reached_end; });
  return static_cast<std::size_t>(found - result.spectra.begin());
}

}  // namespace

LyapunovResult run(const LyapunovRequest& request) {
  LyapunovResult result{.prepared = prepared(request), .request = request};
  const Model& model = *result.prepared.model;
  require_motion(model);
  require_valid(request);
  const Setup& setup = result.prepared.setup;
  LyapunovOptions options = options_of(request, setup.forcing_period);
  result.options = options.flow = flow_options(result.prepared, request.options, request.method);
  for (Diagnostic& warning : motion_warnings(request, result.prepared))
    result.prepared.warnings.push_back(std::move(warning));
  require_surface(request);
  KernelOptions wanted;
  if (setup.forcing_period > 0.0) {
    if (!request.surface.empty())
      throw Error(ExitCode::usage, "a forced motion is judged by its strobe\n  leave ⟨surface⟩ out");
    result.section = "strobe";
  } else if (const auto surface = motion_surface(request, result.prepared)) {
    wanted.surfaces = {surface->expr};
    options.section = surface->watch;
    result.section = surface->text;
  }
  const unsigned width = request.starts.are_several() ? host().lanes : 1;
  const Kernels kernels(model, wanted, width > 1 ? std::vector<unsigned>{1, width} : std::vector<unsigned>{1});
  result.states = start_states(request.starts, result.prepared, kernels);
  warn_of_start(result.prepared.warnings, kernels, model, result.states.front(), setup.parameters);
  std::vector<LyapunovStart> starts;
  for (const Vector& state : result.states) starts.push_back({state, setup.parameters, setup.forcing_period});
  result.spectra = lyapunov_spectra(kernels, starts, options, width, useful_threads(request.options, starts.size()),
                                    request.interrupted, request.progress);
  if (request.starts.are_several())
    result.attractors = distinct_attractors(result.spectra, translations_of(kernels, setup.parameters));
  if (request.tangent_check)
    result.tangent_agreement =
        tangent_check(kernels, result.states.front(), setup.parameters, setup.forcing_period,
                      {.transient = options.transient, .length = options.length, .windows = 8, .flow = options.flow});
  return result;
}

std::string stop_message(const LyapunovResult& result) {
  const std::size_t first = first_incomplete(result);
  if (first == result.spectra.size()) return "";
  const LyapunovSpectrum& s = result.spectra[first];
  const double t = s.end.t.absolute(result.prepared.setup.forcing_period);
  return stop_message(result.prepared, {s, t, s.end});
}

ExitCode exit_code(const LyapunovResult& result) {
  const std::size_t first = first_incomplete(result);
  return first == result.spectra.size() ? ExitCode::done : exit_code_of(result.spectra[first].outcome);
}

}  // namespace saltus
