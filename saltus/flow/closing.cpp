#include "saltus/flow/closing.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "saltus/flow/contact_law.hpp"
#include "saltus/flow/held_field.hpp"
#include "saltus/numerics/complementarity.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

/// What is smaller than this part of the accelerations that it is made of has no sign.
constexpr double unsigned_part = 1e-11;
/// Nor has what the rounding of the speeds makes of it over a natural step.
constexpr double rounding_part = 1e-13;
/// How far ahead those without a sign are looked at, in natural steps: their n-th derivative shows up to n = 5.
constexpr double ahead = 1e-2;

enum class State { pressed, leaving, tied };

std::vector<Index> rows_of(const std::vector<std::size_t>& contacts) {
  std::vector<Index> rows;
  rows.reserve(contacts.size());
  for (const std::size_t i : contacts) rows.push_back(index(i));
  return rows;
}

Mode with_closed(Mode mode, const std::vector<std::size_t>& closed) {
  for (std::size_t i = 0; i < mode.contacts().size(); ++i) mode.open(i);
  for (const std::size_t i : closed) mode.close(i);
  return mode;
}

/// What accelerations are made of besides the forces of the moment, and what rounding leaves of it.
struct Makings {
  Vector speed, pulls;
  double natural_step;
};

/// The complementarity problem of some contacts at a place, and how it ends.
struct Resting {
  std::vector<State> states;
  Complementarity::End end;
};

Resting states_at(const Mechanism& mechanism, double t, const Vector& x, const Mode& mode,
                  const std::vector<std::size_t>& contacts, const Makings& makings) {
  const Mode open = with_closed(mode, {});
  const std::vector<Index> rows = rows_of(contacts);
  const ContactValue at = mechanism.contact(t, x, open);
  const Vector rate = mechanism.field(t, x, open).rate;
  const Vector b = mechanism.events(t, x, rate).gap_second(rows);
  const Matrix G = at.delassus(rows, rows);
  const Index n = at.normal.cols();
  // n·v̇ and the rest κ of ḧ: what each acceleration is the sum of, and rounding is relative to.
  Vector level(b.size());
  for (Index i = 0; i < b.size(); ++i) {
    const auto normal = at.normal.row(rows[static_cast<std::size_t>(i)]);
    const double size = normal.cwiseAbs().dot(rate.segment(n, n).cwiseAbs().cwiseMax(makings.pulls)) +
                        std::abs(b[i] - normal.dot(rate.segment(n, n)));
    level[i] = unsigned_part * size + rounding_part * normal.cwiseAbs().dot(makings.speed) / makings.natural_step;
  }
  const Vector signed_b = (b.array().abs() <= level.array()).select(0.0, b);
  const Complementarity forces = solve_complementarity(G, signed_b);
  Resting result{std::vector<State>(contacts.size(), State::tied), forces.end};
  for (Index i = 0; i < b.size(); ++i) {
    State& state = result.states[static_cast<std::size_t>(i)];
    if (forces.x[i] * G(i, i) > level[i]) state = State::pressed;
    else if (forces.y[i] > level[i] + unsigned_part * G.row(i).cwiseAbs().dot(forces.x)) state = State::leaving;
  }
  return result;
}

/// Are the normals of these contacts linearly dependent?
bool are_dependent(const Matrix& delassus, const std::vector<std::size_t>& contacts) {
  if (contacts.size() < 2) return false;
  const std::vector<Index> rows = rows_of(contacts);
  Matrix G = delassus(rows, rows);
  const Vector scale = G.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  G = scale.asDiagonal() * G * scale.asDiagonal();
  return Eigen::LDLT<Matrix>(G).vectorD().minCoeff() <= 1e-12;
}

std::vector<std::size_t> those(const std::vector<std::size_t>& contacts, const std::vector<State>& states,
                               State state) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < contacts.size(); ++i)
    if (states[i] == state) found.push_back(contacts[i]);
  return found;
}

}  // namespace

