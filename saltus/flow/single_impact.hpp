#pragma once

#include <span>
#include <vector>

#include "saltus/flow/settle.hpp"

namespace saltus {

/// The plain impact: one contact struck in free motion, and nothing else. It is by far the most frequent event, so it has
/// a way of its own without allocation; whatever else may happen at an instant is the Settler's.
class SingleImpact {
 public:
  SingleImpact(const Kernels& kernels, const FlowOptions& options);

  /// What the impact is made of.
  struct Record {
    std::size_t contact;
    double gamma_minus, gamma_plus, impulse;
  };

  /// Carries x (N numbers) and X (as in Layout, or empty) over the impact of a contact with the gap closed, and keeps the
  /// ledger. Nothing, and nothing changed, if it is not plain: another contact touches, the rebound is too slow, it begins
  /// or completes a chatter.
  std::optional<Record> strike(double t, std::span<const double> p, std::size_t contact, double natural_step,
                               std::span<double> x, std::span<double> X, std::vector<double>& fastest, Ledger& ledger);

  // After a strike: the state before, the field and the event functions (as the kernel writes them) behind it.
  std::span<const double> x_minus() const { return x_minus_; }
  std::span<const double> rate_plus() const { return rate_plus_; }
  std::span<const double> events_plus() const { return events_; }

 private:
  bool others_apart(std::size_t contact, std::span<const double> x, double natural_step) const;
  double rest_speed_of(std::size_t contact, std::span<const double> x) const;
  void carry_tangent(double t, const double* p, std::size_t contact, std::span<double> X);

  const Layout& layout_;
  const KernelSet& functions_;
  FlowOptions options_;
  std::vector<double> mode_, struck_, no_rate_;
  std::vector<double> contact_, x_minus_, rate_minus_, rate_plus_, events_, impact_, jets_, jump_, column_;
};

}  // namespace saltus
