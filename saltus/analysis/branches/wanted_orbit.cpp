#include <algorithm>
#include <cmath>

#include "saltus/analysis/branches/branch_leg.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {

void Leg::add_wanted(const Stage& stage, double from, std::vector<BranchPoint>& points) {
  const double to = stage.y[stage.y.size() - 1];
  std::vector<double> values;
  for (const CurveMark& mark : options_.curve.marks)
    if (mark.from_last == 0 && mark.value != from && (mark.value - from) * (to - mark.value) >= 0.0)
      values.push_back(mark.value);
  std::sort(values.begin(), values.end(), [&](double a, double b) { return std::abs(a - from) < std::abs(b - from); });
  for (const double value : values) {
    Vector guess = stage.y;
    guess[guess.size() - 1] = value;
    const Correction on = corrected(*stage.problem, guess, parameter_direction(*stage.problem), options_.curve, 12);
    if (!on.converged() || smallest_brink(*stage.problem, on.y) <= 0.0) continue;
    if (!stage.problem->contradiction(on.y).empty()) continue;
    Vector y = on.y;
    y[y.size() - 1] = value;
    points.push_back(point_of(*stage.problem, y));
    points.back().special = SpecialKind::wanted;
  }
}

bool Leg::is_wanted_before(double parameter) const {
  const double last = last_.tail(1)[0];
  const std::vector<CurveMark>& marks = options_.curve.marks;
  return std::any_of(marks.begin(), marks.end(), [&](const CurveMark& mark) {
    return mark.from_last == 0 && (mark.value - last) * (parameter - mark.value) > 0.0;
  });
}

}  // namespace saltus
