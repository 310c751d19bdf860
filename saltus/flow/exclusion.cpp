#include "saltus/flow/exclusion.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace saltus {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t pieces = 8;
constexpr double narrowest = 0x1p-40;  // of a step: in less time nothing happens that its ends do not show

EndJet negative(const EndJet& jet) { return {-jet.value, -jet.rate, -jet.second}; }
Interval negative(Interval i) { return {-i.upper, -i.lower}; }

/// How much of the margin counts between two places of a step: interpolation is exact, with its slope, at both ends.
double share_of_margin(double lower, double upper, bool of_rates) {
  const double theta = std::clamp(0.5, lower, upper);
  const double bump = 4.0 * theta * (1.0 - theta);
  return std::min(1.0, of_rates ? 4.0 * bump : 4.0 * bump * bump);
}

}  // namespace

// ---- what bounds say ------------------------------------------------------------------------------------------------------

double meeting_value(const EndJet& start, const EndJet& end, double h, double bend) {
  if (!(bend > -infinity)) return -infinity;
  const double b = std::min(bend, 0.0);
  // Both parabolas lie below the function and are concave, and their difference is linear.
  const double apart = start.value - end.value + end.rate * h - 0.5 * b * h * h;
  const double closing = end.rate - start.rate - b * h;  // ≥ 0 but for rounding
  const double t = closing > 0.0 ? std::clamp(apart / closing, 0.0, h) : 0.5 * h;
  const double left = start.value + t * (start.rate + 0.5 * b * t);
  const double right = end.value + (t - h) * (end.rate + 0.5 * b * (t - h));
  const double lowest = std::min(left, right);
  if (!(bend > 0.0)) return lowest;
  // A function that bends upwards lies above the vertices of both parabolas as well.
  const auto vertex = [bend](const EndJet& jet) { return jet.value - 0.5 * jet.rate * jet.rate / bend; };
  return std::max(lowest, std::max(vertex(start), vertex(end)));
}

double tent_value(double start, double end, double h, Interval rate) {
  if (!(rate.lower > -infinity && rate.upper < infinity)) return -infinity;
  const double falling = std::min(rate.lower, 0.0);
  const double rising = std::max(rate.upper, 0.0);
  if (falling == rising) return std::min(start, end);
  // Not below start + falling t, nor below end − rising (h − t).
  const double t = std::clamp((end - start - rising * h) / (falling - rising), 0.0, h);
  return std::min(start + falling * t, end + rising * (t - h));
}

Interval rates_between(const EndJet& start, const EndJet& end, double h, Interval bend) {
  if (!(bend.lower > -infinity && bend.upper < infinity)) return {-infinity, infinity};
  const auto highest = [h](double r0, double r1, double least, double largest) {
    if (largest <= 0.0) return r0;  // it falls from the start
    if (least >= 0.0) return r1;  // it rises to the end
    const double t = std::clamp((r1 - r0 - least * h) / (largest - least), 0.0, h);
    return std::max(std::max(r0, r1), std::max(r0 + largest * t, r1 + least * (t - h)));
  };
  return {-highest(-start.rate, -end.rate, -bend.upper, -bend.lower),
          highest(start.rate, end.rate, bend.lower, bend.upper)};
}

Proof proof_by_ends(const EndJet& start, const EndJet& end, double h, Interval bend, double margin, Beginning beginning,
                    bool ends_there) {
  if (!(bend.lower > -infinity && bend.upper < infinity) || beginning == Beginning::at_rest) return Proof::open;
  EndJet from = start;
  if (beginning == Beginning::at_zero) from.value = 0.0;
  const bool above = from.value > 0.0 || (from.value == 0.0 && from.rate > 0.0);
  if (!above) {
    // Below: it would have to rise first.
    if (ends_there || from.value > -margin || end.value > -margin) return Proof::open;
    return meeting_value(negative(from), negative(end), h, -bend.upper) > margin ? Proof::clear : Proof::open;
  }
  const bool begins_clear = beginning == Beginning::at_zero || from.value > margin;
  const bool stays_above = begins_clear && meeting_value(from, end, h, bend.lower) > margin;
  if (ends_there) return stays_above && end.rate < 0.0 ? Proof::single : Proof::open;
  if (stays_above && end.value > margin) return Proof::clear;
  if (!(end.value <= 0.0)) return Proof::open;
  const bool falls = bend.upper < 0.0 || rates_between(from, end, h, bend).upper < 0.0;
  return falls ? Proof::single : Proof::open;
}

