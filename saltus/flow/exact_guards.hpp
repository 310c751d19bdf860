#pragma once

#include <array>
#include <limits>
#include <optional>

#include "saltus/flow/coinciding_sections.hpp"
#include "saltus/flow/exact_step.hpp"
#include "saltus/flow/exclusion.hpp"
#include "saltus/flow/flow_run.hpp"
#include "saltus/flow/guard.hpp"

namespace saltus {

/// Value and rate of a guard at both ends of a step.
struct GuardEnds {
  double value, rate, value_new, rate_new;
};

/// What the guards do within the steps of one run in closed form: those of the mode, and watched surfaces.
class ExactGuards {
 public:
  struct Meeting {
    Guard guard;
    double tau;  // into the step
  };
  /// A gap that came near zero without reaching it.
  struct Miss {
    std::size_t contact;
    double tau;
    double h;
    double size;  // of the gap's terms
  };

  /// `kept`: watched surfaces on which the mode keeps the motion, `functions`: gaps and switches that it keeps at zero. They are not looked at.
  ExactGuards(const Mechanism& mechanism, const std::vector<Watch>& watches, const std::vector<char>& kept,
              const KeptFunctions& functions)
      : layout_(mechanism.layout()),
        mechanism_(mechanism),
        watches_(watches),
        kept_(kept),
        functions_(functions),
        lowest_minima_(layout_.contacts, std::numeric_limits<double>::infinity()) {}

  /// The first fall of a guard inside the step that is laid out, from `phase`.
  std::optional<Meeting> first_meeting(ExactStep& step, double phase);
  /// The start of the next step is the end of a whole one, and the mode is the same: its values are known.
  void go_on() { begin_.swap(end_); }
  /// The next step begins somewhere else, or in another mode.
  void forget() { known_ = false; }
  /// The guard that the next step begins on, because the instant there was its own.
  void begin_on(const std::optional<Guard>& guard) { arrived_ = guard; }

  /// Lower bounds of the minima of gaps in all steps looked at, by contact; infinite where there are none.
  const std::vector<double>& lowest_minima() const { return lowest_minima_; }
  /// Near misses of the last look.
  std::vector<Miss>& misses() { return misses_; }

  /// In the mode of the step, from its start, how soon a zero of a guard may come: no root of Σ c_k τᵏ is smaller than half of the
  /// least (|c₀|/|c_k|)^(1/k), from the first c_k that is not zero. Infinite if there is no such limit.
  double time_of_zeros(const ExactStep& step);

  /// Σ |cᵢ zᵢ|.
  static double size_of(const std::vector<ExactRow::Term>& terms, const double* z);
  static double value_of(const ExactRow& row, const double* z) { return sum_of(row.value, z); }
  static double rate_of(const ExactRow& row, const double* z) { return sum_of(row.rate, z); }

 private:
  static double sum_of(const std::vector<ExactRow::Term>& terms, const double* z) {
    double sum = 0.0;
    for (const auto& [i, c] : terms) sum += c * z[i];
    return sum;
  }
  void look(const ExactStep& step, const double* z, std::vector<double>& ends) const;
  /// A linear guard that may fall within the step.
  struct Suspect {
    const Guard* guard;
    GuardEnds ends;
    double doubt;  // how far the cubic through the ends can be from it
    double guess;  // where it falls, about
    bool handled;
  };
  void suspect(double length, const Guard& guard, const GuardEnds& ends, double doubt);
  void consider(const ExactStep& step, const Suspect& it);
  void keep_first(const Guard& guard, std::optional<double> tau);
  void watch(ExactStep& step, double phase);
  bool is_handled(const Guard& guard) const { return arrived_ && was_met(guard, *arrived_); }
  double surface_value(ExactStep& step, double phase, std::size_t surface, double tau) const;
  std::optional<double> first_zero(double length, const Guard& guard, bool handled, double known, double still) const;
  std::optional<double> first_curved_zero(ExactStep& step, double phase, const Guard& guard);
  void lay_curve(ExactStep& step, double phase);
  Sought sought(const Guard& guard, double length);
  double size_of_terms() const;
  void fill_polynomial(const ExactStep& step, const ExactRow& row, const Guard& guard);
  void note_miss(const Guard& guard, double length, double known);
  void note_lowest(const ExactStep& step, double size);

  const Layout& layout_;
  const Mechanism& mechanism_;
  const std::vector<Watch>& watches_;
  const std::vector<char>& kept_;
  const KeptFunctions& functions_;
  std::vector<Guard> watched_;  // multiples of watched surfaces depend on where the motion is: anew for every step
  std::vector<double> begin_, end_;  // values and rates at the ends of the step
  bool known_ = false;  // begin_ is
  std::optional<Guard> arrived_;
  std::optional<Meeting> first_;  // of the guards looked at so far
  std::vector<Suspect> suspects_;
  std::vector<Miss> misses_;
  std::vector<double> lowest_minima_;
  std::array<double, highest_degree + 2> polynomial_;
  std::size_t terms_ = 0;
  std::optional<CurveBounds> curve_;  // of the step, for surfaces that are not linear
};

}  // namespace saltus
