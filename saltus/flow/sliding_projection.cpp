#include "saltus/flow/sliding_projection.hpp"

#include "saltus/kernel/delassus.hpp"

namespace saltus {

SlidingProjection::SlidingProjection(const Kernels& kernels, unsigned width)
    : layout_(kernels.layout()), functions_(kernels.at(width)), width_(width) {
  const std::size_t m = layout_.contacts;
  contact_.resize(layout_.contact_outputs() * width_);
  jets_.resize(layout_.jets() * layout_.jet_size() * width_);
  events_.resize(layout_.event_outputs() * width_);
  no_rate_.assign(layout_.N() * width_, 0.0);
  closed_.resize(width_);
  delassus_.assign(width_, std::vector<double>(m * m));
  excess_.resize(m);
  own_.assign(m + layout_.switches, {0, 0.0, std::vector<double>(layout_.N() - layout_.n)});
}

void SlidingProjection::list_closed(const At& at) {
  some_closed_ = false;
  for (std::size_t lane = 0; lane < width_; ++lane) {
    closed_[lane].clear();
    if (!at.modes[lane]) continue;
    for (std::size_t i = 0; i < layout_.contacts; ++i)
      if (at.modes[lane]->is_closed(i)) closed_[lane].push_back(i);
    some_closed_ = some_closed_ || !closed_[lane].empty();
  }
}

void SlidingProjection::project_state(const At& at, double* x) {
  list_closed(at);
  if (some_closed_) project_contacts(at, x);
  if (layout_.switches > 0) project_switches(at, x);
}

void SlidingProjection::project_columns(const At& at, const double* x, double* X) {
  list_closed(at);
  functions_.jets(at.t, x, at.p, at.inputs, nullptr, jets_.data());
  if (some_closed_) look_at_contacts(at, x);
  for (std::size_t lane = 0; lane < width_; ++lane) {
    if (!at.modes[lane]) continue;
    find_own(*at.modes[lane], lane);
    for (std::size_t c = 0; c < layout_.columns(); ++c) project_column(lane, c, X);
  }
}

/// Gaps, rates and M⁻¹ n of all contacts, and G of the closed ones of each lane.
void SlidingProjection::look_at_contacts(const At& at, const double* x) {
  functions_.contact(at.t, x, at.p, at.inputs, nullptr, contact_.data());
  for (std::size_t lane = 0; lane < width_; ++lane) factorise(lane);
}

/// G = L D Lᵀ.
void SlidingProjection::factorise(std::size_t lane) {
  const std::vector<std::size_t>& closed = closed_[lane];
  std::vector<double>& factors = delassus_[lane];
  const std::size_t size = closed.size();
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double value = delassus_entry(layout_, contact_.data(), width_, lane, closed[i], closed[j]);
      for (std::size_t k = 0; k < j; ++k)
        value -= factors[i * size + k] * factors[j * size + k] * factors[k * size + k];
      factors[i * size + j] = i == j ? value : value / factors[j * size + j];
    }
  }
}

/// excess ← G⁻¹ excess.
void SlidingProjection::solve(std::size_t lane) {
  const std::size_t size = closed_[lane].size();
  const std::vector<double>& factors = delassus_[lane];
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < i; ++j) excess_[i] -= factors[i * size + j] * excess_[j];
  for (std::size_t i = 0; i < size; ++i) excess_[i] /= factors[i * size + i];
  for (std::size_t i = size; i-- > 0;)
    for (std::size_t j = i + 1; j < size; ++j) excess_[i] -= factors[j * size + i] * excess_[j];
}

/// to[first + k] −= (M⁻¹ W excess)_k.
void SlidingProjection::move(std::size_t lane, std::size_t first, double* to) const {
  const std::size_t n = layout_.n;
  const std::vector<std::size_t>& closed = closed_[lane];
  for (std::size_t k = 0; k < n; ++k) {
    double step = contact(layout_.contact_response(closed[0]) + k, lane) * excess_[0];
    for (std::size_t i = 1; i < closed.size(); ++i)
      step += contact(layout_.contact_response(closed[i]) + k, lane) * excess_[i];
    to[(first + k) * width_ + lane] -= step;
  }
}

