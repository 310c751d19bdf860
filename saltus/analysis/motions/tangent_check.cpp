#include "saltus/analysis/motions/tangent_check.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

using Carries = LaneStepper::Carries;

constexpr double widest_difference = 1e-3;
constexpr int most_halvings = 10;
constexpr double noise = 1e-8;  // differences below this, relative to the tangent, say nothing about the order

FlowOptions tight(const FlowOptions& options) {
  FlowOptions result = options;
  result.rtol = 1e-13;
  result.atol = 1e-15;
  result.tangent_rtol = 1e-11;
  return result;
}

/// Kind and place of every event. The impacts of a chatter that is completed are left out: infinitely many, however many of
/// them were looked at one by one.
std::vector<std::pair<EventKind, std::size_t>> sequence_of(const FlowResult& result) {
  std::vector<std::pair<EventKind, std::size_t>> kept;
  for (const Event& event : result.events) {
    const auto same = std::pair{EventKind::impact, event.index};
    while (event.kind == EventKind::chatter && !kept.empty() && kept.back() == same) kept.pop_back();
    kept.emplace_back(event.kind, event.index);
  }
  return kept;
}

/// One stretch of the motion, run again from states beside its start.
class Window {
 public:
  Window(const Kernels& kernels, const FlowOptions& options, const std::vector<double>& parameters, double period,
         const FlowPoint& start, const Time& end)
      : kernels_(kernels), options_(options), parameters_(parameters), period_(period), start_(start), end_(end) {
    result_ = run(start.x, Carries::state_and_tangent);
    sequence_ = sequence_of(result_);
  }

  bool reached_end() const { return result_.outcome == Outcome::reached_end; }

  /// ∂x(T)/∂x in units of `scale`.
  Matrix tangent() const { return result_.end.tangent.leftCols(N()) * scale().asDiagonal(); }

  /// Central differences with h in units of `scale`; nothing if the events of any run are others.
  std::optional<Matrix> differences(double h) const {
    Matrix D(N(), N());
    for (Index j = 0; j < N(); ++j) {
      const Vector step = Vector::Unit(N(), j) * (h * scale()[j]);
      const auto plus = end_from(start_.x + step);
      const auto minus = end_from(start_.x - step);
      if (!plus || !minus) return std::nullopt;
      D.col(j) = (*plus - *minus) / (2.0 * h);
    }
    return D;
  }

 private:
  Index N() const { return start_.x.size(); }

  /// What is a small step of a component: relative to it, or to the whole state where it vanishes.
  Vector scale() const {
    const double size = std::max(start_.x.cwiseAbs().maxCoeff(), 1e-6);
    return start_.x.cwiseAbs().cwiseMax(0.1 * size).cwiseMin(1.0);
  }

  FlowResult run(const Vector& x, Carries carries) const {
    FlowRun run;
    run.start = start_point(kernels_, start_.t, x, carries);
    run.end = end_;
    run.period = period_;
    run.parameters = parameters_;
    return flow(kernels_, options_, run);
  }

  std::optional<Vector> end_from(const Vector& x) const {
    const Mechanism mechanism(kernels_, parameters_);
    if (kernels_.layout().contacts > 0 && !(mechanism.contact(start_.t.phase, x, start_.mode).h.minCoeff() > 0.0))
      return std::nullopt;
    FlowResult result = run(x, Carries::state);
    if (result.outcome != Outcome::reached_end || sequence_of(result) != sequence_) return std::nullopt;
    return std::move(result.end.x);
  }

  const Kernels& kernels_;
  FlowOptions options_;
  const std::vector<double>& parameters_;
  double period_;
  FlowPoint start_;
  Time end_;
  FlowResult result_;
  std::vector<std::pair<EventKind, std::size_t>> sequence_;
};

struct Compared {
  double error;  // of the extrapolated difference
  std::optional<double> order;
};

std::optional<Compared> compare(const Window& window) {
  if (!window.reached_end()) return std::nullopt;
  const Matrix X = window.tangent();
  const double size = std::max(X.cwiseAbs().maxCoeff(), 1e-3);
  const auto error_of = [&](const Matrix& D) { return (D - X).cwiseAbs().maxCoeff() / size; };
  double h = widest_difference;
  for (int attempt = 0; attempt < most_halvings; ++attempt, h *= 0.5) {
    const auto coarse = window.differences(h);
    if (!coarse) continue;
    const auto fine = window.differences(0.5 * h);
    if (!fine) continue;
    Compared result{error_of((4.0 * *fine - *coarse) / 3.0), {}};
    if (error_of(*fine) > noise) result.order = std::log2(error_of(*coarse) / error_of(*fine));
    return result;
  }
  return std::nullopt;
}

Time after(const Time& t, double units, double period) {
  if (period == 0.0) return {t.cycles, t.phase + units};
  const double whole = std::floor(units);
  Time result{t.cycles + static_cast<long>(whole), t.phase + (units - whole) * period};
  if (result.phase >= period) {
    result.phase -= period;
    ++result.cycles;
  }
  return result;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

TangentAgreement tangent_check(const Kernels& kernels, const Vector& x, const std::vector<double>& parameters,
                               double period, const TangentCheckOptions& options) {
  TangentAgreement agreement;
  std::vector<double> orders;
  FlowPoint point = start_point(kernels, {}, x, Carries::state);
  const auto advance = [&](double units) {
    FlowRun run;
    run.start = point;
    run.end = after(point.t, units, period);
    run.period = period;
    run.parameters = parameters;
    run.keep_events = false;
    FlowResult result = flow(kernels, options.flow, run);
    point = std::move(result.end);
    return result.outcome == Outcome::reached_end;
  };
  if (options.transient > 0.0 && !advance(options.transient)) return agreement;
  const double between = options.length / static_cast<double>(options.windows);
  for (std::size_t k = 0; k < options.windows; ++k) {
    const double length = period > 0.0 ? 1.0 : std::max(40.0 * point.natural_step, 1e-6);
    double passed = 0.0;
    // A window that begins in contact has directions that no free state can be moved in: begin a little later.
    for (int attempt = 0; attempt < 8 && point.mode.is_masked(); ++attempt, passed += 0.19 * length)
      if (!advance(0.19 * length)) return agreement;
    std::optional<Compared> compared;
    if (!point.mode.is_masked())
      compared =
          compare(Window(kernels, tight(options.flow), parameters, period, point, after(point.t, length, period)));
    if (compared) {
      ++agreement.windows;
      agreement.worst = std::max(agreement.worst, compared->error);
      if (compared->order) orders.push_back(*compared->order);
    } else {
      ++agreement.left_out;
    }
    if (k + 1 < options.windows && between > passed && !advance(between - passed)) return agreement;
  }
  if (!orders.empty()) agreement.order = median(std::move(orders));
  return agreement;
}

}  // namespace saltus