Proof proof_by_rates(double start, double end, double h, Interval rate, double margin, Beginning beginning) {
  if (!(rate.lower > -infinity && rate.upper < infinity)) return Proof::open;
  if (beginning != Beginning::away) return rate.lower > 0.0 && end > 0.0 ? Proof::clear : Proof::open;
  if (start > margin && end > margin && tent_value(start, end, h, rate) > margin) return Proof::clear;
  return start > 0.0 && end <= 0.0 && rate.upper < 0.0 ? Proof::single : Proof::open;
}

LowestValues lowest_values(CurveBounds& bounds, const Sought& it, Part whole, double h) {
  struct Piece {
    Part part;
    double low, at_ends;
    bool turns;
  };
  std::vector<Piece> all;
  const auto split = [&](const Part& part) {
    std::array<Part, 2 * pieces + 1> parts{};
    const double step = (part.upper - part.lower) / pieces;
    for (std::size_t k = 0; k <= pieces; ++k) {
      const double lower = part.lower + static_cast<double>(k) * step;
      parts[k] = {lower, lower};
      if (k < pieces) parts[pieces + 1 + k] = {lower, lower + step};
    }
    std::vector<double> out;
    bounds.bound(parts, out);
    for (std::size_t k = 0; k < pieces; ++k) {
      const auto row = [&](std::size_t j) { return CurveBounds::Row{out.data() + j * bounds.size(), bounds.rows()}; };
      const CurveBounds::Row box = row(pieces + 1 + k);
      const EndJet begin{row(k).middle(0, it.row), row(k).middle(1, it.row), 0.0};
      const EndJet end{row(k + 1).middle(0, it.row), row(k + 1).middle(1, it.row), 0.0};
      const Interval bend = box.interval(2, it.row, 1.0, 0.0);
      const Interval rates = rates_between(begin, end, step * h, bend);
      const Interval rate = box.interval(1, it.row, 1.0, 0.0);
      const double at_ends = std::min(begin.value, end.value);
      const double low = std::max(box.interval(0, it.row, 1.0, 0.0).lower,
                                  std::min(at_ends, meeting_value(begin, end, step * h, bend.lower)));
      const bool turns =
          bend.upper >= 0.0 && std::max(rate.lower, rates.lower) <= 0.0 && std::min(rate.upper, rates.upper) >= 0.0;
      all.push_back({parts[pieces + 1 + k], low, at_ends, turns});
    }
  };
  split(whole);
  // What is lowest is looked at more closely, as long as that can change anything.
  for (int count = 0; count < 24; ++count) {
    const auto rank = [](const Piece& a, const Piece& b) {
      const auto open = [](const Piece& p) {
        const bool close = p.at_ends - p.low <= 1e-3 * std::abs(p.at_ends);
        return close || (p.low >= 0.0 && !p.turns) ? infinity : p.low;
      };
      return open(a) < open(b);
    };
    const auto worst = std::min_element(all.begin(), all.end(), rank);
    const bool close = worst->at_ends - worst->low <= 1e-3 * std::abs(worst->at_ends);
    if (close || (worst->low >= 0.0 && !worst->turns)) break;
    const Part part = worst->part;
    all.erase(worst);
    split(part);
  }
  LowestValues lowest{infinity, infinity};
  for (const Piece& piece : all) {
    lowest.anywhere = std::min(lowest.anywhere, piece.low);
    if (piece.turns) lowest.at_minima = std::min(lowest.at_minima, piece.low);
  }
  return lowest;
}

// ---- inside a step -----------------------------------------------------------------------------------------------------------

/// One function on one piece.
struct EventSearch::View {
  double lower, upper;  // of the step
  EndJet begin, end;
  Interval value, rate, bend;
  double h;  // length in time
  double margin, begin_margin, end_margin, rounding;
  bool is_first;  // begins on the function's zero

  double lowest() const;
  View mirrored() const;
};

std::optional<Finding> EventSearch::first(std::span<const Sought> sought, double h) {
  sought_ = sought;
  h_ = h;
  horizon_ = 1.0;
  splits_ = 0;
  first_.reset();
  sides_.clear();
  std::vector<std::size_t> all;
  for (std::size_t s = 0; s < sought.size(); ++s) {
    sides_.push_back(sought[s].side);
    all.push_back(s);
  }
  if (!all.empty()) split(0.0, 1.0, all);
  return first_;
}

