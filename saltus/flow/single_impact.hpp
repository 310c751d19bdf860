#pragma once

#include <optional>
#include <span>
#include <vector>

#include "saltus/base/lane_array.hpp"
#include "saltus/flow/chatter.hpp"
#include "saltus/flow/settle.hpp"

namespace saltus {

/// The plain impact: one contact struck in free motion, and nothing else. It is by far the most frequent event, so it has
/// a way of its own without allocation, for all lanes that strike at once; whatever else may happen at an instant is the
/// Settler's.
class SingleImpact {
 public:
  SingleImpact(const Kernels& kernels, const FlowOptions& options, unsigned width);

  /// What the impact is made of.
  struct Record {
    double gamma_minus, gamma_plus, impulse;
  };
  /// One lane that strikes.
  struct Blow {
    std::size_t lane;
    std::size_t contact;  // its gap is closed
    double natural_step;
    std::vector<double>& fastest;
    Ledger& ledger;
    /// Nothing, and nothing changed, if it is not plain: another contact touches, the rebound is too slow, it begins or completes
    /// a chatter.
    std::optional<Record> record = std::nullopt;
  };
  /// Arrays of all lanes; component i of lane l stands at [i * width + l]. `rate` is ẋ before the impacts.
  struct At {
    const double* t;
    const double* p;
    const double* rate;
  };

  /// Carries x and X (as in Layout, or none) over the impacts and keeps the ledgers.
  void strike(const At& at, std::span<Blow> blows, double* x, double* X);

  // After a strike: the states before, the field and the event functions (as the kernel writes them) behind it.
  double x_minus(std::size_t i, std::size_t lane) const { return x_minus_[i * width_ + lane]; }
  const double* x_minus_array() const { return x_minus_.data(); }
  const LaneArray& rate_plus() const { return rate_plus_; }
  const LaneArray& events_plus() const { return events_; }

 private:
  bool is_plain(const Blow& blow) const;
  bool others_apart(const Blow& blow) const;
  double rest_speed_of(const Blow& blow) const;
  double size_of(const Blow& blow, std::size_t i) const;
  double fastest_of(const Blow& blow) const;
  bool ends_soon(const Blow& blow) const;
  void carry_tangents(const At& at, std::span<const Blow> blows, double* X);
  void set_jump(const At& at, std::size_t lane);
  void carry_column(const Blow& blow, double along_flow, std::size_t c, double* X);
  void keep(Blow& blow, double kinetic_minus, double kinetic_plus) const;
  double contact(std::size_t i, std::size_t lane) const { return contact_[i * width_ + lane]; }
  double normal(std::size_t i, std::size_t k, std::size_t lane) const {
    return contact(layout_.contact_normal(i) + k, lane);
  }
  /// ∂v⁺ per direction q, v, t, p.
  double dv(std::size_t direction, std::size_t i, std::size_t lane) const {
    return impact_[(layout_.n + layout_.contacts + direction * layout_.n + i) * width_ + lane];
  }
  double jet(std::size_t row, std::size_t i, std::size_t lane) const {
    return jets_[(row * layout_.jet_size() + i) * width_ + lane];
  }

  const Layout& layout_;
  const KernelSet& functions_;
  FlowOptions options_;
  std::size_t width_;
  LaneArray mode_, struck_, no_rate_;
  LaneArray contact_, x_minus_, x_plus_, rate_plus_, events_, impact_, jets_, energy_minus_, energy_plus_;
  std::vector<double> jump_, column_;
};

}  // namespace saltus
