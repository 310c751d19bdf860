#include "saltus/flow/contact_law.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/flow/closing.hpp"
#include "saltus/numerics/complementarity.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

constexpr int most_impacts_at_an_instant = 2000;

bool is_restitution(double e) { return e >= 0.0 && e <= 1.0; }

std::vector<char> only(std::size_t i, std::size_t count) {
  std::vector<char> mask(count, 0);
  mask[i] = 1;
  return mask;
}

std::vector<std::size_t> members_of(const std::vector<char>& mask) {
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < mask.size(); ++i)
    if (mask[i]) members.push_back(i);
  return members;
}

/// The single impacts of an instant: the place stays, so that every velocity is v⁻ + M⁻¹ W Λ.
class Sequence {
 public:
  Sequence(const Mechanism& mechanism, double t, const ContactValue& at, const Vector& x,
           const std::vector<std::size_t>& touching)
      : mechanism_(mechanism), t_(t), at_(at), x_minus_(x), x_(x), touching_(touching) {}

  /// Contacts that approach, the fastest first.
  std::vector<std::size_t> approaching() const {
    std::vector<std::size_t> found;
    for (const std::size_t i : touching_)
      if (at_.gamma[index(i)] < -rest_speed(at_, x_minus_, x_, i)) found.push_back(i);
    std::sort(found.begin(), found.end(),
              [&](std::size_t a, std::size_t b) { return at_.gamma[index(a)] < at_.gamma[index(b)]; });
    return found;
  }
  void strike(std::size_t i) {
    const Index row = index(i);
    const Index n = at_.normal.cols();
    // The impacts before have changed the speed, and with it the restitution.
    if (!struck_.empty()) at_.restitution = mechanism_.contact(t_, x_, Mode(mechanism_.layout())).restitution;
    if (!is_restitution(at_.restitution[row])) {
      outside_ = i;
      return;
    }
    const double impulse = -(1.0 + at_.restitution[row]) * at_.gamma[row] / at_.delassus(row, row);
    x_.segment(n, n) += impulse * at_.response.row(row).transpose();
    at_.gamma += impulse * at_.delassus.col(row);
    struck_.push_back(i);
  }
  /// `first`, then the fastest first until none approaches. False: they do not come to an end.
  bool run(std::size_t first) {
    strike(first);
    for (int count = 0; count < most_impacts_at_an_instant && !outside_; ++count) {
      const auto next = approaching();
      if (next.empty()) return true;
      strike(next.front());
    }
    return false;
  }
  const std::vector<std::size_t>& struck() const { return struck_; }
  /// Plastic impacts in turn take a part of the speed each time, and end where what is left is rounding of what was there before. It is still
  /// the speed of an approach, to all that is told by the speeds of now.
  bool comes_to_rest() const {
    if (struck_.size() < 2) return false;
    return std::any_of(touching_.begin(), touching_.end(), [&](std::size_t i) {
      const double gamma = at_.gamma[index(i)];
      return at_.restitution[index(i)] == 0.0 && gamma < -rest_speed(at_, x_, i);
    });
  }
  /// A contact that was struck where its restitution is none.
  std::optional<std::size_t> outside() const { return outside_; }
  const Vector& x() const { return x_; }
  const ContactValue& at() const { return at_; }

 private:
  const Mechanism& mechanism_;
  double t_;
  ContactValue at_;
  Vector x_minus_, x_;
  const std::vector<std::size_t>& touching_;
  std::vector<std::size_t> struck_;
  std::optional<std::size_t> outside_;
};

void refuse(ImpactResolution& result, const ContactValue& at, std::size_t i) {
  result.stop = Stop{Outcome::left_domain, {i}, {}, NoRestitution{-at.gamma[index(i)], at.restitution[index(i)]}};
}

/// 0 ≤ Λ ⊥ γ⁺ + e γ⁻ ≥ 0 with γ⁺ = γ⁻ + G Λ, from where the jump has led; e = 0 where a contact is not elastic, and where it is
/// being left: what does not approach has nothing to give back, and −e γ⁻ would let it penetrate.
void strike_together(ImpactResolution& result, const Mechanism& mechanism, double t,
                     const std::vector<std::size_t>& members, std::vector<char> elastic) {
  const ContactValue at = mechanism.contact(t, result.jump.x, Mode(mechanism.layout()));
  std::vector<Index> rows;
  for (const std::size_t i : members) rows.push_back(index(i));
  Vector b = at.gamma(rows);
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (std::abs(b[index(i)]) <= rest_speed(at, result.jump.x, members[i])) b[index(i)] = 0.0;
    if (b[index(i)] > 0.0) elastic[members[i]] = 0;
    if (!elastic[members[i]]) continue;
    if (b[index(i)] < 0.0 && !is_restitution(at.restitution[rows[i]])) {
      refuse(result, at, members[i]);
      return;
    }
    b[index(i)] *= 1.0 + at.restitution[rows[i]];
  }
  const Complementarity impulses = solve_complementarity(at.delassus(rows, rows), b);
  if (impulses.end != Complementarity::End::solved) {
    const bool excluded = exclude_each_other(at, result.jump.x, members);
    result.stop = Stop{excluded ? Outcome::obstacles_exclude : Outcome::ambiguous_impact, members, {}, NoRebound{}};
    return;
  }
  std::vector<char> struck(elastic.size(), 0);
  for (std::size_t i = 0; i < members.size(); ++i) struck[members[i]] = impulses.x[index(i)] > 0.0 ? 1 : 0;
  if (std::find(struck.begin(), struck.end(), 1) != struck.end())
    result.jump = followed_by(result.jump, mechanism, t, struck, elastic);
}

