#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "saltus/flow/mode_table.hpp"

namespace saltus {

/// A switch that was met: when, which, what became of it, where; with what a disturbed motion does: when it meets it (a row), and
/// where (columns). Both empty: not carried, or not known.
struct SwitchMet {
  double t;
  std::size_t index;
  SwitchState what;
  Eigen::VectorXd x = {};
  Eigen::RowVectorXd delay = {};
  Eigen::MatrixXd variation = {};
};

/// Switches that follow each other ever faster: a pattern that repeats itself, each time in r < 1 of the time before.
struct Accumulation {
  double t;  // where they end
  double left;  // until then
  double ratio;  // r, of one round to the one before; 0: they follow no such law
  double lasted;  // since the pattern began
  std::vector<std::size_t> switches;
  Eigen::VectorXd x = {};  // where they end, ...
  Eigen::RowVectorXd delay = {};  // ... and the derivatives of both
  Eigen::MatrixXd variation = {};
};

/// The switches that a motion met last, and whether they accumulate.
///
/// A round of m switches repeats itself and T_j = t_j − t_{j−m} shrinks like r^j: the limit is t* = t + T r/(1 − r), and so for every
/// component of the state with its own ratio (position shrinks like T², velocity like T). It is taken when three rounds agree on it and
/// what is left is below `short_enough` of the time since the pattern began. Half a round of a symmetric motion is its mirror image: the
/// same switches, to the other sides. That says the same in half the time, which counts where rounds shrink by orders of magnitude.
class SwitchHistory {
 public:
  static constexpr std::size_t longest_round = 16;
  static constexpr double short_enough = 1e-6;  // ... if they agree on t* to `agreed` of that time ...
  static constexpr double agreed = 1e-11;
  static constexpr double shorter = 1e-9;  // ... or then, if they agree on r
  /// Switches closer together than this, measured by the time: the clock resolves them no longer.
  static constexpr double unresolved = 1e-13;
  /// So many switches in a time that is not resolved end a run.
  static constexpr std::size_t most_at_an_instant = 48;

  void note(SwitchMet met);
  /// Something else happened: what came before tells nothing of what follows.
  void forget();
  /// A pattern shrinks, whether or not it is near its end: what follows deserves the long way.
  bool shrinks() const { return rhythm_ != 0 || half_ != 0; }
  /// The length of the last round of such a pattern, or of its half.
  double last_round() const { return back(0).t - back(half_ != 0 ? half_ : rhythm_).t; }
  /// The switch met last was met before, and before that more than twice as long ago: a pattern may have begun.
  bool hurries() const;
  /// How far the state goes between switches of such a pattern; infinite where there is none. Steps must resolve it, however small.
  double reach() const { return reach_; }
  /// The speed of the state across the surface that was met last.
  void note_speed(double speed);
  /// The surface that is about to be met is one on which the motion comes to rest, so much later.
  void note_rest(double left) { left_to_rest_ = left; }
  double left_to_rest() const { return left_to_rest_; }
  /// The limit, if the switches are near enough to it.
  std::optional<Accumulation> limit() const;
  /// Switches without end in no time, and no law in them.
  std::optional<Accumulation> stuck() const;

 private:
  /// Does the pattern come again as it is, or as its mirror image?
  enum class Image { same, mirrored };
  std::size_t round(Image image) const;
  bool repeats(std::size_t m, Image image) const;
  bool shrinks_by(std::size_t m) const;
  std::optional<Accumulation> limit_of(std::size_t m, Image image) const;
  const SwitchMet& back(std::size_t j) const { return met_[met_.size() - 1 - j]; }
  std::vector<std::size_t> last_switches(std::size_t count) const;
  void extrapolate(std::size_t m, Image image, Accumulation& limit) const;

  std::vector<SwitchMet> met_;
  double began_ = 0.0;  // of the pattern
  std::size_t rhythm_ = 0;  // its length, 0: none
  std::size_t half_ = 0;  // that of its mirrored half
  double reach_ = std::numeric_limits<double>::infinity();
  double left_to_rest_ = 0.0;
};

}  // namespace saltus
