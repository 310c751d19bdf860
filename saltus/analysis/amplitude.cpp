#include "saltus/analysis/amplitude.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "saltus/expr/differentiate.hpp"

namespace saltus {
namespace {

/// Gauss' rule of four points on [0, 1]: exact for the square of a cubic.
constexpr std::array<double, 4> gauss_places = {0.069431844202973712, 0.33000947820757187, 0.66999052179242813,
                                                0.93056815579702629};
constexpr std::array<double, 4> gauss_weights = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307,
                                                 0.17392742256872693};

bool breaks_the_motion(const Event& event) {
  return event.kind != EventKind::grazing && event.kind != EventKind::section;
}

}  // namespace

void AmplitudeMeter::include(double value) {
  if (time_ == 0.0 && largest_ < smallest_) reference_ = value;
  largest_ = std::max(largest_, value);
  smallest_ = std::min(smallest_, value);
}

void AmplitudeMeter::add_cubic(double length, const End& begin, const End& end) {
  if (!(length > 0.0)) return;
  include(begin.value);
  include(end.value);
  // w(θ) = c₀ + c₁ θ + c₂ θ² + c₃ θ³, θ = 0 … 1.
  const double c0 = begin.value;
  const double c1 = length * begin.rate;
  const double rise = end.value - begin.value;
  const double c2 = 3.0 * rise - 2.0 * c1 - length * end.rate;
  const double c3 = c1 + length * end.rate - 2.0 * rise;
  const auto at = [&](double theta) { return c0 + theta * (c1 + theta * (c2 + theta * c3)); };
  // w' = c₁ + 2 c₂ θ + 3 c₃ θ²; the roots in the form that keeps the small one when c₃ vanishes.
  const double discriminant = c2 * c2 - 3.0 * c1 * c3;
  if (discriminant >= 0.0) {
    const double q = -(c2 + std::copysign(std::sqrt(discriminant), c2));
    for (const double theta : {q != 0.0 ? c1 / q : -1.0, c3 != 0.0 ? q / (3.0 * c3) : -1.0})
      if (theta > 0.0 && theta < 1.0) include(at(theta));
  }
  for (std::size_t g = 0; g < gauss_places.size(); ++g) {
    const double off = at(gauss_places[g]) - reference_;
    sum_ += length * gauss_weights[g] * off;
    square_ += length * gauss_weights[g] * off * off;
  }
  time_ += length;
}

void AmplitudeMeter::add_line(double length, double begin, double end) {
  const double rate = length > 0.0 ? (end - begin) / length : 0.0;
  add_cubic(length, {begin, rate}, {end, rate});
}

Amplitudes AmplitudeMeter::amplitudes() const {
  if (!(time_ > 0.0)) return {};
  const double mean = sum_ / time_;
  const double variance = std::max(0.0, square_ / time_ - mean * mean);
  return {0.5 * (largest_ - smallest_), std::sqrt(2.0 * variance), reference_ + mean, largest_, smallest_};
}

AmplitudeMeter::End QuantityMeter::end(double t, const Vector& x, const Mode& mode) const {
  const Vector seen = mechanism_.observe(t, x);
  const auto N = static_cast<Eigen::Index>(N_);
  return {seen[0], seen.segment(1, N).dot(mechanism_.field(t, x, mode).rate) + seen[N + 1]};
}

void QuantityMeter::add(const std::vector<Sample>& samples, const std::vector<Event>& events) {
  if (samples.empty()) return;
  std::size_t next = 0;
  AmplitudeMeter::End begin = end(samples.front().t, samples.front().x, samples.front().mode);
  for (std::size_t i = 0; i + 1 < samples.size(); ++i) {
    const Sample& left = samples[i];
    const Sample& right = samples[i + 1];
    double t = left.t;
    bool broken = false;
    for (; next < events.size() && events[next].t <= right.t; ++next) {
      const Event& event = events[next];
      if (event.t < left.t || !breaks_the_motion(event)) continue;
      const AmplitudeMeter::End before = end(event.t, event.x_minus, left.mode);
      // Between two events of one piece the mode is not known: a chord.
      if (broken) meter_.add_line(event.t - t, begin.value, before.value);
      else meter_.add_cubic(event.t - t, begin, before);
      begin = end(event.t, event.x_plus, right.mode);
      t = event.t;
      broken = true;
    }
    const AmplitudeMeter::End after = end(right.t, right.x, right.mode);
    meter_.add_cubic(right.t - t, begin, after);
    begin = after;
  }
}

std::vector<Expr> QuantityMeter::observables(Expr w, const Model& model) {
  std::vector<Expr> all = {w};
  for (const auto* symbols : {&model.q, &model.v, &model.z})
    for (const Expr& symbol : *symbols) all.push_back(differentiate(w, symbol));
  all.push_back(differentiate(w, model.t));
  return all;
}

std::vector<Time> sample_times(long periods, std::size_t count, double period) {
  std::vector<Time> times;
  for (long k = 0; k < periods; ++k)
    for (std::size_t i = 0; i < count; ++i)
      times.push_back({k, period * static_cast<double>(i) / static_cast<double>(count)});
  times.push_back({periods, 0.0});
  return times;
}

}  // namespace saltus
