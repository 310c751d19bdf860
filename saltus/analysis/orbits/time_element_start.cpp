#include "saltus/analysis/curves/continuation.hpp"
#include "saltus/analysis/orbits/time_elements.hpp"

namespace saltus {
namespace {

/// r(u) − (1 − s) r₀ = 0 in y = (u, s).
class Homotopy final : public CurveProblem {
 public:
  Homotopy(const TimeElements& elements, const Vector& start, const std::vector<double>& parameters, double period)
      : elements_(elements),
        parameters_(parameters),
        period_(period),
        size_(std::max(1.0, start.cwiseAbs().maxCoeff())),
        first_(elements.value(start, parameters, period).residual) {}

  std::optional<Jet> jet(const Vector& y) const override {
    const Eigen::Index n = y.size() - 1;
    const TimeElements::Value at = elements_.value(y.head(n), parameters_, period_);
    if (!at.residual.allFinite() || !at.tangent.allFinite()) return std::nullopt;
    Jet jet{at.residual - (1.0 - y[n]) * first_, Matrix(n, n + 1)};
    jet.jacobian << at.tangent, first_;
    return jet;
  }
  Vector scale() const override {
    Vector scale = Vector::Constant(elements_.unknowns() + 1, size_);
    scale[elements_.unknowns()] = 1.0;
    return scale;
  }

 private:
  const TimeElements& elements_;
  const std::vector<double>& parameters_;
  double period_;
  double size_;
  Vector first_;
};

}  // namespace

TimeElementOrbit solve_continued(const TimeElements& elements, const Vector& start,
                                 const std::vector<double>& parameters, double period,
                                 const std::function<bool()>& interrupted) {
  TimeElementOrbit direct = elements.solve(start, parameters, period);
  if (direct.end != TimeElementEnd::not_converged) return direct;
  const Homotopy homotopy(elements, start, parameters, period);
  ContinuationOptions options;
  options.lower = -1.0;
  options.upper = 1.0;
  options.largest_step = 0.5;
  options.correction = 1e-8;
  options.smallest_step = 1e-6;
  options.most_points = 400;
  options.interrupted = interrupted;
  Vector y(start.size() + 1);
  y << start, 0.0;
  const Continuation curve = followed(homotopy, y, parameter_direction(homotopy), options);
  if (curve.end != CurveEnd::bound || curve.points.empty() || curve.points.back().parameter() < 0.5) return direct;
  TimeElementOrbit found = elements.solve(curve.points.back().y.head(start.size()), parameters, period);
  return found.converged() ? found : direct;
}

}  // namespace saltus