void EventSearch::split(double lower, double upper, const std::vector<std::size_t>& open) {
  ++splits_;
  std::array<Part, 2 * pieces + 1> parts{};
  const auto node = [&](std::size_t k) {
    return k == pieces ? upper : lower + (upper - lower) * static_cast<double>(k) / pieces;
  };
  for (std::size_t k = 0; k <= pieces; ++k) parts[k] = {node(k), node(k)};
  for (std::size_t k = 0; k < pieces; ++k) parts[pieces + 1 + k] = {node(k), node(k + 1)};
  std::vector<double> bounds;
  bounds.reserve(parts.size() * bounds_.size());
  bounds_.bound(parts, bounds);
  const auto row = [&](std::size_t k) { return CurveBounds::Row{bounds.data() + k * bounds_.size(), bounds_.rows()}; };
  for (std::size_t k = 0; k < pieces && node(k) < horizon_; ++k) {
    std::vector<std::size_t> still;
    for (const std::size_t s : open) {
      const View view = view_of(s, {node(k), node(k + 1)}, row(k), row(k + 1), row(pieces + 1 + k));
      const Verdict verdict = look(s, view);
      if (verdict == Verdict::open) still.push_back(s);
      else if (verdict == Verdict::resolved) resolve(s, view);
    }
    if (still.empty() || node(k) >= horizon_) continue;
    if (splits_ >= most_splits_) {
      first_ = Finding{Finding::Kind::undecided, still.front(), node(k), node(k + 1), node(k)};
      horizon_ = node(k);
      return;
    }
    split(node(k), node(k + 1), still);
  }
}

EventSearch::View EventSearch::view_of(std::size_t s, const Part& part, const CurveBounds::Row& begin,
                                       const CurveBounds::Row& end, const CurveBounds::Row& box) const {
  const Sought& it = sought_[s];
  const auto jet = [&](const CurveBounds::Row& at, bool at_end, const std::optional<EndJet>& known) {
    if (at_end && known && !it.of_rates) return *known;
    const double value = it.sign * (at.middle(0, it.row) - it.offset);
    return EndJet{at_end && known ? known->value : value, it.sign * at.middle(1, it.row), 0.0};
  };
  const auto interval = [&](std::size_t order) {
    const Interval i = box.interval(order, it.row, 1.0, order == 0 ? it.offset : 0.0);
    return it.sign > 0.0 ? i : negative(i);
  };
  View view{part.lower,
            part.upper,
            jet(begin, part.lower == 0.0, it.begin),
            jet(end, part.upper == 1.0, it.end),
            interval(0),
            interval(1),
            interval(2),
            h_ * (part.upper - part.lower),
            0.0,
            0.0,
            0.0,
            0.0,
            part.lower == 0.0 && it.beginning != Beginning::away};
  if (view.is_first) view.begin.value = 0.0;
  const double rounding = begin.radius(0, it.row) + end.radius(0, it.row);
  const auto margin = [&](double lower, double upper) {
    return it.margin * share_of_margin(lower, upper, it.of_rates) + rounding;
  };
  view.rounding = rounding;
  view.margin = margin(view.lower, view.upper);
  view.begin_margin = margin(view.lower, view.lower);
  view.end_margin = view.upper == 1.0 ? 0.0 : margin(view.upper, view.upper);
  return view;
}

/// Behind a piece without an event: the side on which the function is, if that can be told.
void EventSearch::resolve(std::size_t s, const View& view) {
  if (view.end.value > view.end_margin) sides_[s] = 1;
  if (view.end.value < -view.end_margin) sides_[s] = -1;
}

EventSearch::Verdict EventSearch::found(Finding::Kind kind, std::size_t s, const View& view) {
  const double span = view.upper - view.lower;
  double part = 0.5;
  if (kind == Finding::Kind::crossing) part = fall_of_cubic(view.begin, view.end, view.h);
  else if (kind == Finding::Kind::immediate || kind == Finding::Kind::undefined) part = 0.0;
  else if (view.end.rate > view.begin.rate)
    part = std::clamp(-view.begin.rate / (view.end.rate - view.begin.rate), 0.0, 1.0);
  const double place = view.lower + part * span;
  if (place < horizon_) {
    horizon_ = place;
    first_ = Finding{kind, s, view.lower, view.upper, place};
  }
  return Verdict::found;
}

/// A lower bound of what the function is between its ends, these included.
double EventSearch::View::lowest() const {
  return std::max(value.lower,
                  std::min(std::min(begin.value, end.value), std::max(meeting_value(begin, end, h, bend.lower),
                                                                      tent_value(begin.value, end.value, h, rate))));
}

