#include "saltus/flow/sliding_projection.hpp"

#include "saltus/kernel/delassus.hpp"

namespace saltus {

SlidingProjection::SlidingProjection(const Kernels& kernels, unsigned width)
    : layout_(kernels.layout()), functions_(kernels.at(width)), width_(width) {
  const std::size_t m = layout_.contacts;
  contact_.resize(contact_outputs(layout_) * width_);
  jets_.resize((2 * m + layout_.switches + layout_.surfaces) * layout_.jet_size() * width_);
  events_.resize(layout_.event_outputs() * width_);
  no_rate_.assign(layout_.N() * width_, 0.0);
  closed_.resize(width_);
  delassus_.assign(width_, std::vector<double>(m * m));
  excess_.resize(m);
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
    for (std::size_t c = 0; c < layout_.columns(); ++c) project_column(*at.modes[lane], lane, c, X);
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
  const std::size_t response = layout_.contacts * (4 + n);
  const std::vector<std::size_t>& closed = closed_[lane];
  for (std::size_t k = 0; k < n; ++k) {
    double step = contact(response + closed[0] * n + k, lane) * excess_[0];
    for (std::size_t i = 1; i < closed.size(); ++i) step += contact(response + closed[i] * n + k, lane) * excess_[i];
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

/// Along the gradient of s in v and z: q is not moved.
void SlidingProjection::project_switches(const At& at, double* x) {
  for (std::size_t k = 0; k < layout_.switches; ++k) {
    functions_.jets(at.t, x, at.p, at.inputs, nullptr, jets_.data());
    functions_.events(at.t, x, at.p, at.inputs, no_rate_.data(), events_.data());
    const std::size_t row = 2 * layout_.contacts + k;
    for (std::size_t lane = 0; lane < width_; ++lane) {
      if (!at.modes[lane] || !at.modes[lane]->slides_alone(k)) continue;
      double square = 0.0;
      for (std::size_t i = layout_.n; i < layout_.N(); ++i) square += jet(row, i, lane) * jet(row, i, lane);
      const double step = events_[(layout_.contacts + k) * width_ + lane] / square;
      for (std::size_t i = layout_.n; i < layout_.N(); ++i) x[i * width_ + lane] -= jet(row, i, lane) * step;
    }
  }
}

/// The derivative of row `row` of the jets along column c.
double SlidingProjection::along(std::size_t row, std::size_t lane, const double* X, std::size_t c) const {
  double sum = c < layout_.state_columns ? 0.0 : jet(row, layout_.N() + 1 + c - layout_.state_columns, lane);
  for (std::size_t i = 0; i < layout_.N(); ++i) sum += jet(row, i, lane) * X[layout_.tangent(i, c) * width_ + lane];
  return sum;
}

void SlidingProjection::project_column(const Mode& mode, std::size_t lane, std::size_t c, double* X) {
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
  for (std::size_t k = 0; k < layout_.switches; ++k) {
    if (!mode.slides_alone(k)) continue;
    const std::size_t row = 2 * m + k;
    double square = 0.0;
    for (std::size_t i = n; i < layout_.N(); ++i) square += jet(row, i, lane) * jet(row, i, lane);
    const double step = along(row, lane, X, c) / square;
    for (std::size_t i = n; i < layout_.N(); ++i) X[layout_.tangent(i, c) * width_ + lane] -= jet(row, i, lane) * step;
  }
}

}  // namespace saltus
