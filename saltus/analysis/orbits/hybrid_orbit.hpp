#pragma once

#include <array>
#include <complex>
#include <memory>
#include <string>
#include <vector>

#include "saltus/analysis/curves/continuation.hpp"
#include "saltus/analysis/orbits/orbit_brinks.hpp"

namespace saltus {

/// What there is to know of an orbit.
struct OrbitReport {
  bool whole = false;
  std::vector<std::complex<double>>
      multipliers;  // decreasing modulus; of an autonomous orbit the trivial one is left out
  std::vector<double> log_abs;  // ln of their moduli, also of values that no floating-point number is as small as
  std::optional<std::complex<double>> trivial;    // which is this
  Matrix monodromy;                               // from just after the cut
  Drift drift;  // in one period; the multipliers 1 of cyclic directions are left out, too
  std::vector<Brink> brinks;
  std::vector<double> growth;  // ln of what disturbances grow by until the end of each segment, in units of the sizes
};

/// How an orbit without events and forcing stands to the plane that gives it its phase.
struct PhaseState {
  double speed =
      1.0;  // along the plane's normal, in units of the anchor's: not above 0 where the orbit has shrunk to a point
  double cosine = 1.0;  // of the angle between the flow and the normal
};

/// A periodic orbit with a fixed sequence of events as a boundary value problem. Unknowns y: the time of the cut (forced orbits
/// with events), then for each segment its start Xᵢ and duration τᵢ, then the varied parameters. Equations: each segment is the
/// smooth motion φ of its mode for τᵢ, whatever it meets on its way,
///     R(φ(Xᵢ, tᵢ, τᵢ)) − Xᵢ₊₁ = 0,    s(φ(Xᵢ, tᵢ, τᵢ)) = 0,    and  Σ τᵢ = k T(p)  of a forced orbit.
/// Without events and forcing X₁ lies in the plane across the flow at the anchor, a point of an orbit nearby that moves along the branch.
/// The last closure holds up to a drift along cyclic directions, as in `ShootingValue`.
/// No instant is a function of the state: nothing is divided by γ, and the equations stay regular at grazing.
class HybridOrbit : public CurveProblem {
 public:
  /// `typical`: an orbit with the plan, which gives the unknowns their scale.
  HybridOrbit(const OrbitSystem& system, const PlannedOrbit& typical, const Vector& parameter_scale);

  std::optional<Jet> jet(const Vector& y) const override;
  bool anchored_at(const Vector& y) const override;
  Vector without_phase(const Vector& y, const Vector& tangent) const override;
  Vector scale() const override { return scale_; }
  /// period doubling Π(1 + μ), Neimark–Sacker Π(1 − μᵢμⱼ), the difference of the halves of an orbit that runs through one sequence
  /// twice, impact speed, gap, sliding, switch; all but the first two end the curve.
  std::vector<double> tests(const Vector& y) const override;
  bool ends_at(std::size_t test) const override { return test >= halves_test; }
  bool is_special(std::size_t test, const Vector& y) const override;
  /// Multipliers outside the unit circle; nothing if one lies so near to it that this is not certain.
  std::optional<std::size_t> unstable_directions(const Vector& y) const override;
  std::optional<Parity> parity(const Vector& y) const override;
  bool flips(std::size_t test) const override { return test == period_doubling_test; }
  enum Test : std::size_t {
    period_doubling_test,
    torus_test,
    halves_test,
    speed_test,
    gap_test,
    sliding_test,
    switch_test,
    test_count,
  };
  static constexpr std::array brink_tests = {speed_test, gap_test, sliding_test, switch_test};

  const OrbitPlan& plan() const { return plan_; }
  const OrbitSystem& system() const { return system_; }
  Vector unknowns(const PlannedOrbit& orbit) const;
  PlannedOrbit orbit(const Vector& y) const;
  std::vector<double> varied(const Vector& y) const;
  double period(const Vector& y) const;

  const OrbitReport& report(const Vector& y) const;
  /// The brink that one of `brink_tests` is the smallest of.
  std::optional<Brink> brink(const Vector& y, std::size_t test) const;

  /// E with  G(u of a period, u⁺ of the next) = G(u) + E (u − u⁺),  u and u⁺ in units of the scale: what the start of the next period enters by.
  Matrix closing() const;

  PhaseState phase_state(const Vector& y) const;
  /// What the components of the state reach along the orbit that gave the scale.
  Vector sizes() const { return units().x; }
  /// With the longest of its segments and the scale of the parameters.
  OrbitUnits units() const;
  /// Speed × duration over the segments, in units of the sizes: zero for an equilibrium, and for what lasts no time.
  double path_length(const Vector& y) const;

  /// The states at t = 0 (mod T), or at the section, one per return; just after the cut where the section is not met.
  std::vector<Vector> return_states(const Vector& y) const;
  /// The first of them.
  Vector return_state(const Vector& y) const { return return_states(y).front(); }

  /// The event-driven motion from the start of each segment meets what the plan says, when it says so. Else what it meets instead.
  std::string contradiction(const Vector& y) const;

  /// γ at the end of a segment with its derivative by y, for curves of grazing orbits.
  std::pair<double, Vector> approach(const Vector& y, std::size_t segment) const;
  /// The derivative by y of a function of the start of a segment, of its time, its duration and the parameters.
  Vector slope_at_start(std::size_t segment, const EventRow& row, double dtau) const;

 private:
  bool may_annihilate(const Mechanism& mechanism, std::size_t i, const OrbitPiece& piece) const;
  double difference_of_halves(const Vector& y) const;
  std::vector<Vector> section_states(const PlannedOrbit& now, const ParameterPoint& p) const;
  bool has_phase() const;
  Vector rate_at(const Vector& y, std::size_t segment) const;
  void add_cut(const PlannedOrbit& now, std::size_t i, Jet& jet) const;
  void add_period(const ParameterPoint& p, double duration, Jet& jet) const;
  void allow_drift(const Vector& y, Jet& jet) const;
  FlowResult motion_from(const ParameterPoint& p, double t, const Vector& x, const Mode& mode, double duration) const;
  Matrix carried(const Mechanism& mechanism, std::size_t i, const OrbitPiece& piece) const;
  Eigen::Index column_x(std::size_t i) const;
  Eigen::Index unknown_count() const;

  struct Anchor {
    Vector x, along;  // a point and the direction of the flow there, in units of the scale
    double speed = 0.0;
  };

  OrbitSystem system_;
  OrbitPlan plan_;
  bool has_time_;
  mutable Anchor anchor_;
  Vector held_at_;  // what tells a drift, at the start of the first segment
  mutable std::optional<Vector> halves_;  // what tells the halves of a doubled orbit apart
  Vector scale_;
  mutable Vector reported_y_;
  mutable OrbitReport report_;
};

/// True if all multipliers lie inside the unit circle.
bool is_stable(const std::vector<std::complex<double>>& multipliers);

}  // namespace saltus