ImpactResolution sequential(const Mechanism& mechanism, double t, const Vector& x, const std::vector<char>& touching) {
  const ContactValue at = mechanism.contact(t, x, Mode(mechanism.layout()));
  const std::vector<std::size_t> members = members_of(touching);
  const auto first = Sequence(mechanism, t, at, x, members).approaching();
  ImpactResolution result{no_jump(mechanism.layout(), x)};
  if (first.empty()) return result;
  Sequence chosen(mechanism, t, at, x, members);
  const bool ends = chosen.run(first.front());
  if (chosen.outside()) {
    refuse(result, chosen.at(), *chosen.outside());
    return result;
  }
  if (!ends && exclude_each_other(at, x, members)) {
    result.stop = Stop{Outcome::obstacles_exclude, members};
    return result;
  }
  const Index n = index(mechanism.layout().n);
  const double scale = x.segment(n, n).cwiseAbs().maxCoeff();
  double apart = 0.0;  // between two orders
  for (std::size_t k = 1; k < first.size() && ends; ++k) {
    Sequence other(mechanism, t, at, x, members);
    const double difference = other.run(first[k]) ? (other.x() - chosen.x()).cwiseAbs().maxCoeff() : scale;
    if (difference > 1e-9 * scale) apart = std::max(apart, difference);
  }
  // Impacts without end are followed only where they die out, which leaves the speeds that remain to the law of e = 0.
  const auto left = chosen.approaching();
  if (!left.empty() && -chosen.at().gamma[index(left.front())] > 1e-3 * -at.gamma[index(first.front())]) apart = scale;
  if (apart > 0.0) {
    result.stop = Stop{Outcome::ambiguous_impact, first.size() > 1 ? first : members, {}, OrderDecides{apart}};
    return result;
  }
  const std::vector<char> elastic(touching.size(), 1);
  for (const std::size_t i : chosen.struck())
    result.jump = followed_by(result.jump, mechanism, t, only(i, touching.size()), elastic);
  const bool dies_out = left.empty() && chosen.comes_to_rest();
  if (!left.empty() || dies_out) strike_together(result, mechanism, t, members, std::vector<char>(touching.size(), 0));
  return result;
}

ImpactResolution together(const Mechanism& mechanism, double t, const Vector& x, const std::vector<char>& touching) {
  ImpactResolution result{no_jump(mechanism.layout(), x)};
  strike_together(result, mechanism, t, members_of(touching), std::vector<char>(touching.size(), 1));
  return result;
}

}  // namespace

Jump no_jump(const Layout& layout, const Vector& x) {
  const Index N = index(layout.N());
  const Index varied = index(layout.varied.size());
  return {
      x,  Matrix::Identity(N, N), Vector::Zero(N), Matrix::Zero(N, varied), Vector::Zero(index(layout.contacts)), {},
      0.0};
}

Jump followed_by(const Jump& jump, const Mechanism& mechanism, double t, const std::vector<char>& struck,
                 const std::vector<char>& elastic) {
  const Layout& layout = mechanism.layout();
  const Index n = index(layout.n);
  const Index varied = index(layout.varied.size());
  const ImpactValue impact = mechanism.impact(t, jump.x, struck, elastic);
  Matrix dR_dx = Matrix::Identity(index(layout.N()), index(layout.N()));
  dR_dx.block(n, 0, n, 2 * n) = impact.derivative.leftCols(2 * n);
  Jump next = jump;
  next.x.segment(n, n) = impact.v_plus;
  next.dR_dx = dR_dx * jump.dR_dx;
  next.dR_dt = dR_dx * jump.dR_dt;
  next.dR_dt.segment(n, n) += impact.derivative.col(2 * n);
  next.dR_dp = dR_dx * jump.dR_dp;
  next.dR_dp.middleRows(n, n) += impact.derivative.rightCols(varied);
  next.impulse += impact.impulse;
  const ContactValue before = mechanism.contact(t, jump.x, Mode(layout));
  for (std::size_t i = 0; i < struck.size(); ++i) {
    if (!struck[i]) continue;
    next.struck.push_back(i);
    next.log_contraction +=
        elastic[i] ? std::log(before.restitution[index(i)]) + std::log(std::abs(before.rebound_slope[index(i)]))
                   : -std::numeric_limits<double>::infinity();
  }
  return next;
}

ImpactResolution resolve_impacts(const Mechanism& mechanism, double t, const Vector& x,
                                 const std::vector<char>& touching, ImpactLaw law) {
  return law == ImpactLaw::sequential ? sequential(mechanism, t, x, touching) : together(mechanism, t, x, touching);
}

double rest_speed(const ContactValue& at, const Vector& x, std::size_t i) {
  const Index n = at.normal.cols();
  const Index row = index(i);
  const double carried = at.normal.row(row).cwiseAbs().dot(x.segment(n, n).cwiseAbs());
  const double wall = std::abs(at.gamma[row] - at.normal.row(row).dot(x.segment(n, n)));
  return 1e-13 * (carried + wall) + 1e-300;
}

double rest_speed(const ContactValue& at, const Vector& x_minus, const Vector& x, std::size_t i) {
  return std::max(rest_speed(at, x_minus, i), rest_speed(at, x, i));
}

}  // namespace saltus
