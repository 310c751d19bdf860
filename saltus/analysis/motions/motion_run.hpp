#pragma once

#include <optional>
#include <string>
#include <vector>

#include "saltus/analysis/motions/amplitude.hpp"
#include "saltus/analysis/motions/lane_jobs.hpp"
#include "saltus/analysis/motions/lyapunov.hpp"
#include "saltus/analysis/motions/range_growth.hpp"
#include "saltus/analysis/motions/recurrence.hpp"

namespace saltus {

/// What is written down of a motion while it is measured, beside the section that its verdict comes from.
struct Recording {
  enum class Of {
    nothing,
    section,   // strobe, or the section of an autonomous motion
    surface,   // crossings of `watch`
    impacts,   // of `contact`, or of all contacts
    turning,   // maxima and minima of `quantity`
    extremes,  // the largest and the smallest value of `quantity`
  };
  Of of = Of::nothing;
  Watch watch = {};
  std::optional<std::size_t> contact = {};
  std::optional<ObservedQuantity> quantity = {};  // observed by the kernels
};

/// One of them. At an impact x_minus and x_plus differ.
struct RecordedPoint {
  double t;  // since the beginning of the motion
  Vector x_minus, x_plus;
  double gamma_minus = 0.0;  // of an impact
  double value = 0.0;        // of a quantity that is followed; there is no state then
};

struct MotionOptions : LyapunovOptions {
  enum class Unit { natural, returns };
  Unit unit = Unit::natural;  // of transient and length; returns: crossings of the section of an autonomous motion
  bool sum_rule = true;  // LyapunovSpectrum::sum_rule_residual is wanted
  bool keep_history = true;  // LyapunovSpectrum::history is wanted
  Recording recording;
};

/// One motion on its way through transient and measurement. With tangent columns in the kernels, as many exponents as there are
/// columns (the largest ones) are measured; without, the motion alone.
class MotionRun final : public LaneJob {
 public:
  MotionRun(const Kernels& kernels, LyapunovStart start, const MotionOptions& options);

  bool next(FlowRun& run) override;
  void take(FlowResult&& result) override;

  /// Which part of all that is to be done the last run was.
  double last_part() const { return last_part_; }
  /// What was found, also of a motion that is not finished: its outcome is then `stopped`.
  LyapunovSpectrum spectrum() const;
  const std::vector<RecordedPoint>& recorded() const { return recorded_; }
  const LyapunovStart& start() const { return start_; }

 private:
  double time_of(double units) const { return start_.period > 0.0 ? units * start_.period : units; }
  Time after(const Time& t, double units) const;
  bool has_tangent() const { return kernels_.layout().state_columns > 0; }
  bool counts_returns() const { return options_.unit == MotionOptions::Unit::returns; }
  double whole() const { return in_transient_ ? options_.transient : options_.length; }
  double interval() const;
  void absorb(const FlowResult& result);
  void begin_measuring();
  void remember(const FlowResult& result);
  void add_return(double t, const Vector& x);
  void record(const FlowResult& result);
  void record_quantity();
  void note_ranges(const FlowResult& result);
  void count(const FlowResult& result);
  bool at_rest() const;
  bool is_exact_enough() const;
  Verdict verdict_without_exponents(const Recurrence& recurrence) const;
  double dimension_of(const Evidence& evidence, const Verdict& verdict) const;
  std::optional<double> sum_rule_residual() const;
  bool keeps_volume() const;
  std::size_t most_frequencies() const;
  Exponents exponents_of(std::optional<std::size_t> period) const;
  Evidence evidence(const Exponents& exponents, const Recurrence& recurrence) const;
  StateSizes sizes() const;
  Recurrence recurrence(const StateSizes& measure) const;
  std::vector<double> frame_scale() const;

  const Kernels& kernels_;
  const LyapunovStart start_;
  const MotionOptions& options_;
  SpectrumAccumulator accumulator_;
  FlowPoint point_;
  const Translations translations_;
  double chosen_interval_ = 1.0;
  double step_ = 0.0;
  double done_ = 0.0;
  double last_part_ = 0.0;
  double time_ = 0.0;  // measured
  double whole_time_ = 0.0;  // since the start
  long without_return_ = 0;
  bool in_transient_ = true;
  bool finished_ = false;
  Stop stop_;
  long impacts_ = 0;
  double log_contraction_ = 0.0;
  double divergence_ = 0.0;
  double sliding_ = 0.0;
  std::size_t returns_ = 0;
  std::vector<Vector> section_;  // the last ones
  std::vector<double> section_times_;
  StateRange way_, motion_;  // since the start, and since the measurement began
  StateRange recent_,
      before_;  // in the last eighth of the time or more: the part that is filled, and the one before it
  double recent_since_ = 0.0;
  RangeGrowth range_growth_;
  bool rests_ = false;  // did so when an eighth of the time had passed again
  bool watches_section_ = false;  // the run under way does
  std::vector<double> frame_scale_;
  Vector first_;  // where the measurement began
  std::vector<RecordedPoint> recorded_;
  std::unique_ptr<TurningMeter> turning_;  // of a quantity that is followed, one of both
  std::unique_ptr<QuantityMeter> extremes_;
};

}  // namespace saltus
