#pragma once

#include <limits>

#include "saltus/flow/flow_run.hpp"

namespace saltus {

/// How large a quantity w(t) is over a stretch of time T ([004] eqs. 27-29).
struct Amplitudes {
  double steady = 0.0;     // (max w − min w)/2
  double effective = 0.0;  // √(2/T ∫ (w − w̄)² dt): the amplitude of the sinusoid with the same mean square
  double mean = 0.0;       // w̄ = 1/T ∫ w dt
  double largest = 0.0;
  double smallest = 0.0;
};

/// Adds up a quantity piece by piece, each a cubic with given values and rates at its ends: extrema and integrals of the cubic are
/// exact, so that the errors are those of the fourth power of a piece's length.
class AmplitudeMeter {
 public:
  struct End {
    double value, rate;
  };
  void add_cubic(double length, const End& begin, const End& end);
  /// A piece of which the rates are not known.
  void add_line(double length, double begin, double end);

  double time() const { return time_; }
  Amplitudes amplitudes() const;

 private:
  void include(double value);

  double time_ = 0.0;
  double reference_ = 0.0;  // the first value: squares are taken of differences from it, or they would cancel
  double sum_ = 0.0;  // ∫ (w − reference) dt
  double square_ = 0.0;  // ∫ (w − reference)² dt
  double largest_ = -std::numeric_limits<double>::infinity();
  double smallest_ = std::numeric_limits<double>::infinity();
};

/// The first observable of kernels along motions; its derivatives by x and by t must be the N + 1 observables behind it.
class QuantityMeter {
 public:
  QuantityMeter(const Kernels& kernels, const std::vector<double>& parameters)
      : mechanism_(kernels, parameters), N_(kernels.layout().N()) {}

  /// The motion through the samples of a run, broken where something happened in between. Times are those of the model: a forced
  /// run begins within its first period.
  void add(const std::vector<Sample>& samples, const std::vector<Event>& events);
  Amplitudes amplitudes() const { return meter_.amplitudes(); }

  /// What the kernels observe for this.
  static std::vector<Expr> observables(Expr w, const Model& model);

 private:
  AmplitudeMeter::End end(double t, const Vector& x, const Mode& mode) const;

  Mechanism mechanism_;
  std::size_t N_;
  AmplitudeMeter meter_;
};

/// Times at `count` equal parts of each of so many forcing periods, both ends included.
std::vector<Time> sample_times(long periods, std::size_t count, double period);

}  // namespace saltus
