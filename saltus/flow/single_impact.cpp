#include "saltus/flow/single_impact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/kernel/delassus.hpp"

namespace saltus {

SingleImpact::SingleImpact(const Kernels& kernels, const FlowOptions& options, unsigned width)
    : layout_(kernels.layout()), functions_(kernels.at(width)), options_(options), width_(width) {
  const std::size_t m = layout_.contacts;
  const std::size_t n = layout_.n;
  for (const double input : mode_inputs(Mode(layout_))) mode_.insert(mode_.end(), width_, input);
  struck_ = mode_;
  no_rate_.assign(layout_.N() * width_, 0.0);
  contact_.resize(layout_.contact_outputs() * width_);
  for (LaneArray* state : {&x_minus_, &x_plus_, &rate_plus_}) state->resize(layout_.N() * width_);
  events_.resize(layout_.event_outputs() * width_);
  impact_.resize((n + m + n * layout_.impact_directions()) * width_);
  jets_.resize(layout_.jets() * layout_.jet_size() * width_);
  energy_minus_.resize(2 * width_);
  energy_plus_.resize(2 * width_);
  jump_.resize(layout_.N());
  column_.resize(layout_.N());
}

/// `gap_size` of contact i.
double SingleImpact::size_of(const Blow& blow, std::size_t i) const {
  const std::size_t n = layout_.n;
  double terms = 0.0;
  double speeds = blow.fastest[i];
  double wall = contact(layout_.contact_rate(i), blow.lane);
  for (std::size_t k = 0; k < n; ++k) {
    const double speed = normal(i, k, blow.lane) * x_minus(n + k, blow.lane);
    terms += std::abs(normal(i, k, blow.lane) * x_minus(k, blow.lane));
    speeds += std::abs(speed);
    wall -= speed;
  }
  return terms + (speeds + std::abs(wall)) * blow.natural_step;
}

/// No other gap is closed at this instant: the same bounds as the Settler's.
bool SingleImpact::others_apart(const Blow& blow) const {
  const std::size_t m = layout_.contacts;
  for (std::size_t i = 0; i < m; ++i) {
    if (i == blow.contact) continue;
    const double rounding = 1e-13 * size_of(blow, i);
    const double h = contact(i, blow.lane);
    if (h <= rounding && (h >= -rounding || contact(layout_.contact_rate(i), blow.lane) < 0.0)) return false;
  }
  return true;
}

double SingleImpact::rest_speed_of(const Blow& blow) const {
  const std::size_t n = layout_.n;
  double sizes = 0.0;
  double moved = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    const double part = normal(blow.contact, k, blow.lane) * x_minus(n + k, blow.lane);
    moved += part;
    sizes += std::abs(part);
  }
  return 1e-13 * (sizes + std::abs(contact(layout_.contact_rate(blow.contact), blow.lane) - moved)) + 1e-300;
}

/// One contact that approaches and leaves.
bool SingleImpact::is_plain(const Blow& blow) const {
  if (!others_apart(blow)) return false;
  const double gamma = contact(layout_.contact_rate(blow.contact), blow.lane);
  const double e = contact(layout_.contact_restitution(blow.contact), blow.lane);
  const double rest = rest_speed_of(blow);
  return gamma < -rest && -e * gamma > rest && e <= 1.0;
}

/// The rebound is so slow that a chatter is completed here.
bool SingleImpact::ends_soon(const Blow& blow) const {
  const std::size_t events = layout_.events();
  const Rebound rebound{blow.record->gamma_plus, events_[(2 * events + blow.contact) * width_ + blow.lane],
                        contact(layout_.contact_restitution(blow.contact), blow.lane)};
  if (rebound.is_invisible(size_of(blow, blow.contact))) return true;
  const double at_most = std::numeric_limits<double>::infinity();
  if (!rebound.remaining(at_most, blow.natural_step, options_.rtol)) return false;
  return rebound.remaining(fastest_of(blow), blow.natural_step, options_.rtol).has_value();
}

/// `fastest_impact` with this one.
double SingleImpact::fastest_of(const Blow& blow) const {
  const auto entry = [&](std::size_t i) { return delassus_entry(layout_, contact_.data(), width_, blow.lane, i, i); };
  double fastest = -blow.record->gamma_minus;
  for (std::size_t j = 0; j < layout_.contacts; ++j)
    if (blow.fastest[j] > 0.0)
      fastest = std::max(
          fastest, j == blow.contact ? blow.fastest[j] : blow.fastest[j] * std::sqrt(entry(blow.contact) / entry(j)));
  return fastest;
}

void SingleImpact::strike(const At& at, std::span<Blow> blows, double* x, double* X) {
  const std::size_t n = layout_.n;
  const std::size_t N = layout_.N();
  functions_.contact(at.t, x, at.p, mode_.data(), nullptr, contact_.data());
  std::copy_n(x, N * width_, x_minus_.begin());
  x_plus_ = x_minus_;
  for (Blow& blow : blows) {
    if (!is_plain(blow)) continue;
    const double gamma = contact(layout_.contact_rate(blow.contact), blow.lane);
    const double e = contact(layout_.contact_restitution(blow.contact), blow.lane);
    const double G = delassus_entry(layout_, contact_.data(), width_, blow.lane, blow.contact, blow.contact);
    const double impulse = -(1.0 + e) * gamma / G;
    blow.record = Record{gamma, 0.0, impulse};
    for (std::size_t k = 0; k < n; ++k)
      x_plus_[(n + k) * width_ + blow.lane] += contact(layout_.contact_response(blow.contact) + k, blow.lane) * impulse;
  }
  functions_.field(at.t, x_plus_.data(), at.p, mode_.data(), nullptr, rate_plus_.data());
  functions_.events(at.t, x_plus_.data(), at.p, mode_.data(), rate_plus_.data(), events_.data());
  bool some = false;
  for (Blow& blow : blows) {
    if (!blow.record) continue;
    blow.record->gamma_plus = events_[(layout_.events() + blow.contact) * width_ + blow.lane];
    if (ends_soon(blow)) blow.record.reset();
    some = some || blow.record;
  }
  if (!some) return;
  if (X) carry_tangents(at, blows, X);
  functions_.energy(at.t, x_minus_.data(), at.p, nullptr, no_rate_.data(), energy_minus_.data());
  functions_.energy(at.t, x_plus_.data(), at.p, nullptr, no_rate_.data(), energy_plus_.data());
  for (Blow& blow : blows) {
    if (!blow.record) continue;
    for (std::size_t i = n; i < 2 * n; ++i) x[i * width_ + blow.lane] = x_plus_[i * width_ + blow.lane];
    keep(blow, energy_minus_[blow.lane], energy_plus_[blow.lane]);
  }
}

