#include "saltus/flow/lane_values.hpp"

#include <cmath>
#include <utility>

namespace saltus {

LaneValues::LaneValues(const Kernels& kernels, const LaneStepper& stepper)
    : stepper_(stepper),
      layout_(kernels.layout()),
      one_(kernels.at(1).events),
      width_(stepper.width()),
      count_(layout_.events()),
      any_(count_ > 0 || layout_.mass_varies) {
  begin_.resize(layout_.event_outputs() * width_);
  end_ = begin_;
  fresh_ = begin_;
  sizes_.assign(count_ * width_, 0.0);
  one_values_.resize(layout_.event_outputs());
}

void LaneValues::look_at_ends() {
  if (!any_) return;
  stepper_.functions().events(stepper_.t_new_array(), stepper_.y_new_array(), stepper_.p_array(), stepper_.mode_array(),
                              stepper_.rate_new_array(), end_.data());
}

void LaneValues::take(LaneSet chosen) {
  if (any_) stepper_.copy_lanes(chosen, end_, begin_);
}

void LaneValues::look_anew(LaneSet chosen) {
  if (!any_) return;
  stepper_.functions().events(stepper_.t_array(), stepper_.y_array(), stepper_.p_array(), stepper_.mode_array(),
                              stepper_.rate_array(), fresh_.data());
  stepper_.copy_lanes(chosen, fresh_, begin_);
}

void LaneValues::look_at_one(std::size_t l, double t, const double* x, const double* p, const double* mode,
                             const double* rate) {
  if (!any_) return;
  one_(&t, x, p, mode, rate, one_values_.data());
  for (std::size_t i = 0; i < one_values_.size(); ++i) begin_[i * width_ + l] = one_values_[i];
}

LaneSet LaneValues::with_known_gaps() const {
  LaneSet known = LaneSet::all(width_);
  for (std::size_t i = 0; i < layout_.contacts; ++i)
    known = known & lanes_where(width_, [&](std::size_t l) { return !std::isnan(end(i, l)); });
  return known;
}

void LaneValues::measure(std::size_t l, const Matrix& jets, const Vector& x, const std::vector<double>& fastest,
                         double pace) {
  for (std::size_t row = 0; row < count_; ++row) {
    const bool gap = row < layout_.contacts;
    if (!gap && row < layout_.contacts + layout_.switches) continue;
    const double terms =
        jets.row(index(gap ? row : row + layout_.contacts)).head(x.size()).cwiseAbs().dot(x.cwiseAbs());
    const double speed = std::abs(begin_rate(row, l)) + (gap && !fastest.empty() ? fastest[row] : 0.0);
    // A gradient need not exist, as that of a root at zero.
    sizes_[row * width_ + l] = (std::isfinite(terms) ? terms : 0.0) + (std::isfinite(speed) ? speed * pace : 0.0);
  }
}

void LaneValues::exchange(std::size_t l, LaneValues& other, std::size_t other_l) {
  for (std::size_t i = 0; i < begin_.size(); i += width_) std::swap(begin_[i + l], other.begin_[i + other_l]);
  for (std::size_t i = 0; i < sizes_.size(); i += width_) std::swap(sizes_[i + l], other.sizes_[i + other_l]);
}

}  // namespace saltus
