#include "saltus/driver/diagram_look.hpp"
#include "saltus/driver/option_expression.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "saltus/base/text.hpp"

namespace saltus {
namespace {

/// The first velocity at a surface, unless it is the surface; else the first coordinate, or state where there is none.
std::string default_observable(const DiagramRequest& request, const PreparedModel& prepared,
                               const std::optional<MotionSurface>& surface) {
  const Model& model = *prepared.model;
  if (!request.observe.empty()) return request.observe;
  const std::string first = model.component_names().front();
  const bool velocity = !model.v.empty() && surface && !request.extrema && surface->expr != model.v.front();
  return velocity ? first + "'" : first;
}

void require_one_place(const DiagramRequest& request) {
  const int places =
      (request.at_impacts.empty() ? 0 : 1) + (request.impact_velocity.empty() ? 0 : 1) + (request.extrema ? 1 : 0);
  if (places > 1)
    throw usage("more than one of ⟨at-impacts⟩, ⟨impact-velocity⟩ and ⟨extrema⟩ is given\n  expected one");
  if (!request.impact_velocity.empty() && !request.observe.empty())
    throw usage("⟨impact-velocity⟩ shows speeds, not ⟨observe⟩\n  use ⟨at-impacts⟩ CONTACT with ⟨observe⟩");
}

const std::string& contact_of(const DiagramRequest& request) {
  return request.impact_velocity.empty() ? request.at_impacts : request.impact_velocity;
}

}  // namespace

DiagramLook diagram_look(const DiagramRequest& request, const PreparedModel& prepared,
                         const std::optional<MotionSurface>& surface) {
  const Model& model = *prepared.model;
  require_one_place(request);
  DiagramLook look;
  if (surface) look.surfaces.push_back(surface->expr);
  const bool forced = prepared.setup.forcing_period > 0.0;
  const bool of_surface = forced && !request.surface.empty();
  const auto chosen = of_surface ? motion_surface(request, prepared) : std::nullopt;
  look.extreme = extreme_in(request.observe);
  if (look.extreme && (!contact_of(request).empty() || of_surface || request.extrema))
    throw usage(
        fmt::format("⟨observe⟩ '{}' is taken over the whole motion\n"
                    "  leave ⟨extrema⟩, ⟨at-impacts⟩ and ⟨surface⟩ out, or give ⟨observe⟩ '{}'",
                    printable(request.observe), printable(look.extreme->of)));
  const std::string text =
      look.extreme ? look.extreme->of : default_observable(request, prepared, of_surface ? chosen : surface);
  look.observable = option_expression("⟨observe⟩", text, model);
  look.observables = {look.observable};
  look.observed = look.extreme ? request.observe : text;
  for (std::size_t i = 0; i < model.q.size(); ++i)
    if (look.observable == model.q[i]) look.coordinate = i;
  using Of = Recording::Of;
  const std::string& contact = contact_of(request);
  if (!contact.empty()) {
    look.recording = {Of::impacts, {}, contact_named(model, contact)};
    look.place = fmt::format("impacts of '{}'", contact);
    look.speeds = !request.impact_velocity.empty();
    if (look.speeds) look.observed = fmt::format("approach speed at '{}'", contact);
  } else if (request.extrema || look.extreme) {
    const ObservedQuantity quantity(look.observable, model);
    look.observables = quantity.observables();
    look.recording = {look.extreme ? Of::extremes : Of::turning, {}, {}, quantity};
    look.place = "extrema";
  } else if (of_surface) {
    look.surfaces.push_back(chosen->expr);
    look.recording = {Of::surface, chosen->watch, {}};
    look.place = chosen->text;
  } else {
    if (!forced && !surface)
      throw usage(
          "the model has neither a forcing period nor a section\n"
          "  add [section] to the model, or ⟨surface⟩ EXPRESSION, ⟨at-impacts⟩ CONTACT or ⟨extrema⟩");
    look.recording = {Of::section, {}, {}};
    look.place = forced ? "strobe" : surface->text;
  }
  return look;
}

std::vector<double> DiagramObserver::operator()(const std::vector<RecordedPoint>& recorded,
                                                const RampValue& value) const {
  std::vector<double> numbers;
  const Mechanism mechanism(kernels_, value.parameters);
  if (look_.extreme) {
    for (std::size_t i = 0; i < recorded.size(); ++i)
      if (look_.extreme->which == (i == 0 ? Extreme::Which::largest : Extreme::Which::smallest) &&
          std::isfinite(recorded[i].value))
        numbers.push_back(recorded[i].value);
    return numbers;
  }
  const bool turns = look_.recording.of == Recording::Of::turning;
  for (const RecordedPoint& point : recorded) {
    if (look_.speeds) numbers.push_back(std::abs(point.gamma_minus));
    else numbers.push_back(reduced(turns ? point.value : mechanism.observe(point.t, point.x_minus)[0]));
  }
  return numbers;
}

double DiagramObserver::reduced(double number) const {
  const double period = look_.coordinate ? angle_periods_[*look_.coordinate] : 0.0;
  return period > 0.0 ? std::remainder(number, period) : number;
}

}  // namespace saltus