/// The ledger of an impact.
void SingleImpact::keep(Blow& blow, double kinetic_minus, double kinetic_plus) const {
  const std::size_t n = layout_.n;
  const double gamma = blow.record->gamma_minus;
  const double impulse = blow.record->impulse;
  const double e = contact(layout_.contact_restitution(blow.contact), blow.lane);
  const double G = delassus_entry(layout_, contact_.data(), width_, blow.lane, blow.contact, blow.contact);
  Ledger& ledger = blow.ledger;
  blow.fastest[blow.contact] = std::max(blow.fastest[blow.contact], -gamma);
  ledger.smallest_gamma[blow.contact] = std::min(ledger.smallest_gamma[blow.contact], -gamma);
  ++ledger.impacts;
  const double slope = contact(layout_.contact_slope(blow.contact), blow.lane);
  ledger.log_contraction += std::log(e) + std::log(std::abs(slope));
  const double change = kinetic_plus - kinetic_minus;
  double h_t = gamma;
  for (std::size_t k = 0; k < n; ++k) h_t -= normal(blow.contact, k, blow.lane) * x_minus(n + k, blow.lane);
  const double law = -0.5 * (1.0 - e * e) * gamma * gamma / G - impulse * h_t;
  const double scale = std::max(kinetic_minus, kinetic_plus) + std::abs(impulse * h_t) + 1e-300;
  ledger.energy_impacts += change;
  ledger.energy_residual = std::max(ledger.energy_residual, std::abs(change - law) / scale);
}

/// X⁺ = R_x X⁻ + R_p + (R_x F⁻ + R_t − F⁺) δt with δt = −(h_x X⁻ + h_p) / (h_x F⁻ + h_t): only the rows of v and the
/// delay differ from the identity.
void SingleImpact::carry_tangents(const At& at, std::span<const Blow> blows, double* X) {
  for (const Blow& blow : blows) struck_[layout_.contact_mask(blow.contact) * width_ + blow.lane] = 1.0;
  functions_.jets(at.t, x_minus_.data(), at.p, mode_.data(), nullptr, jets_.data());
  functions_.impact(at.t, x_minus_.data(), at.p, struck_.data(), nullptr, impact_.data());
  for (const Blow& blow : blows) {
    struck_[layout_.contact_mask(blow.contact) * width_ + blow.lane] = 0.0;
    if (!blow.record) continue;
    double along_flow = jet(blow.contact, layout_.N(), blow.lane);
    for (std::size_t k = 0; k < layout_.n; ++k)
      along_flow += jet(blow.contact, k, blow.lane) * at.rate[k * width_ + blow.lane];
    set_jump(at, blow.lane);
    for (std::size_t c = 0; c < layout_.columns(); ++c) carry_column(blow, along_flow, c, X);
  }
}

/// R_x F⁻ + R_t − F⁺.
void SingleImpact::set_jump(const At& at, std::size_t lane) {
  const std::size_t n = layout_.n;
  for (std::size_t i = 0; i < layout_.N(); ++i) jump_[i] = at.rate[i * width_ + lane] - rate_plus_[i * width_ + lane];
  for (std::size_t i = 0; i < n; ++i) {
    double moved = dv(2 * n, i, lane) - rate_plus_[(n + i) * width_ + lane];
    for (std::size_t k = 0; k < 2 * n; ++k) moved += dv(k, i, lane) * at.rate[k * width_ + lane];
    jump_[n + i] = moved;
  }
}

void SingleImpact::carry_column(const Blow& blow, double along_flow, std::size_t c, double* X) {
  const std::size_t n = layout_.n;
  const std::size_t N = layout_.N();
  const std::size_t lane = blow.lane;
  for (std::size_t i = 0; i < N; ++i) column_[i] = X[layout_.tangent(i, c) * width_ + lane];
  const bool of_parameter = c >= layout_.state_columns;
  const std::size_t j = of_parameter ? c - layout_.state_columns : 0;
  double excess = of_parameter ? jet(blow.contact, N + 1 + j, lane) : 0.0;
  for (std::size_t k = 0; k < n; ++k) excess += jet(blow.contact, k, lane) * column_[k];
  const double delay = -excess / along_flow;
  for (std::size_t i = 0; i < N; ++i) {
    double value = column_[i];
    if (i >= n && i < 2 * n) {
      value = of_parameter ? dv(2 * n + 1 + j, i - n, lane) : 0.0;
      for (std::size_t k = 0; k < 2 * n; ++k) value += dv(k, i - n, lane) * column_[k];
    }
    X[layout_.tangent(i, c) * width_ + lane] = value + jump_[i] * delay;
  }
}

}  // namespace saltus