Closing closing_of(const Mechanism& mechanism, double t, const Vector& x, const Mode& mode,
                   const std::vector<std::size_t>& resting, const std::vector<char>& together,
                   const ClosingScales& scales) {
  if (resting.empty()) return {};
  const double step = scales.natural_step > 0.0 ? scales.natural_step : 1.0;
  const Index n = index(mechanism.layout().n);
  const Makings makings{x.segment(n, n).cwiseAbs().cwiseMax(scales.x_minus.segment(n, n).cwiseAbs()), scales.pulls,
                        step};
  const Resting now = states_at(mechanism, t, x, mode, resting, makings);
  if (now.end == Complementarity::End::ray) return {Outcome::obstacles_exclude, resting};
  if (now.end == Complementarity::End::stalled) return {Outcome::dependent_contacts, resting};
  std::vector<std::size_t> closed = those(resting, now.states, State::pressed);
  const std::vector<std::size_t> tied = those(resting, now.states, State::tied);
  const Matrix G = mechanism.contact(t, x, mode).delassus;
  if (are_dependent(G, closed)) return {Outcome::dependent_contacts, closed};
  if (tied.empty()) return {std::nullopt, closed};
  const bool carries = !closed.empty();
  const double dt = ahead * step;
  const Vector later_x = mechanism.a_little_later(t, x, with_closed(mode, closed), dt);
  std::vector<std::size_t> staying = closed;
  staying.insert(staying.end(), tied.begin(), tied.end());
  const Resting later = states_at(mechanism, t + dt, later_x, mode, staying, makings);
  if (later.end == Complementarity::End::ray) return {Outcome::obstacles_exclude, staying};
  for (std::size_t i = closed.size(); i < staying.size(); ++i) {
    if (later.states[i] == State::leaving) continue;
    std::vector<std::size_t> more = closed;
    more.push_back(staying[i]);
    if (are_dependent(G, more)) {
      if (carries) return {Outcome::dependent_contacts, more};
      continue;  // it follows from others that carry nothing either: they hold it
    }
    if (later.states[i] == State::pressed || together[staying[i]]) closed = std::move(more);
  }
  std::sort(closed.begin(), closed.end());
  return {std::nullopt, closed};
}

Vector pulls_of(const Mechanism& mechanism, double t, const Vector& x, const Mode& sliding) {
  const Index n = index(mechanism.layout().n);
  Vector pulls = Vector::Zero(n);
  const auto add = [&](const Mode& beside) {
    const Vector pull = mechanism.field(t, x, beside).rate.segment(n, n).cwiseAbs();
    if (pull.allFinite()) pulls = pulls.cwiseMax(pull);
  };
  const Mode open = with_closed(sliding, {});  // a closed contact would take its part of them
  if (open.any_held()) {
    const HeldField held(mechanism, open);
    for (const Mode& side : held.corners()) add(side);
  }
  for (std::size_t k = 0; k < sliding.switches().size(); ++k) {
    if (!sliding.slides_alone(k)) continue;
    for (const double side : {-1.0, 1.0}) {
      Mode beside = open;
      beside.pass(k, side);
      add(beside);
    }
  }
  return pulls;
}

std::optional<std::size_t> pulling_contact(const Mechanism& mechanism, double t, const Vector& x, const Mode& mode) {
  constexpr double beyond_doubt = 1e-6;
  if (!mode.any_closed()) return std::nullopt;
  const Vector force = mechanism.field(t, x, mode).force;
  if (!(force.minCoeff() < 0.0)) return std::nullopt;
  const Mode open = with_closed(mode, {});
  const ContactValue at = mechanism.contact(t, x, open);
  const Index n = at.normal.cols();
  const Vector parts =
      mechanism.field(t, x, open).rate.segment(n, n).cwiseAbs().cwiseMax(pulls_of(mechanism, t, x, mode));
  for (std::size_t i = 0; i < mode.contacts().size(); ++i) {
    const Index row = index(i);
    const double size =
        at.normal.row(row).cwiseAbs().dot(parts) + at.delassus.row(row).cwiseAbs().dot(force.cwiseAbs());
    if (mode.is_closed(i) && force[row] * at.delassus(row, row) < -beyond_doubt * size) return i;
  }
  return std::nullopt;
}

bool exclude_each_other(const ContactValue& at, const Vector& x, const std::vector<std::size_t>& touching) {
  const std::vector<Index> rows = rows_of(touching);
  Vector gamma = at.gamma(rows);
  for (std::size_t i = 0; i < touching.size(); ++i)
    if (std::abs(gamma[index(i)]) <= rest_speed(at, x, touching[i])) gamma[index(i)] = 0.0;
  return solve_complementarity(at.delassus(rows, rows), gamma).end == Complementarity::End::ray;
}

}  // namespace saltus
