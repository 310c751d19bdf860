#pragma once

#include "saltus/base/lane_array.hpp"
#include "saltus/flow/guard.hpp"
#include "saltus/flow/lane_stepper.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {

/// The event functions of a row of lanes at both ends of their trials, as kernels write them: values, rates, second rates.
class LaneValues {
 public:
  LaneValues(const Kernels& kernels, const LaneStepper& stepper);

  std::size_t width() const { return width_; }
  std::size_t count() const { return count_; }  // event functions
  const Layout& layout() const { return layout_; }
  const LaneStepper& stepper() const { return stepper_; }

  /// At the ends of the trials.
  void look_at_ends();
  /// The trials were taken in the chosen lanes: their ends are where the next ones begin.
  void take(LaneSet chosen);
  /// Where the chosen lanes stand.
  void look_anew(LaneSet chosen);
  /// The same where they are known already.
  void begin_with(LaneSet chosen, const LaneArray& values) { stepper_.copy_lanes(chosen, values, begin_); }
  /// The same for one lane alone, its mode, state, parameters and rates given.
  void look_at_one(std::size_t l, double t, const double* x, const double* p, const double* mode, const double* rate);
  void exchange(std::size_t l, LaneValues& other, std::size_t other_l);
  /// The size of the functions of a lane, which their rounding is relative to, by what they were when it last entered a mode: their
  /// terms by the gradients (`jets` as of the mechanism), and what they change by over the pace at the rates there or at `fastest`,
  /// of the gaps. That of switches is none: where they accumulate, they become as small as they like.
  void measure(std::size_t l, const Matrix& jets, const Vector& x, const std::vector<double>& fastest, double pace);
  double size(const Guard& guard, std::size_t l) const { return sizes_[row_of(guard, layout_) * width_ + l]; }
  double size(std::size_t row, std::size_t l) const { return sizes_[row * width_ + l]; }

  double begin(std::size_t row, std::size_t l) const { return begin_[row * width_ + l]; }
  double begin_rate(std::size_t row, std::size_t l) const { return begin_[(count_ + row) * width_ + l]; }
  double end(std::size_t row, std::size_t l) const { return end_[row * width_ + l]; }
  /// Gap i, the sign and offset of whose guard are 1 and 0.
  EndJet begin_gap(std::size_t i, std::size_t l) const { return gap(begin_, i, l); }
  EndJet end_gap(std::size_t i, std::size_t l) const { return gap(end_, i, l); }
  EndJet begin_jet(const Guard& guard, std::size_t l) const {
    return guard.is_multiplier() ? multiplier(guard, stepper_.rate(row_of_multiplier(guard), l))
                                 : jet(guard, begin_, l);
  }
  EndJet end_jet(const Guard& guard, std::size_t l) const {
    return guard.is_multiplier() ? multiplier(guard, stepper_.rate_new(row_of_multiplier(guard), l))
                                 : jet(guard, end_, l);
  }
  /// An open contact whose gap is not a number at the end of the trial is told from the rest by it alone; so is a singular mass matrix.
  bool mass_is_regular(std::size_t l) const { return !layout_.mass_varies || end_[end_.size() - width_ + l] > 0.0; }
  // The same of all lanes.
  LaneSet with_regular_mass() const {
    if (!layout_.mass_varies) return LaneSet::all(width_);
    const double* const regular = end_.data() + end_.size() - width_;
    return lanes_where(width_, [&](std::size_t l) { return regular[l] > 0.0; });
  }
  LaneSet with_known_gaps() const;

  // Whole arrays, for loops.
  const double* begin_row(std::size_t i) const { return begin_.data() + i * width_; }
  const double* end_row(std::size_t i) const { return end_.data() + i * width_; }
  const double* size_row(std::size_t i) const { return sizes_.data() + i * width_; }
  std::size_t rates_behind() const {
    return count_ * width_;
  }  // from a value to its rate, from that to its second rate

 private:
  EndJet gap(const LaneArray& values, std::size_t i, std::size_t l) const {
    const double* const at = values.data() + i * width_ + l;
    return {at[0], at[rates_behind()], at[2 * rates_behind()]};
  }
  EndJet jet(const Guard& guard, const LaneArray& values, std::size_t l) const {
    const double* const at = values.data() + row_of(guard, layout_) * width_ + l;
    return {guard.sign * (at[0] - guard.offset), guard.sign * at[rates_behind()],
            guard.kind == Guard::Kind::gap ? at[2 * rates_behind()] : 0.0};
  }
  static EndJet multiplier(const Guard& guard, double value) { return {guard.sign * (value - guard.offset), 0.0, 0.0}; }
  std::size_t row_of_multiplier(const Guard& guard) const { return stepper_.rates() + row_of(guard, layout_); }

  const LaneStepper& stepper_;
  const Layout& layout_;
  Kernel one_;  // the event functions of a single lane
  std::size_t width_, count_;
  bool any_;
  LaneArray begin_, end_, fresh_, sizes_;
  std::vector<double> one_values_;
};

}  // namespace saltus
