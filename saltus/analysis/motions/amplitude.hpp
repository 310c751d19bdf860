#pragma once

#include <limits>

#include "saltus/analysis/motions/quantity.hpp"

namespace saltus {

/// How large a quantity w(t) is over a stretch of time T (Kranjčević et al., eqs. 27-29). Not numbers where w cannot be resolved.
struct Amplitudes {
  double steady = 0.0;  // (max w − min w)/2
  double effective = 0.0;  // √(2/T ∫ (w − w̄)² dt): the amplitude of the sinusoid with the same mean square
  double mean = 0.0;  // w̄ = 1/T ∫ w dt
  double largest = 0.0;
  double smallest = 0.0;
};

/// Adds up a quantity part by part: extremes and integrals of the series, which are exact.
class AmplitudeMeter {
 public:
  AmplitudeMeter() = default;
  /// Of w − slope · t, with the time since the beginning.
  explicit AmplitudeMeter(double slope) : slope_(slope) {}

  void add(const SmoothPart& part);

  double time() const { return time_; }
  /// Not numbers if the quantity is known less exactly than to a millionth of its range.
  Amplitudes amplitudes() const;

 private:
  void include(double value);

  double slope_ = 0.0;
  double time_ = 0.0;
  double reference_ = 0.0;  // the first value: squares are taken of differences from it, or they would cancel
  double sum_ = 0.0;  // ∫ (w − reference) dt
  double square_ = 0.0;  // ∫ (w − reference)² dt
  double largest_ = -std::numeric_limits<double>::infinity();
  double smallest_ = std::numeric_limits<double>::infinity();
  double error_ = 0.0;  // largest of the parts
};

/// Finds where a quantity turns. Waves that are not larger than its errors do not count.
class TurningPoints {
 public:
  void add(const SmoothPart& part);
  /// Maxima and minima in order; a jump downwards from a rise has its maximum before it.
  std::vector<double> values() const;

 private:
  /// Turns of a sequence of values that are larger than a given wave.
  struct Turns {
    std::vector<double> values;
    double candidate = std::numeric_limits<double>::quiet_NaN();  // the farthest value since the last turn
    double direction = 0.0;  // 1 upwards, −1 downwards, 0 not known yet
    void go_to(double value, double least_wave);
  };
  void go_to(double value);
  double least_wave() const;

  Turns turns_;  // by the range at their time
  double first_ = 0.0;
  double largest_ = -std::numeric_limits<double>::infinity();
  double smallest_ = std::numeric_limits<double>::infinity();
};

/// Follows a quantity along motions with one of the meters above. What a run adds counts after `keep`, for a run may end early.
template <class Meter>
class QuantityFollower final : public PathFollower {
 public:
  QuantityFollower(const Kernels& kernels, const std::vector<double>& parameters, const ObservedQuantity& quantity,
                   Meter meter = {})
      : path_(kernels, parameters, quantity), kept_(std::move(meter)) {}

  void begin() override { open_ = kept_; }
  void follow(const PathPiece& piece) override {
    path_.cut(piece, [this](const SmoothPart& part) { open_.add(part); });
  }
  void keep() { kept_ = open_; }
  const Meter& meter() const { return kept_; }

 private:
  QuantityPath path_;
  Meter kept_, open_;
};

using QuantityMeter = QuantityFollower<AmplitudeMeter>;
using TurningMeter = QuantityFollower<TurningPoints>;

}  // namespace saltus