EventSearch::View EventSearch::View::mirrored() const {
  View view = *this;
  view.begin = negative(begin);
  view.end = negative(end);
  view.value = negative(value);
  view.rate = negative(rate);
  view.bend = negative(bend);
  return view;
}

/// A minimum of a gap so low that it is a grazing within the tolerance, though the computed motion stays above zero.
bool EventSearch::may_graze(std::size_t s, const View& view) const {
  const Sought& it = sought_[s];
  const bool minimum = view.begin.rate < 0.0 && view.end.rate >= 0.0;
  const bool known = it.begins_at_minimum && view.lower < 1e-3;
  return it.is_gap && minimum && !known && !view.is_first && view.lowest() < it.near;
}

EventSearch::Verdict EventSearch::look(std::size_t s, const View& view) {
  const double m = view.margin;
  if (view.value.lower > m || view.value.upper < -m) return Verdict::resolved;
  const Interval by_ends = rates_between(view.begin, view.end, view.h, view.bend);
  if (view.rate.lower > 0.0 || by_ends.lower > 0.0) return Verdict::resolved;  // rises all the way
  // A piece that begins on a zero is above it or below it behind its start, by its parabolas.
  const auto stays_above = [&](const View& it, bool on_this_side) {
    if (it.is_first)
      return on_this_side && it.begin.rate > 0.0 && it.end.value > m &&
             meeting_value(it.begin, it.end, it.h, it.bend.lower) > m;
    return it.lowest() > m;
  };
  if (stays_above(view, sides_[s] > 0))
    return may_graze(s, view) ? found(Finding::Kind::near_zero, s, view) : Verdict::resolved;
  if (stays_above(view.mirrored(), sides_[s] < 0)) return Verdict::resolved;
  const bool ends_below = view.end.value < -view.end_margin || (view.upper == 1.0 && view.end.value <= 0.0);
  // Just behind a release the function is smaller than what the polynomial knows of it: only more than that presses.
  const bool presses = view.end.value < -sought_[s].near;
  if (view.rate.upper < 0.0 || by_ends.upper < 0.0) {
    // Falls all the way. What ends within the margin is looked at in the next piece, which begins there.
    if (view.is_first && sought_[s].may_press && presses) return found(Finding::Kind::immediate, s, view);
    if (sides_[s] < 0 || !ends_below || view.is_first) return Verdict::resolved;
    return found(Finding::Kind::crossing, s, view);
  }
  // Of a gap that begins at rest the rate is rounding: the bend decides.
  const bool rests = view.is_first && sought_[s].beginning == Beginning::at_rest;
  if (rests && view.bend.upper < 0.0 && ends_below)
    return sought_[s].may_press && presses ? found(Finding::Kind::immediate, s, view) : Verdict::resolved;
  const bool begins_above = view.is_first ? view.begin.rate > 0.0 : view.begin.value > view.begin_margin;
  if (view.bend.upper < 0.0 && sides_[s] > 0 && begins_above && ends_below)
    return found(Finding::Kind::crossing, s, view);
  return look_closely(s, view);
}

/// Where the polynomial cannot tell, or the piece is too short to matter.
EventSearch::Verdict EventSearch::look_closely(std::size_t s, const View& view) {
  const Sought& it = sought_[s];
  const double near = std::max(it.near, 4.0 * view.rounding);
  if (-view.lowest() < near && -view.mirrored().lowest() < near) {
    if (sides_[s] > 0 && may_graze(s, view)) return found(Finding::Kind::near_zero, s, view);
    if (view.end.value >= -view.end_margin && (view.upper < 1.0 || view.end.value > 0.0)) return Verdict::resolved;
    if (sides_[s] < 0) return Verdict::resolved;
  }
  // Just behind a release nothing but the third rate is left of g, and the polynomial's second one is noise.
  if (view.is_first && it.beginning == Beginning::at_rest && view.upper <= 1.0 / 64.0) {
    if (view.end.value >= 0.0 && view.end.rate >= 0.0) return Verdict::resolved;
    if (view.end.value < 0.0 && view.end.rate < 0.0)
      return it.may_press && view.end.value < -it.near ? found(Finding::Kind::immediate, s, view) : Verdict::resolved;
  }
  if (view.upper - view.lower > narrowest) return Verdict::open;
  if (it.is_gap && std::isnan(view.end.value)) return found(Finding::Kind::undefined, s, view);
  if (sides_[s] > 0 && view.end.value < -view.end_margin && !view.is_first)
    return found(Finding::Kind::crossing, s, view);
  return Verdict::resolved;
}

}  // namespace saltus
