#include "saltus/flow/chatter.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

constexpr double slow = 1e-4;
constexpr double never = std::numeric_limits<double>::infinity();

/// What an impact of any speed on a contact at a place does to it: e and ∂(e w)/∂w.
class RestitutionAt {
 public:
  RestitutionAt(const Mechanism& mechanism, double t, const Vector& x, std::size_t contact)
      : mechanism_(mechanism), t_(t), x_(x), contact_(index(contact)) {
    const ContactValue at = mechanism.contact(t, x, Mode(mechanism.layout()));
    response_ = at.response.row(contact_).transpose() / at.delassus(contact_, contact_);
    gamma_ = at.gamma[contact_];
    slowest_ = {at.restitution[contact_], at.rebound_slope[contact_]};
  }

  struct Value {
    double e, slope;

    /// The e of a chatter that lasts as long: 2u/(A (1 − 2e + slope)) is what is left to first order if 1 − e is a power of the
    /// speed, or e nearly constant.
    double lasting() const { return 2.0 * e - slope; }
  };
  Value operator()(double speed) const {
    if (!mechanism_.layout().restitution_by_speed) return slowest_;
    const Index n = response_.size();
    Vector x = x_;
    x.segment(n, n) -= (gamma_ + speed) * response_;
    const ContactValue at = mechanism_.contact(t_, x, Mode(mechanism_.layout()));
    return {at.restitution[contact_], at.rebound_slope[contact_]};
  }

 private:
  const Mechanism& mechanism_;
  double t_;
  Vector x_;
  Index contact_;
  Vector response_;  // of v to a unit change of γ
  double gamma_ = 0.0;
  Value slowest_{};  // behind an impact the contact leaves
};

/// Forces held at a place: the accelerations of the gap and the rates of the switches in every mode, and how an impact of unit
/// change of γ throws the switches.
class HeldForces {
 public:
  HeldForces(const Mechanism& mechanism, double t, const Vector& x, std::size_t contact)
      : mechanism_(mechanism), t_(t), x_(x), contact_(contact), restitution_(mechanism, t, x, contact) {
    const Layout& layout = mechanism.layout();
    const Index n = index(layout.n);
    const ContactValue at = mechanism.contact(t, x, Mode(layout));
    const Index i = index(contact);
    const Vector response = at.response.row(i).transpose() / at.delassus(i, i);
    const Matrix jets = mechanism.jets(t, x);
    for (std::size_t k = 0; k < layout.switches; ++k) {
      const auto ds_dv = jets.row(index(layout.switch_jet(k))).segment(n, n);
      const double thrown = ds_dv * response;
      const double rounding = 1e-12 * (ds_dv.cwiseAbs() * response.cwiseAbs()).value();
      thrown_.push_back(std::abs(thrown) > rounding ? thrown : 0.0);
    }
  }

  struct Rates {
    double gap;  // ḧ
    std::vector<double> switches;  // ṡ
    bool valid;  // the weights of switches slid along lie between 0 and 1
  };
  const Rates& rates(const Mode& mode) {
    const auto [place, fresh] = known_.try_emplace(mode.switches());
    if (!fresh) return place->second;
    const Layout& layout = mechanism_.layout();
    const FieldValue field = mechanism_.field(t_, x_, mode);
    const EventValue events = mechanism_.events(t_, x_, field.rate);
    Rates& found = place->second;
    found.gap = events.gap_second[index(contact_)];
    found.valid = std::isfinite(found.gap);
    for (std::size_t k = 0; k < layout.switches; ++k) {
      found.switches.push_back(events.rate[index(layout.contacts + k)]);
      const double w = field.weight[index(k)];
      if (mode.slides_along(k)) found.valid = found.valid && w > -1e-9 && w < 1.0 + 1e-9;
    }
    return found;
  }
  double restitution(double speed) const { return restitution_(speed).e; }
  double thrown(std::size_t k) const { return thrown_[k]; }

