#include "saltus/flow/single_impact.hpp"

#include <algorithm>
#include <cmath>

namespace saltus {

SingleImpact::SingleImpact(const Kernels& kernels, const FlowOptions& options)
    : layout_(kernels.layout()), functions_(kernels.at(1)), options_(options) {
  const std::size_t m = layout_.contacts;
  const std::size_t n = layout_.n;
  mode_ = mode_inputs(Mode(layout_));
  struck_ = mode_;
  no_rate_.assign(layout_.N(), 0.0);
  contact_.resize(4 * m + 2 * m * n + m * m);
  x_minus_.resize(layout_.N());
  rate_minus_.resize(layout_.N());
  rate_plus_.resize(layout_.N());
  events_.resize(layout_.event_outputs());
  impact_.resize(n + m + n * layout_.impact_directions());
  jets_.resize((2 * m + layout_.switches + layout_.surfaces) * layout_.jet_size());
  jump_.resize(layout_.N());
  column_.resize(layout_.N());
}

/// No other gap is closed at this instant: the same bounds as the Settler's.
bool SingleImpact::others_apart(std::size_t contact, std::span<const double> x, double natural_step) const {
  const std::size_t m = layout_.contacts;
  const std::size_t n = layout_.n;
  for (std::size_t i = 0; i < m; ++i) {
    if (i == contact) continue;
    double size = 1.0;
    for (std::size_t k = 0; k < n; ++k) size += std::abs(contact_[4 * m + i * n + k] * x[k]);
    const double h = contact_[i];
    const double gamma = contact_[m + i];
    if (std::abs(h) <= 1e-13 * size || (gamma < 0.0 && h < -1e-13 * gamma * std::max(1.0, natural_step))) return false;
  }
  return true;
}

double SingleImpact::rest_speed_of(std::size_t contact, std::span<const double> x) const {
  const std::size_t m = layout_.contacts;
  const std::size_t n = layout_.n;
  double carried = 0.0;
  double moved = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    const double part = contact_[4 * m + contact * n + k] * x[n + k];
    moved += part;
    carried += std::abs(part);
  }
  return 1e-13 * (carried + std::abs(contact_[m + contact] - moved)) + 1e-300;
}

std::optional<SingleImpact::Record> SingleImpact::strike(double t, std::span<const double> p, std::size_t contact,
                                                         double natural_step, std::span<double> x, std::span<double> X,
                                                         std::vector<double>& fastest, Ledger& ledger) {
  const std::size_t m = layout_.contacts;
  const std::size_t n = layout_.n;
  functions_.contact(&t, x.data(), p.data(), mode_.data(), nullptr, contact_.data());
  if (!others_apart(contact, x, natural_step)) return std::nullopt;
  const double gamma = contact_[m + contact];
  const double e = contact_[3 * m + contact];
  const double rest = rest_speed_of(contact, x);
  if (!(gamma < -rest) || -e * gamma <= rest) return std::nullopt;
  const double G = contact_[4 * m + 2 * m * n + contact * m + contact];
  const double impulse = -(1.0 + e) * gamma / G;
  std::copy(x.begin(), x.end(), x_minus_.begin());
  for (std::size_t k = 0; k < n; ++k) x[n + k] += contact_[4 * m + m * n + contact * n + k] * impulse;
  functions_.field(&t, x.data(), p.data(), mode_.data(), nullptr, rate_plus_.data());
  functions_.events(&t, x.data(), p.data(), mode_.data(), rate_plus_.data(), events_.data());
  const std::size_t events = m + layout_.switches + layout_.surfaces;
  const double gamma_plus = events_[events + contact];
  double fastest_of_all = -gamma;
  for (const double speed : fastest) fastest_of_all = std::max(fastest_of_all, speed);
  double size = 1.0;
  for (std::size_t k = 0; k < n; ++k) size += std::abs(contact_[4 * m + contact * n + k] * x[k]);
  const Rebound rebound{gamma_plus, events_[2 * events + contact], e};
  if (rebound.is_invisible(size) || rebound.remaining(fastest_of_all, natural_step, options_.rtol)) {
    std::copy(x_minus_.begin(), x_minus_.end(), x.begin());
    return std::nullopt;
  }
  if (!X.empty()) carry_tangent(t, p.data(), contact, X);
  fastest[contact] = std::max(fastest[contact], -gamma);
  ledger.smallest_gamma[contact] = std::min(ledger.smallest_gamma[contact], -gamma);
  ++ledger.impacts;
  ledger.log_contraction += e == 1.0 ? 0.0 : 2.0 * std::log(e);
  double energy_minus[2];
  double energy_plus[2];
  functions_.energy(&t, x_minus_.data(), p.data(), nullptr, no_rate_.data(), energy_minus);
  functions_.energy(&t, x.data(), p.data(), nullptr, no_rate_.data(), energy_plus);
  const double change = energy_plus[0] - energy_minus[0];
  double h_t = gamma;
  for (std::size_t k = 0; k < n; ++k) h_t -= contact_[4 * m + contact * n + k] * x_minus_[n + k];
  const double law = -0.5 * (1.0 - e * e) * gamma * gamma / G - impulse * h_t;
  const double scale = std::max(energy_minus[0], energy_plus[0]) + std::abs(impulse * h_t) + 1e-300;
  ledger.energy_impacts += change;
  ledger.energy_residual = std::max(ledger.energy_residual, std::abs(change - law) / scale);
  return Record{contact, gamma, gamma_plus, impulse};
}

