#pragma once

#include <optional>
#include <span>
#include <vector>

#include "saltus/flow/crossing.hpp"
#include "saltus/flow/curve_bounds.hpp"

namespace saltus {

// Events are excluded by bounds, never by samples. On a piece of a step the motion is a known polynomial; boxes around it and its
// derivatives give intervals for an event function g, for ġ and for g̈. With values and rates at both ends of the piece a bound on
// g̈ makes two parabolas below g: where they stay above zero there is no event. What is said here is said of the polynomial; how
// far it may be from the motion is the margin.

/// The lowest value between its ends, these apart, of a function with these ends whose second rate is nowhere below `bend`, if it
/// is positive there; never above the truth.
double meeting_value(const EndJet& start, const EndJet& end, double h, double bend);
/// The same of a function whose rate stays between bounds: two lines.
double tent_value(double start, double end, double h, Interval rate);
/// The least and the largest rate that it can have if its second rate stays in `bend`.
Interval rates_between(const EndJet& start, const EndJet& end, double h, Interval bend);

/// What the ends of a whole step and a bound of g̈ over it prove.
enum class Proof {
  clear,  // it does not fall through zero inside
  single,  // it falls through zero once
  open,
};
/// `ends_there`: its end is a zero that is known already; the question is what lies before it.
Proof proof_by_ends(const EndJet& start, const EndJet& end, double h, Interval bend, double margin, Beginning beginning,
                    bool ends_there);

/// The same of a function whose rate is bounded, a force or a weight.
Proof proof_by_rates(double start, double end, double h, Interval rate, double margin, Beginning beginning);

/// An event function that is looked for inside a step.
struct Sought {
  std::size_t row;  // g = sign · (value of the row − offset)
  double sign = 1.0;
  double offset = 0.0;
  Beginning beginning = Beginning::away;
  double margin =
      0.0;  // how far the polynomial's g may be from the motion's in the middle of the step; at its ends not at all
  double near = 0.0;  // a minimum below it is not decided by the polynomial
  bool is_gap = false;  // its minima near zero are wanted, and places where it is not defined
  bool begins_at_minimum = false;  // which has been looked at
  bool may_press = false;  // a gap that was let go where the step begins: does it close from the very start?
  bool of_rates = false;  // made of rates: the polynomial's error falls more slowly towards the ends
  int side = 1;  // the sign of g just behind the start
  std::optional<EndJet> begin = std::nullopt, end = std::nullopt;  // at the ends of the step, if they are known
};

/// The first thing inside a step that needs a true look, in parts of the step.
struct Finding {
  enum class Kind {
    crossing,  // falls through zero between `lower` and `upper`
    near_zero,  // has a minimum between them that may or may not reach zero
    immediate,  // is below zero from the start
    undefined,  // is not a number at `upper`
    undecided,  // nothing happens before `lower`
  };
  Kind kind;
  std::size_t sought;
  double lower, upper;
  double place;  // of the zero or the minimum, about
};

/// Lower bounds of an event function between two places of a step: anywhere, and at minima inside.
struct LowestValues {
  double anywhere, at_minima;
};
LowestValues lowest_values(CurveBounds& bounds, const Sought& it, Part part, double h);

/// Goes through a step from left to right, in pieces that are split where bounds do not decide.
class EventSearch {
 public:
  /// `most_splits`: after so many of them what is still open is left undecided.
  explicit EventSearch(CurveBounds& bounds, int most_splits = 100) : bounds_(bounds), most_splits_(most_splits) {}

  /// The first finding among all that is sought.
  std::optional<Finding> first(std::span<const Sought> sought, double h);

 private:
  enum class Verdict { resolved, found, open };
  struct View;
  void split(double lower, double upper, const std::vector<std::size_t>& open);
  Verdict look(std::size_t s, const View& view);
  bool may_graze(std::size_t s, const View& view) const;
  Verdict look_closely(std::size_t s, const View& view);
  Verdict found(Finding::Kind kind, std::size_t s, const View& view);
  void resolve(std::size_t s, const View& view);
  View view_of(std::size_t s, const Part& part, const CurveBounds::Row& begin, const CurveBounds::Row& end,
               const CurveBounds::Row& box) const;

  CurveBounds& bounds_;
  int most_splits_;
  std::span<const Sought> sought_;
  std::vector<int> sides_;
  double h_ = 0.0;
  double horizon_ = 1.0;  // nothing behind it matters any more
  int splits_ = 0;
  std::optional<Finding> first_;
};

}  // namespace saltus
