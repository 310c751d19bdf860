#pragma once

#include <complex>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "saltus/analysis/branches/long_orbit.hpp"
#include "saltus/analysis/motions/multipliers.hpp"
#include "saltus/analysis/orbits/hybrid_orbit.hpp"
#include "saltus/analysis/orbits/sequence_text.hpp"

namespace saltus {

/// What an orbit is where it is special.
enum class SpecialKind {
  none,
  fold,
  branch_point,
  period_doubling,
  torus,
  grazing,
  sliding,
  hopf,
  wanted,
  // on curves in two parameters
  cusp,
  resonance_11,  // two multipliers 1
  resonance_12,  // two multipliers −1
  resonance_13,  // exp(±2πi/3)
  resonance_14,  // ±i
  fold_flip,  // 1 and −1
  generalized_doubling,  // the cubic coefficient of a doubling vanishes
  degenerate_torus,  // that of a torus
  fold_torus,  // 1 and a pair
  flip_torus,  // −1 and a pair
  // where their orbits shrink into an equilibrium
  generalized_hopf,  // the cubic coefficient of a Hopf point vanishes
  zero_hopf,  // a Hopf point with an eigenvalue 0 besides
  double_hopf,  // with a second pair on the imaginary axis
};
/// "", LP, BP, PD, NS, GR, SL, HB, UZ, CP, R1, R2, R3, R4, FF, GPD, CH, LPNS, PDNS, GH, ZH, HH.
std::string_view label_of(SpecialKind kind);
/// PD2; R1-2 of those whose name ends with a digit.
std::string numbered_label(SpecialKind kind, int number);
/// The kind that a label (PD1) names; none if it names none.
SpecialKind kind_of_label(std::string_view label);
/// All of them, without the first.
std::vector<std::string> special_labels();
/// Nothing happens there: an orbit like its neighbours, labelled or not.
bool is_ordinary(SpecialKind kind);
/// The orbits have shrunk into an equilibrium there.
bool is_equilibrium(SpecialKind kind);

/// What becomes of a branch where its sequence of events ends.
enum class Passage {
  none,        // not such a point
  persists,    // it goes on beyond, with another sequence
  folds_back,  // the orbit with the other sequence lies on the same side: both end here together
  disappears,  // no orbit with another sequence was found
};
std::string_view name_of(Passage passage);

/// One orbit of a branch.
struct BranchPoint {
  const Vector& x() const { return returns.front(); }
  PlannedOrbit orbit;
  double parameter = 0.0;  // the last of the varied ones
  std::vector<Vector> returns;  // states on the strobe or the section
  double period = 0.0;
  Drift drift;
  std::vector<std::complex<double>> multipliers;  // empty where they are infinite
  std::vector<double> multiplier_logs = {};  // ln of their moduli, if known better than by them
  Stability stability = Stability::neutral;
  bool stable = false;  // the same, in short
  std::size_t sequence = 0;  // into Branch::sequences
  SpecialKind special = SpecialKind::none;
  std::size_t multiplicity = 1;  // of a period doubling or branch point: how many multipliers are −1 or 1 together
  std::string label;         // PD1, GR2: numbered along the branch
  Passage passage = Passage::none;
  std::size_t sequence_beyond = 0;  // where the sequence changes
  std::string note;                 // in words
  Eigen::VectorXcd null_vector;     // perturbation of the state just after the cut that belongs to the special point
  std::optional<Brink> brink;       // of a grazing or sliding point
};

/// Why a branch ends.
struct BranchEnd {
  CurveEnd reason = CurveEnd::most_points;
  std::string words;  // of the event-driven motion, if it contradicts; or what the sequence change met
  std::optional<double> frequency = {};     // where orbits shrink into an equilibrium
  std::vector<Equilibrium> saddles = {};    // beside which the period grows without bound
  std::optional<ParameterLimit> limit = {};  // of the parameter there
};

/// A curve of periodic orbits in a parameter.
struct Branch {
  SpecialKind along = SpecialKind::none;  // of a curve in two parameters: what its points are
  std::vector<BranchPoint> points;     // in order along the curve
  std::vector<std::string> sequences;  // in words
  std::vector<BranchEnd> ends;  // one per direction that was followed, the backward one first
  std::optional<double> held = {};  // of orbits of one period, or on one level: that
  std::vector<double> unexplained = {};  // where the number of unstable multipliers changes without a special point
};

/// Where a branch is to end: at the n-th point of a kind that is met in a direction.
struct BranchStop {
  SpecialKind kind = SpecialKind::none;
  std::size_t number = 1;
};

struct BranchOptions {
  ContinuationOptions curve;
  std::vector<BranchStop> stops = {};  // whichever is met first
  enum class Direction { both, up, down };
  Direction direction = Direction::both;
  int most_changes = 200;  // of the sequence, in each direction
  double longest = 0.0;  // orbits of which only the period grows are followed until it is as long
  EventNames names;
  std::function<void(double)> progress;  // part of the parameter's range that has been covered, 0 … 1
};

/// An orbit near a guess, with the sequence of the guess.
struct CorrectedOrbit {
  std::optional<PlannedOrbit> orbit;
  double residual = 0.0;
  std::string problem;  // why there is none
  Vector last = {};  // the state just after the cut where Newton's method gave up
  Vector last_return = {};  // on the strobe or section, of the same iterate
};
CorrectedOrbit nearby_orbit(const OrbitSystem& system, const PlannedOrbit& guess, const ContinuationOptions& options);

/// The branch through an orbit, in the one varied parameter. A start that is known to be special keeps its label.
Branch branch_through(const OrbitSystem& system, const PlannedOrbit& orbit, const BranchOptions& options);
Branch branch_through(const OrbitSystem& system, const BranchPoint& start, const BranchOptions& options);

/// The other branch at a period doubling or branch point. The end has words if there is none.
Branch switched_branch(const OrbitSystem& system, const BranchPoint& at, const BranchOptions& options);

/// The curve of folds, period doublings, tori or grazings in two varied parameters through a special orbit. The first varied one
/// is held between bounds of its own.
struct SecondBounds {
  double lower, upper;
};
Branch special_curve(const OrbitSystem& system, const BranchPoint& at, const BranchOptions& options,
                     const SecondBounds& second);

/// The curve of branch points: orbits in which two branches in the last parameter cross. Where they only come near each other it ends.
Branch branch_point_curve(const OrbitSystem& system, const BranchPoint& at, const BranchOptions& options,
                          const SecondBounds& second);

/// A quantity that motions keep, as an energy: one of the surfaces of the kernels, and what it is along a curve; what it is on the first orbit if there is no level.
struct HeldLevel {
  std::size_t surface = 0;
  std::optional<double> level;
  std::string name;
};
/// The curve of orbits without forcing on which that quantity has one value. The parameter that stands last unfolds the family of them that is there at each value of the
/// other, and stays what it is.
Branch level_curve(const OrbitSystem& system, const PlannedOrbit& orbit, const BranchOptions& options,
                   const SecondBounds& second, const HeldLevel& held);

/// The curve of orbits without forcing that last as long as one, in two varied parameters.
Branch period_curve(const OrbitSystem& system, const PlannedOrbit& orbit, const BranchOptions& options,
                    const SecondBounds& second);

}  // namespace saltus
