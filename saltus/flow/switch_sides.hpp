#pragma once

#include <optional>
#include <vector>

#include "saltus/flow/held_field.hpp"

namespace saltus {

/// On which side of every switch the motion goes on from a point: one rule for the beginning of a run, for a restart, for every
/// event after which a switching function is zero or has jumped.
///
/// Away from its surface a function's own sign decides. On the surface it is what the motion does next, by the first derivative along
/// it that does not vanish, and this for all functions that are zero together: a mode is taken if its motion goes to the sides that
/// it names. If there is none, the motion slides: along as few surfaces as possible, by Filippov's convex combination, or held where
/// they meet (HeldField).
class SwitchSides {
 public:
  /// Times over which things change: the motion, by which noise is measured, and what drives it, beyond which nobody should look ahead. A
  /// motion at rest takes its time, and the push that ends its rest may be short.
  struct Pace {
    Pace(double motion) : Pace(motion, motion) {}
    Pace(double motion, double ahead) : motion(motion), ahead(ahead) {}
    double motion, ahead;
  };

  /// Where and in which mode the motion came; `met`: the switch whose surface was reached, `left`: the one whose slide has come to its
  /// end: zero whatever rounding says.
  SwitchSides(const Mechanism& mechanism, double t, const Vector& x, const Mode& before, Pace pace,
              std::optional<std::size_t> met, std::optional<std::size_t> left = std::nullopt);

  /// The sides, slides and holds that follow; contacts stay as they are. Nothing: no mode goes where it says.
  std::optional<Mode> next() const;

  /// Switches on whose surface the motion is and from which it could as well go to the other side than the one in `next`: both
  /// sides point away, and the model does not say which is taken.
  std::vector<std::size_t> undetermined(const Mode& next) const;

  /// Every switch is off its surface, on the side that the mode says: nothing to decide.
  bool are_kept() const;
  /// The switch is off its surface, in the mode in which the motion came.
  bool is_off(std::size_t k) const;

 private:
  using Switches = std::vector<std::size_t>;
  struct Look {
    Mode mode;
    Switches zeros;  // that were not decided on
    bool settled;
  };
  Look sides_off_surfaces(Mode mode, const std::vector<char>& decided) const;
  std::optional<Mode> decide(const Mode& mode, std::vector<char> decided, const Switches& zeros, int depth) const;
  std::optional<Mode> with_slides(const Mode& mode, const std::vector<char>& decided, const Switches& zeros,
                                  std::size_t sliding, int depth) const;
  std::optional<Mode> by_turns(Mode mode, const std::vector<char>& decided) const;
  std::optional<Mode> completed(const Mode& mode, const std::vector<char>& decided, int depth) const;
  std::optional<Mode> held(const Mode& mode, const Switches& sliding) const;
  std::optional<std::size_t> first_astray(const Mode& mode, const std::vector<char>& decided) const;
  bool are_independent(const Mode& mode, const Switches& chosen) const;
  bool slides_stably(const Mode& mode, const FieldValue& field) const;
  bool passes_limit(const Mode& mode, std::size_t k, double weight) const;
  bool is_kept_by_others(const Mode& mode, const FieldValue& field, std::size_t k) const;
  Matrix normals_of_kept(const Mode& mode) const;
  std::vector<int> departures(const Mode& mode, const FieldValue& field) const;
  Vector values(const Mode& mode) const;
  double pull_of(std::size_t k) const;
  bool is_zero(std::size_t k, const Vector& values) const;
  double preferred(std::size_t k) const;

  const Mechanism& mechanism_;
  double t_;
  const Vector& x_;
  const Mode& before_;
  Pace pace_;
  std::optional<std::size_t> met_, left_;
  Vector noise_;  // of each function
};

}  // namespace saltus
