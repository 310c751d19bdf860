#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "saltus/analysis/orbits/shooting_newton.hpp"

namespace saltus {

/// What belongs to the search for orbits of a model, whatever its parameters.
struct OrbitSetting {
  const Kernels& kernels;  // with N state columns, columns of varied parameters if any, the section as surface
  FlowOptions flow;
  Translations translations;  // closed means closed up to one of them
  std::optional<Watch> section;  // of an autonomous system: where `x` is taken and returns are counted
};

/// Tolerances that let Newton reach 1e-11: rtol 1e-12, atol 1e-14, tangent 1e-11.
FlowOptions orbit_flow_options();

/// How an orbit lies with respect to x ↦ −x.
enum class OrbitSymmetry {
  none,
  symmetric,  // x(t + T/2) = −x(t)
  mirror_pair,  // −x(t + T/2), or −x(t) without forcing, is another orbit
};
std::string_view name_of(OrbitSymmetry symmetry);

/// A periodic orbit with everything that is known of it. At the strobe (forced) or on the section (autonomous; without a section at
/// some point of it) the orbit passes through `points`, the first of which is x.
struct PeriodicOrbit {
  Vector x;
  Mode mode;  // at x
  double period = 0.0;  // in time
  long returns = 0;  // forcing periods, or returns to the section; 0: no section
  std::vector<Vector> points;  // one per return
  StateSizes sizes;  // ranges of the components on it
  std::vector<Multiplier> multipliers;
  bool stable = false;
  Stability stability = Stability::neutral;
  EventSequence sequence;
  std::vector<Event> events;  // times count from x
  double residual = 0.0;  // ShootingValue::error
  double condition = 0.0;  // of the Jacobian
  OrbitSymmetry symmetry = OrbitSymmetry::none;
  Vector turns;  // what angles gain in one period
  Drift drift;
  std::vector<double> smallest_gamma;  // per contact: slowest impact, inf without one
  ShootingMesh mesh;
  Vector u;
  double start = 0.0;  // how long after the first node of the mesh x is

  std::size_t segments() const { return mesh.nodes.size(); }
};

/// All that follows from a solution of the shooting conditions. The multipliers are taken over as many segments as their size asks
/// for, whatever the mesh, so that they do not depend on it.
PeriodicOrbit periodic_orbit(const OrbitSetting& setting, const ParameterPoint& p, const ShootingMesh& mesh,
                             const Vector& u, const ShootingValue& value, double condition);

/// The orbit at count + 1 equally spaced instants of one period, from x to x; times count from x. Angles go on growing.
std::vector<Sample> samples_of(const OrbitSetting& setting, const ParameterPoint& p, const PeriodicOrbit& orbit,
                               std::size_t count);

/// An orbit, or why there is none: `shooting` then holds the last point and all steps.
struct OrbitSearch {
  std::optional<PeriodicOrbit> orbit;
  ShootingResult shooting;
  Vector last;  // without an orbit: the last state at the strobe (autonomous: at the first node)
  long reduced_from = 0;  // the period asked for, if the orbit closes already after a part of it
};

struct OrbitOptions {
  std::size_t segments = 0;  // 0: four per return, 4 … 40; one if that fails
  NewtonOptions newton;
};

/// The periodic orbit near a guess, by damped Newton; reduced to its prime period.
OrbitSearch find_orbit(const OrbitSetting& setting, const ParameterPoint& p, const OrbitGuess& guess,
                       const OrbitOptions& options = {});

/// A guess from a state: as it is, for `returns` returns. Nothing if an autonomous motion does not meet the section `returns` times
/// within `longest`, or stops on the way: `stopped` says why.
struct GuessReading {
  std::optional<OrbitGuess> guess;
  std::optional<Arc> stopped;
};
GuessReading guess_from(const OrbitSetting& setting, const ParameterPoint& p, const ArcStart& start, long returns,
                        double longest);

struct OrbitsOptions {
  long longest_period = 1;  // orbits of 1 … this many returns
  long transient = 0;  // returns that every start is followed before Newton begins
  double longest_return = 1e30;  // autonomous: a start that takes longer per return is given up
  long most_steps = 200'000;  // so is one that takes more steps of integration, as in a stiff region
  unsigned threads = 1;
  OrbitOptions orbit;
  std::function<void(double)> progress;  // 0 … 1, one thread at a time
};

/// One orbit of several, and the starts that led to it.
struct FoundOrbit {
  PeriodicOrbit orbit;
  std::vector<std::size_t> starts;
};

/// All distinct orbits that Newton reaches from the starts, unstable ones included: shortest first, then in the order of the starts.
/// Orbits are the same when a point of one is a point of the other.
std::vector<FoundOrbit> find_orbits(const OrbitSetting& setting, const ParameterPoint& p,
                                    const std::vector<Vector>& starts, const OrbitsOptions& options);

/// Whether both pass through the same points.
bool same_orbit(const PeriodicOrbit& a, const PeriodicOrbit& b, const Translations& translations);

}  // namespace saltus
