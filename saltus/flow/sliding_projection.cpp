#include "saltus/flow/sliding_projection.hpp"

namespace saltus {

SlidingProjection::SlidingProjection(const Kernels& kernels) : layout_(kernels.layout()), functions_(kernels.at(1)) {
  const std::size_t m = layout_.contacts;
  contact_.resize(4 * m + 2 * m * layout_.n + m * m);
  jets_.resize((2 * m + layout_.switches + layout_.surfaces) * layout_.jet_size());
  events_.resize(layout_.event_outputs());
  no_rate_.assign(layout_.N(), 0.0);
  closed_.reserve(m);
  delassus_.resize(m * m);
  excess_.resize(m);
}

void SlidingProjection::list_closed(const Mode& mode) {
  closed_.clear();
  for (std::size_t i = 0; i < layout_.contacts; ++i)
    if (mode.closed[i]) closed_.push_back(i);
}

void SlidingProjection::project_state(const At& at, std::span<double> x) {
  list_closed(at.mode);
  if (!closed_.empty()) project_contacts(at, x);
  for (std::size_t k = 0; k < layout_.switches; ++k)
    if (at.mode.filippov[k]) project_switch(at, k, x);
}

void SlidingProjection::project_columns(const At& at, std::span<const double> x, std::span<double> X) {
  list_closed(at.mode);
  functions_.jets(&at.t, x.data(), at.p, nullptr, nullptr, jets_.data());
  if (!closed_.empty()) look_at_contacts(at, x);
  for (std::size_t c = 0; c < layout_.columns(); ++c) project_column(at.mode, c, X);
}

/// Gaps, rates and M⁻¹ n of all contacts, and G = L D Lᵀ of the closed ones.
void SlidingProjection::look_at_contacts(const At& at, std::span<const double> x) {
  const std::size_t m = layout_.contacts;
  const std::size_t size = closed_.size();
  functions_.contact(&at.t, x.data(), at.p, at.inputs, nullptr, contact_.data());
  const double* const G = contact_.data() + 4 * m + 2 * m * layout_.n;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double value = G[closed_[i] * m + closed_[j]];
      for (std::size_t k = 0; k < j; ++k)
        value -= delassus_[i * size + k] * delassus_[j * size + k] * delassus_[k * size + k];
      delassus_[i * size + j] = i == j ? value : value / delassus_[j * size + j];
    }
  }
}

/// excess ← G⁻¹ excess.
void SlidingProjection::solve() {
  const std::size_t size = closed_.size();
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < i; ++j) excess_[i] -= delassus_[i * size + j] * excess_[j];
  for (std::size_t i = 0; i < size; ++i) excess_[i] /= delassus_[i * size + i];
  for (std::size_t i = size; i-- > 0;)
    for (std::size_t j = i + 1; j < size; ++j) excess_[i] -= delassus_[j * size + i] * excess_[j];
}

/// to[first + k] −= (M⁻¹ W excess)_k.
void SlidingProjection::move(std::size_t first, std::span<double> to) const {
  const std::size_t n = layout_.n;
  const double* const response = contact_.data() + layout_.contacts * (4 + n);
  for (std::size_t k = 0; k < n; ++k) {
    double step = response[closed_[0] * n + k] * excess_[0];
    for (std::size_t i = 1; i < closed_.size(); ++i) step += response[closed_[i] * n + k] * excess_[i];
    to[first + k] -= step;
  }
}

void SlidingProjection::project_contacts(const At& at, std::span<double> x) {
  for (int pass = 0; pass < 2; ++pass) {
    look_at_contacts(at, x);
    for (std::size_t i = 0; i < closed_.size(); ++i) excess_[i] = contact_[closed_[i]];
    solve();
    move(0, x);
  }
  look_at_contacts(at, x);
  for (std::size_t i = 0; i < closed_.size(); ++i) excess_[i] = contact_[layout_.contacts + closed_[i]];
  solve();
  move(layout_.n, x);
}

/// Along the gradient of s in v and z: q is not moved.
void SlidingProjection::project_switch(const At& at, std::size_t k, std::span<double> x) {
  functions_.jets(&at.t, x.data(), at.p, nullptr, nullptr, jets_.data());
  functions_.events(&at.t, x.data(), at.p, nullptr, no_rate_.data(), events_.data());
  const double* const s_x = jets_.data() + (2 * layout_.contacts + k) * layout_.jet_size();
  double square = 0.0;
  for (std::size_t i = layout_.n; i < layout_.N(); ++i) square += s_x[i] * s_x[i];
  const double step = events_[layout_.contacts + k] / square;
  for (std::size_t i = layout_.n; i < layout_.N(); ++i) x[i] -= s_x[i] * step;
}

/// The derivative of row `row` of the jets along column c.
double SlidingProjection::along(std::size_t row, std::span<const double> X, std::size_t c) const {
  const double* const jet = jets_.data() + row * layout_.jet_size();
  double sum = c < layout_.state_columns ? 0.0 : jet[layout_.N() + 1 + c - layout_.state_columns];
  for (std::size_t i = 0; i < layout_.N(); ++i) sum += jet[i] * X[layout_.tangent(i, c)];
  return sum;
}

void SlidingProjection::project_column(const Mode& mode, std::size_t c, std::span<double> X) {
  const std::size_t n = layout_.n;
  const std::size_t m = layout_.contacts;
  // First the gaps; the rates see the positions that this gives.
  for (const bool rates : {false, true}) {
    if (closed_.empty()) break;
    for (std::size_t i = 0; i < closed_.size(); ++i) excess_[i] = along((rates ? m : 0) + closed_[i], X, c);
    solve();
    move(layout_.tangent(rates ? n : 0, c), X);
  }
  for (std::size_t k = 0; k < layout_.switches; ++k) {
    if (!mode.filippov[k]) continue;
    const double* const s_x = jets_.data() + (2 * m + k) * layout_.jet_size();
    double square = 0.0;
    for (std::size_t i = n; i < layout_.N(); ++i) square += s_x[i] * s_x[i];
    const double step = along(2 * m + k, X, c) / square;
    for (std::size_t i = n; i < layout_.N(); ++i) X[layout_.tangent(i, c)] -= s_x[i] * step;
  }
}

}  // namespace saltus
