#pragma once

#include "saltus/analysis/curves/continuation.hpp"

namespace saltus {

/// Points of a curve: with tangent and test functions, at a step from another one, and where a test function vanishes between two.
class CurvePlaces {
 public:
  CurvePlaces(const CurveProblem& problem, const ContinuationOptions& options)
      : problem_(problem), options_(options), scale_(problem.scale()) {}

  /// A point of the curve with its tangent and its test functions.
  std::optional<CurvePoint> at(const Vector& y, const Vector& along) const;

  /// The point of the curve at a step from another one, along its tangent.
  std::optional<CurvePoint> stepped(const CurvePoint& from, double step, Correction& correction) const;

  /// How far one point lies from another along its tangent.
  double distance(const CurvePoint& from, const CurvePoint& to) const;

  /// The zero of test i between a and the point b at distance `length`. Nothing if the function jumps or passes through infinity instead.
  std::optional<CurvePoint> zero_between(const CurvePoint& a, const CurvePoint& b, double length, std::size_t i) const;

 private:
  std::optional<CurvePoint> near(const CurvePoint& from, const Vector& guess, Correction& correction) const;
  std::optional<CurvePoint> found_between(const CurvePoint& a, double s, double length, std::size_t i) const;
  std::optional<CurvePoint> interpolated(const CurvePoint& a, double s, double apart, std::size_t i,
                                         double& place) const;
  bool is_interrupted() const { return options_.interrupted && options_.interrupted(); }

  const CurveProblem& problem_;
  const ContinuationOptions& options_;
  Vector scale_;
};

}  // namespace saltus
