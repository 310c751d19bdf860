#include "saltus/flow/coinciding_sections.hpp"

#include <cmath>
#include <ranges>

#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

constexpr double rounding = 1e-12;

/// The surface, or its next multiple, is zero at the state, compared with its terms and with what it changes by over the pace.
bool is_on(const Mechanism& mechanism, const Watch& watch, double t, const InstantSide& at, double rate) {
  const Layout& layout = mechanism.layout();
  const Index N = index(layout.N());
  const Vector jet =
      mechanism.jets(t, at.x, at.mode).row(index(2 * layout.contacts + layout.switches + watch.surface)).transpose();
  const Vector values = mechanism.events(t, at.x, Vector::Zero(N), at.mode).value;
  double value = values[index(layout.contacts + layout.switches + watch.surface)];
  if (watch.modulo > 0.0) value -= watch.modulo * std::round(value / watch.modulo);
  const double size =
      jet.head(N).cwiseAbs().dot(at.x.cwiseAbs()) + std::abs(jet[N] * t) + watch.modulo + std::abs(rate) * at.pace;
  return std::abs(value) <= rounding * size && jet.allFinite();
}

double rate_of(const Mechanism& mechanism, const Watch& watch, double t, const InstantSide& at) {
  const Layout& layout = mechanism.layout();
  const Vector F = mechanism.field(t, at.x, at.mode).rate;
  return mechanism.events(t, at.x, F, at.mode).rate[index(layout.contacts + layout.switches + watch.surface)];
}

}  // namespace

bool is_known_section(const std::vector<Event>& known, double t, std::size_t watch, double direction) {
  for (const Event& event : std::views::reverse(known)) {
    if (std::abs(event.t - t) > 1e-14 * std::abs(t)) return false;
    if (event.kind == EventKind::section && event.index == watch && event.gamma_minus == direction) return true;
  }
  return false;
}

std::vector<Event> coinciding_sections(const Mechanism& mechanism, const std::vector<Watch>& watches, const Time& t,
                                       double period, const InstantSide& before, const InstantSide& after,
                                       const std::vector<Event>& known) {
  std::vector<Event> found;
  const double absolute = t.absolute(period);
  for (std::size_t w = 0; w < watches.size(); ++w) {
    const Watch& watch = watches[w];
    const double arrival = rate_of(mechanism, watch, t.phase, before);
    if (!is_on(mechanism, watch, t.phase, before, arrival)) continue;
    const double departure = rate_of(mechanism, watch, t.phase, after);
    for (const double direction : {1.0, -1.0}) {
      if (watch.direction == (direction > 0.0 ? Crossing::down : Crossing::up)) continue;
      const bool arrives = direction * arrival > 0.0;
      if (!arrives && !(direction * departure > 0.0)) continue;
      if (is_known_section(known, absolute, w, direction)) continue;
      const Vector& x = arrives ? before.x : after.x;
      found.push_back({EventKind::section, absolute, w, direction, 0.0, 0.0, x, x});
    }
  }
  return found;
}

}  // namespace saltus
