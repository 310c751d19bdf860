#include <fmt/format.h>

#include <algorithm>

#include "saltus/analysis/linear_response.hpp"
#include "saltus/driver/response.hpp"

namespace saltus {
namespace {

constexpr std::size_t samples_per_degree = 8;  // of an element, where its amplitudes are taken

/// The motion of an orbit as its polynomials have it.
std::vector<Sample> samples_of(const TimeElements& elements, const TimeElementOrbit& orbit, const Mechanism& mechanism,
                               double forcing_period) {
  const std::size_t count = elements.options().elements * elements.options().degree * samples_per_degree;
  std::vector<Sample> samples;
  for (std::size_t i = 0; i <= count; ++i) {
    // Just inside at the end, where the first element would begin again.
    const double place = i < count ? static_cast<double>(i) / static_cast<double>(count) : 1.0 - 1e-15;
    const double t = orbit.period * place;
    const Vector x = elements.state(orbit.nodes, place, forcing_period);
    samples.push_back({t, x, open_mode(mechanism, t, x), {}});
  }
  return samples;
}

/// One value of the parameter after the other.
class ElementSweep {
 public:
  ElementSweep(ResponseResult& result, const Kernels& kernels, const TimeElements& elements)
      : result_(result), kernels_(kernels), elements_(elements) {}

  ResponseCurve curve(const std::string& name, const std::vector<std::size_t>& order) {
    ResponseCurve curve{name, false, {}};
    std::optional<Vector> last;  // stable solution
    for (const std::size_t i : order) {
      if (result_.request.interrupted && result_.request.interrupted()) {
        ++result_.missing;
        continue;
      }
      const double value = result_.range.at(i);
      SetupReading reading = setup_at(result_.prepared, result_.request, {result_.range}, {value});
      if (!reading.setup) throw ModelError(ExitCode::usage, std::move(reading.diagnostics));
      const Setup& setup = *reading.setup;
      const Vector start = last ? *last : linear_start(setup);
      const TimeElementOrbit orbit =
          last ? solve_continued(elements_, start, setup.parameters, setup.forcing_period, result_.request.interrupted)
               : elements_.solve(start, setup.parameters, setup.forcing_period);
      curve.points.push_back(entry(orbit, setup, value));
      if (name != "fresh" && orbit.converged() && orbit.stable) last = orbit.nodes;
    }
    std::sort(curve.points.begin(), curve.points.end(),
              [](const ResponseEntry& a, const ResponseEntry& b) { return a.parameter < b.parameter; });
    return curve;
  }

 private:
  Vector linear_start(const Setup& setup) const {
    const auto q = linear_response(kernels_, setup.parameters, setup.forcing_period);
    const auto periods = static_cast<double>(elements_.options().periods);
    return elements_.nodes_of([&](double place) { return q(place * periods); });
  }

  ResponseEntry entry(const TimeElementOrbit& orbit, const Setup& setup, double value) const {
    ResponseEntry entry{.parameter = value};
    entry.x = orbit.x;
    if (orbit.end == TimeElementEnd::singular) {
      const std::size_t free = orbit.undetermined.value_or(0);
      entry.words = fmt::format("undetermined: '{}'", result_.prepared.model->coordinates[free]);
      return entry;
    }
    if (!orbit.converged()) {
      entry.words = "not converged";
      return entry;
    }
    const Mechanism mechanism(kernels_, setup.parameters);
    QuantityMeter meter(kernels_, setup.parameters);
    meter.add(samples_of(elements_, orbit, mechanism, setup.forcing_period), {});
    entry.amplitudes = meter.amplitudes();
    entry.measured = true;
    entry.set(stability_of(orbit.multipliers));
    entry.period = static_cast<std::size_t>(elements_.options().periods);
    entry.words = "periodic";
    return entry;
  }

  ResponseResult& result_;
  const Kernels& kernels_;
  const TimeElements& elements_;
};

}  // namespace

void add_element_curves(ResponseResult& result, const Kernels& kernels) {
  const TimeElements elements(*result.prepared.model, result.request.elements);
  std::vector<std::size_t> up(result.range.count);
  for (std::size_t i = 0; i < up.size(); ++i) up[i] = i;
  const std::vector<std::size_t> down(up.rbegin(), up.rend());
  ElementSweep sweep(result, kernels, elements);
  switch (result.request.sweep) {
    case ResponseSweep::none: return;
    case ResponseSweep::fresh: result.curves.push_back(sweep.curve("fresh", up)); return;
    case ResponseSweep::up: result.curves.push_back(sweep.curve("up", up)); return;
    case ResponseSweep::down: result.curves.push_back(sweep.curve("down", down)); return;
    case ResponseSweep::both:
      result.curves.push_back(sweep.curve("up", up));
      result.curves.push_back(sweep.curve("down", down));
      return;
  }
}

}  // namespace saltus