void SlidingProjection::project_contacts(const At& at, double* x) {
  // The gaps twice, then their rates.
  for (int pass = 0; pass < 3; ++pass) {
    const bool rates = pass == 2;
    look_at_contacts(at, x);
    for (std::size_t lane = 0; lane < width_; ++lane) {
      const std::vector<std::size_t>& closed = closed_[lane];
      if (closed.empty()) continue;
      for (std::size_t i = 0; i < closed.size(); ++i)
        excess_[i] = contact((rates ? layout_.contacts : 0) + closed[i], lane);
      solve(lane);
      move(lane, rates ? layout_.n : 0, x);
    }
  }
}

/// By Gram and Schmidt, over all closed contacts and the switches slid along. A function that the others keep zero has nothing for itself,
/// and needs nothing.
void SlidingProjection::find_own(const Mode& mode, std::size_t lane) {
  constexpr double nothing = 1e-9;
  owned_ = 0;
  const auto add = [&](std::size_t which, std::size_t row) {
    Own& own = own_[owned_];
    own.which = which;
    double whole = 0.0;
    for (std::size_t i = layout_.n; i < layout_.N(); ++i) {
      own.direction[i - layout_.n] = jet(row, i, lane);
      whole += jet(row, i, lane) * jet(row, i, lane);
    }
    own.square = whole;
    for (std::size_t j = 0; j < owned_; ++j) {
      double along = 0.0;
      for (std::size_t i = 0; i < own.direction.size(); ++i) along += own.direction[i] * own_[j].direction[i];
      along /= own_[j].square;
      own.square = 0.0;
      for (std::size_t i = 0; i < own.direction.size(); ++i) {
        own.direction[i] -= along * own_[j].direction[i];
        own.square += own.direction[i] * own.direction[i];
      }
    }
    if (own.square > nothing * nothing * whole) ++owned_;
  };
  bool slides = false;
  for (std::size_t k = 0; k < layout_.switches; ++k) slides = slides || mode.slides_alone(k);
  if (!slides) return;
  for (const std::size_t i : closed_[lane]) add(layout_.switches, layout_.rate_jet(i));
  for (std::size_t k = 0; k < layout_.switches; ++k)
    if (mode.slides_alone(k)) add(k, layout_.switch_jet(k));
}

/// Along what s has for itself: q, and what else is kept, are not moved.
void SlidingProjection::project_switches(const At& at, double* x) {
  for (std::size_t k = 0; k < layout_.switches; ++k) {
    functions_.jets(at.t, x, at.p, at.inputs, nullptr, jets_.data());
    functions_.events(at.t, x, at.p, at.inputs, no_rate_.data(), events_.data());
    for (std::size_t lane = 0; lane < width_; ++lane) {
      if (!at.modes[lane] || !at.modes[lane]->slides_alone(k)) continue;
      find_own(*at.modes[lane], lane);
      for (std::size_t j = 0; j < owned_; ++j) {
        const Own& own = own_[j];
        if (own.which != k) continue;
        const double step = events_[(layout_.contacts + k) * width_ + lane] / own.square;
        for (std::size_t i = layout_.n; i < layout_.N(); ++i)
          x[i * width_ + lane] -= own.direction[i - layout_.n] * step;
      }
    }
  }
}

/// The derivative of row `row` of the jets along column c.
double SlidingProjection::along(std::size_t row, std::size_t lane, const double* X, std::size_t c) const {
  double sum = c < layout_.state_columns ? 0.0 : jet(row, layout_.N() + 1 + c - layout_.state_columns, lane);
  for (std::size_t i = 0; i < layout_.N(); ++i) sum += jet(row, i, lane) * X[layout_.tangent(i, c) * width_ + lane];
  return sum;
}

void SlidingProjection::project_column(std::size_t lane, std::size_t c, double* X) {
  const std::size_t n = layout_.n;
  const std::size_t m = layout_.contacts;
  const std::vector<std::size_t>& closed = closed_[lane];
  // First the gaps; the rates see the positions that this gives.
  for (const bool rates : {false, true}) {
    if (closed.empty()) break;
    for (std::size_t i = 0; i < closed.size(); ++i) excess_[i] = along((rates ? m : 0) + closed[i], lane, X, c);
    solve(lane);
    move(lane, layout_.tangent(rates ? n : 0, c), X);
  }
  for (std::size_t j = 0; j < owned_; ++j) {
    const Own& own = own_[j];
    if (own.which == layout_.switches) continue;
    const double step = along(layout_.switch_jet(own.which), lane, X, c) / own.square;
    for (std::size_t i = n; i < layout_.N(); ++i)
      X[layout_.tangent(i, c) * width_ + lane] -= own.direction[i - n] * step;
  }
}

}  // namespace saltus