/// X⁺ = R_x X⁻ + R_p + (R_x F⁻ + R_t − F⁺) δt with δt = −(h_x X⁻ + h_p) / (h_x F⁻ + h_t): only the rows of v and the
/// delay differ from the identity.
void SingleImpact::carry_tangent(double t, const double* p, std::size_t contact, std::span<double> X) {
  const std::size_t n = layout_.n;
  const std::size_t N = layout_.N();
  const std::size_t varied = layout_.varied.size();
  functions_.field(&t, x_minus_.data(), p, mode_.data(), nullptr, rate_minus_.data());
  functions_.jets(&t, x_minus_.data(), p, mode_.data(), nullptr, jets_.data());
  struck_[layout_.contact_mask(contact)] = 1.0;
  functions_.impact(&t, x_minus_.data(), p, struck_.data(), nullptr, impact_.data());
  struck_[layout_.contact_mask(contact)] = 0.0;
  const double* const h_x = jets_.data() + contact * layout_.jet_size();
  const double* const v_x = impact_.data() + n + layout_.contacts;  // ∂v⁺ per direction q, v, t, p
  const double* const v_t = v_x + 2 * n * n;
  const double* const v_p = v_t + n;
  double along_flow = h_x[N];
  for (std::size_t k = 0; k < n; ++k) along_flow += h_x[k] * rate_minus_[k];
  for (std::size_t i = 0; i < N; ++i) jump_[i] = rate_minus_[i] - rate_plus_[i];
  for (std::size_t i = 0; i < n; ++i) {
    double moved = v_t[i] - rate_plus_[n + i];
    for (std::size_t k = 0; k < 2 * n; ++k) moved += v_x[k * n + i] * rate_minus_[k];
    jump_[n + i] = moved;
  }
  for (std::size_t c = 0; c < layout_.columns(); ++c) {
    for (std::size_t i = 0; i < N; ++i) column_[i] = X[layout_.tangent(i, c)];
    const bool of_parameter = c >= layout_.state_columns;
    const std::size_t j = of_parameter ? c - layout_.state_columns : varied;
    double excess = of_parameter ? h_x[N + 1 + j] : 0.0;
    for (std::size_t k = 0; k < n; ++k) excess += h_x[k] * column_[k];
    const double delay = -excess / along_flow;
    for (std::size_t i = 0; i < N; ++i) {
      double value = column_[i];
      if (i >= n && i < 2 * n) {
        value = of_parameter ? v_p[j * n + i - n] : 0.0;
        for (std::size_t k = 0; k < 2 * n; ++k) value += v_x[k * n + i - n] * column_[k];
      }
      X[layout_.tangent(i, c)] = value + jump_[i] * delay;
    }
  }
}

}  // namespace saltus
