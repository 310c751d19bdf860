#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/analysis/response/linear_response.hpp"
#include "saltus/driver/response.hpp"

namespace saltus {
namespace {

/// The motion of an orbit as its polynomials have it, element by element.
Amplitudes amplitudes_of(const TimeElements& elements, const TimeElementOrbit& orbit, double forcing_period,
                         const Kernels& kernels, const ObservedQuantity& quantity,
                         const std::vector<double>& parameters) {
  QuantityMeter meter(kernels, parameters, quantity);
  const Mode mode(kernels.layout());
  const std::size_t count = elements.options().elements;
  const double length = orbit.period / static_cast<double>(count);
  meter.begin();
  for (std::size_t j = 0; j < count; ++j) {
    const auto first = static_cast<double>(j);
    const std::function<void(double, Vector&)> place = [&](double theta, Vector& x) {
      x = elements.state(orbit.nodes, (first + theta) / static_cast<double>(count), forcing_period);
    };
    meter.follow({first * length, length, mode, place});
  }
  meter.keep();
  return meter.meter().amplitudes();
}

/// One value of the parameter after the other.
class ElementSweep {
 public:
  ElementSweep(ResponseResult& result, const Kernels& kernels, const ObservedQuantity& quantity,
               const TimeElements& elements)
      : result_(result), kernels_(kernels), quantity_(quantity), elements_(elements) {}

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
    entry.amplitudes = amplitudes_of(elements_, orbit, setup.forcing_period, kernels_, quantity_, setup.parameters);
    entry.measured = std::isfinite(entry.amplitudes.steady);
    entry.set(stability_of(orbit.multipliers));
    entry.period = static_cast<std::size_t>(elements_.options().periods);
    entry.words = entry.measured ? "periodic" : unresolved;
    return entry;
  }

  ResponseResult& result_;
  const Kernels& kernels_;
  const ObservedQuantity& quantity_;
  const TimeElements& elements_;
};

}  // namespace

void add_element_curves(ResponseResult& result, const Kernels& kernels, const ObservedQuantity& quantity) {
  const TimeElements elements(*result.prepared.model, result.request.elements);
  std::vector<std::size_t> up(result.range.count);
  for (std::size_t i = 0; i < up.size(); ++i) up[i] = i;
  const std::vector<std::size_t> down(up.rbegin(), up.rend());
  ElementSweep sweep(result, kernels, quantity, elements);
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