 private:
  const Mechanism& mechanism_;
  double t_;
  Vector x_;
  std::size_t contact_;
  RestitutionAt restitution_;
  std::vector<double> thrown_;  // per switch: Δs for Δγ = 1
  std::map<std::vector<SwitchState>, Rates> known_;
};

/// Flights under held forces, one after the other: everything is a parabola or a line.
class HeldFlights {
 public:
  HeldFlights(HeldForces& forces, const Mode& mode, double speed, std::vector<double> switches)
      : forces_(forces), mode_(mode), speed_(speed), switches_(std::move(switches)) {}

  /// The time of all of them; nothing if they do not accumulate.
  std::optional<double> total() {
    constexpr int most = 200'000;
    const double first = speed_;
    double sum = 0.0;
    double last_ratio = 0.0;
    int steady = 0;
    for (int count = 0; count < most; ++count) {
      const double before = speed_;
      const auto length = fly();
      if (!length) return std::nullopt;
      sum += *length;
      const double ratio = speed_ / before;
      steady = std::abs(ratio - last_ratio) <= 1e-14 ? steady + 1 : 0;
      last_ratio = ratio;
      if (speed_ <= 1e-13 * first) return sum;
      if (steady >= 3) return ratio < 1.0 ? std::optional(sum + *length * ratio / (1.0 - ratio)) : std::nullopt;
      if (speed_ > 1e3 * first) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  /// From one impact to the next, and over it: the time, with the new speed.
  std::optional<double> fly() {
    constexpr int most_switches = 1000;
    double h = 0.0;
    double gamma = speed_;
    double time = 0.0;
    for (int count = 0; count < most_switches; ++count) {
      const HeldForces::Rates& now = forces_.rates(mode_);
      if (!now.valid) return std::nullopt;
      const double landing = fall_of(h, gamma, now.gap);
      std::size_t first = switches_.size();
      double step = landing;
      for (std::size_t k = 0; k < switches_.size(); ++k) {
        if (mode_.slides_along(k) || switches_[k] * now.switches[k] >= 0.0) continue;
        const double crossing = -switches_[k] / now.switches[k];
        if (crossing < step) {
          step = crossing;
          first = k;
        }
      }
      if (step == never) return std::nullopt;
      h += step * (gamma + 0.5 * step * now.gap);
      gamma += step * now.gap;
      time += step;
      for (std::size_t k = 0; k < switches_.size(); ++k)
        if (!mode_.slides_along(k)) switches_[k] += step * now.switches[k];
      if (first == switches_.size()) {
        strike(gamma);
        return time;
      }
      // A switch that no impact has thrown here is passed once, not in every flight: what follows is not the same again.
      if (forces_.thrown(first) == 0.0 || !pass(first)) return std::nullopt;
    }
    return std::nullopt;
  }

  /// When a gap h ≥ 0 with the speed γ closes under the acceleration a.
  static double fall_of(double h, double gamma, double a) {
    if (h <= 0.0) return gamma > 0.0 && a < 0.0 ? -2.0 * gamma / a : never;
    const double discriminant = gamma * gamma - 2.0 * a * h;
    if (discriminant < 0.0) return never;
    const double root = std::sqrt(discriminant);
    if (gamma < 0.0) return 2.0 * h / (root - gamma);
    return a < 0.0 ? (gamma + root) / -a : never;
  }

  /// Through the surface of switch k, or along it if both sides point at it.
  bool pass(std::size_t k) {
    const double sign = mode_.side(k);
    switches_[k] = 0.0;
    mode_.pass(k, -sign);
    if (sign * forces_.rates(mode_).switches[k] < 0.0) return true;
    mode_.slide(k);
    return forces_.rates(mode_).valid;
  }

  void strike(double gamma_minus) {
    const double e = forces_.restitution(-gamma_minus);
    const double change = -(1.0 + e) * gamma_minus;
    speed_ = -e * gamma_minus;
    for (std::size_t k = 0; k < switches_.size(); ++k) {
      if (forces_.thrown(k) == 0.0) continue;
      switches_[k] += forces_.thrown(k) * change;
      mode_.pass(k, switches_[k]);
    }
  }

  HeldForces& forces_;
  Mode mode_;
  double speed_;
  std::vector<double> switches_;
};

/// A chatter whose flights are all in one mode.
struct SmoothChatter {
  double u, a;
  double e;  // or what lasts as long, if it depends on the speed
  double b;  // ȧ along the free motion
  double g;  // ∂a/∂γ along M⁻¹n

  double first_order() const { return 2.0 * u / (-a * (1.0 - e)); }
  double second_order() const {
    const double A = -a;
    const double c = 2.0 * b / A + (1.0 + e) * g;
    const double slower = -2.0 / 3.0 * b * u / (A * A) * e / (1.0 - e * e);
    const double pressed = c * u / A * e / (1.0 - e * e);
    const double longer = 2.0 / 3.0 * b * u / (A * A) / (1.0 + e);
    return first_order() * (1.0 + slower + pressed + longer);
  }
  /// Their squares: how large terms of third order may be, though those of second order happen to cancel.
  double third_order() const {
    const double pressed = (2.0 * std::abs(b) / (a * a) + (1.0 + e) * std::abs(g / a)) * e / (1.0 - e * e);
    const double bent = 2.0 / 3.0 * std::abs(b) / (a * a) / (1.0 - e);
    const double relative = u * (pressed + bent);
    return 4.0 * first_order() * relative * relative;
  }
};

/// The time of a chatter whose restitution depends on the speed: flight by flight to second order, until what is left is below the
/// tolerance. Nothing if that does not come, as with 1 − e in proportion to the speed.
std::optional<double> flight_by_flight(SmoothChatter now, const RestitutionAt& law, double tolerance) {
  constexpr int most = 200'000;
  double sum = 0.0;
  for (int count = 0; count < most; ++count) {
    now.e = law(now.u).lasting();
    if (!(now.e < 1.0) || !(now.a < 0.0)) return std::nullopt;
    if (now.first_order() <= 1e-3 * tolerance) return sum + now.first_order();
    const double A = -now.a;
    const double bent = now.b * now.u / (A * A);
    const double w = now.u * (1.0 - 2.0 / 3.0 * bent);
    const double e = law(w).e;
    if (!(e >= 0.0 && e <= 1.0)) return std::nullopt;
    sum += 2.0 * now.u / A * (1.0 + 2.0 / 3.0 * bent);
    now.a += (2.0 * now.b / A + (1.0 + e) * now.g) * now.u;
    now.u = e * w;
  }
  return std::nullopt;
}

double gap_acceleration(const Mechanism& mechanism, double t, const Vector& x, const Mode& mode, std::size_t contact) {
  return mechanism.events(t, x, mechanism.field(t, x, mode).rate).gap_second[index(contact)];
}

/// The state without the speed at which the contact opens.
Vector without_speed(const ContactValue& at, const Vector& x, std::size_t contact) {
  const Index n = at.normal.cols();
  const Index i = index(contact);
  Vector still = x;
  still.segment(n, n) -= at.gamma[i] / at.delassus(i, i) * at.response.row(i).transpose();
  return still;
}

/// The sides behind the impact: what an impact throws off a surface no longer slides along it.
Mode mode_behind(HeldForces& forces, const Mode& mode, const std::vector<double>& switches) {
  Mode behind = mode;
  for (std::size_t k = 0; k < switches.size(); ++k) {
    if (forces.thrown(k) == 0.0 || switches[k] == 0.0) continue;
    behind.pass(k, switches[k]);
  }
  return behind;
}

/// Is a switch so near that it may be met within a time?
bool some_switch_near(const HeldForces::Rates& rates, const Mode& mode, const std::vector<double>& switches,
                      double time) {
  for (std::size_t k = 0; k < switches.size(); ++k)
    if (!mode.slides_along(k) && std::abs(switches[k]) <= 2.0 * time * std::abs(rates.switches[k])) return true;
  return false;
}

std::optional<double> among_switches(const Mechanism& mechanism, double t, const Vector& x, const Mode& mode,
                                     std::size_t contact, const std::vector<double>& switches,
                                     const ChatterLimits& limits) {
  const ContactValue at = mechanism.contact(t, x, mode);
  const double speed = at.gamma[index(contact)];
  HeldForces here(mechanism, t, x, contact);
  const auto time = HeldFlights(here, mode, speed, switches).total();
  if (!time || *time > limits.time_scale()) return std::nullopt;
  // The forces at the end: the contact has closed, what was thrown has come back.
  Mode closed = mode;
  closed.close(contact);
  const Vector still = without_speed(at, x, contact);
  const Vector there = still + *time * mechanism.field(t, still, closed).rate;
  HeldForces behind(mechanism, t + *time, there, contact);
  const auto again = HeldFlights(behind, mode, speed, switches).total();
  if (!again || std::abs(*again - *time) > limits.tolerance(speed)) return std::nullopt;
  return 0.5 * (*time + *again);
}

}  // namespace

double ChatterLimits::time_scale() const { return natural_step * std::pow(rtol, -1.0 / 8.0); }

double ChatterLimits::tolerance(double u) const { return std::max(rtol * time_scale(), 4.0 * rounding / u); }

std::optional<double> Rebound::remaining(double fastest, double natural_step, double rtol) const {
  if (acceleration >= 0.0 || restitution >= 1.0 || speed > slow * fastest) return std::nullopt;
  const double time = 2.0 * speed / (-acceleration * (1.0 - restitution));
  if (time > ChatterLimits{fastest, natural_step, rtol}.time_scale() * std::cbrt(rtol)) return std::nullopt;
  return time;
}

std::optional<double> chatter_time(const Mechanism& mechanism, double t, const Vector& x, const Mode& mode,
                                   std::size_t contact, const ChatterLimits& limits) {
  const Layout& layout = mechanism.layout();
  const ContactValue at = mechanism.contact(t, x, mode);
  const double u = at.gamma[index(contact)];
  if (u > slow * limits.fastest) return std::nullopt;
  HeldForces forces(mechanism, t, x, contact);
  const Vector values = mechanism.events(t, x, Vector::Zero(x.size())).value;
  const auto first = values.data() + layout.contacts;
  const std::vector<double> switches(first, first + layout.switches);
  const Mode behind = mode_behind(forces, mode, switches);
  const HeldForces::Rates& rates = forces.rates(behind);
  const RestitutionAt law(mechanism, t, x, contact);
  const Rebound rebound{u, rates.gap, law(u).lasting()};
  const auto remaining = rebound.remaining(limits.fastest, limits.natural_step, limits.rtol);
  if (behind != mode || some_switch_near(rates, behind, switches, remaining.value_or(0.0)))
    return among_switches(mechanism, t, x, behind, contact, switches, limits);
  if (!remaining) return std::nullopt;
  const double dt = 0.5 * *remaining;
  const Vector moved = x + dt * mechanism.field(t, x, mode).rate;
  const double later = gap_acceleration(mechanism, t + dt, moved, mode, contact);
  const double still = gap_acceleration(mechanism, t, without_speed(at, x, contact), mode, contact);
  const SmoothChatter chatter{u, rebound.acceleration, rebound.restitution, (later - rebound.acceleration) / dt,
                              (rebound.acceleration - still) / u};
  if (!(chatter.third_order() <= limits.tolerance(u))) return std::nullopt;
  if (layout.restitution_by_speed) return flight_by_flight(chatter, law, limits.tolerance(u));
  const double time = chatter.second_order();
  return std::isfinite(time) ? std::optional(time) : std::nullopt;
}

}  // namespace saltus
