#include "saltus/flow/switch_sides.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "saltus/numerics/decompositions.hpp"
#include "saltus/numerics/hull.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

constexpr std::size_t most_together = 6;  // zero at once: all 3⁶ choices are tried; more are turned one by one
constexpr int deepest = 3;  // functions that come to lie on zero because of a side just chosen, and so on
constexpr std::array<double, 3> looks_ahead = {1e-5, 1e-3, 1e-1};  // ahead, in units of the pace
constexpr double sure = 1e-6;  // a rate this small beside what follows it is rounding
constexpr double inside = 1e-9;

Mode with_open_contacts(Mode mode) {
  for (std::size_t i = 0; i < mode.contacts().size(); ++i) mode.open(i);
  return mode;
}

}  // namespace

SwitchSides::SwitchSides(const Mechanism& mechanism, double t, const Vector& x, const Mode& before, Pace pace,
                         std::optional<std::size_t> met, std::optional<std::size_t> left)
    : mechanism_(mechanism), t_(t), x_(x), before_(before), pace_(pace), met_(met), left_(left) {
  const Layout& layout = mechanism.layout();
  const Index n = index(layout.n);
  const Index N = index(layout.N());
  const Matrix jets = mechanism.jets(t, x, before);
  const Vector rate = mechanism.field(t, x, before).rate;
  // What rounding of the state and of the time does to the functions, and 1e-14 of what they change by over the pace.
  Vector doubt = 1e-13 * x.cwiseAbs();
  const auto add_changes = [&](const Vector& of) {
    if (!of.allFinite()) return;
    doubt += 1e-14 * pace.motion * of.cwiseAbs();
    doubt.head(n) += 1e-14 * pace.motion * pace.motion * of.segment(n, n).cwiseAbs();
  };
  add_changes(rate);
  // What closed contacts keep at rest is the difference of the forces and of theirs.
  if (before.any_closed()) add_changes(mechanism.field(t, x, with_open_contacts(before)).rate);
  const Matrix gradients = jets.middleRows(index(layout.switch_jet(0)), index(layout.switches)).cwiseAbs();
  noise_ = gradients.leftCols(N) * doubt + 1e-13 * std::abs(t) * gradients.col(N);
  for (std::size_t k = 0; k < layout.switches; ++k)
    if (before.slides_alone(k)) noise_[index(k)] += 1e-13 * pace.motion * pull_of(k);
}

/// The speeds with which the sides of a surface that is slid along drive the motion onto it: what a slide keeps at zero is zero to their
/// rounding, though the motion along it may be none.
double SwitchSides::pull_of(std::size_t k) const {
  double pull = 0.0;
  for (const double sign : {-1.0, 1.0}) {
    Mode side = before_;
    side.pass(k, sign);
    const double speed = mechanism_.events(t_, x_, mechanism_.field(t_, x_, side).rate, side)
                             .rate[index(mechanism_.layout().contacts + k)];
    if (std::isfinite(speed)) pull += std::abs(speed);
  }
  return pull;
}

Vector SwitchSides::values(const Mode& mode) const {
  const Layout& layout = mechanism_.layout();
  const Vector all = mechanism_.events(t_, x_, Vector::Zero(x_.size()), mode).value;
  return all.segment(index(layout.contacts), index(layout.switches));
}

bool SwitchSides::is_zero(std::size_t k, const Vector& values) const {
  const bool kept = left_ == k || met_ == k || before_.is_held(k);
  return std::abs(values[index(k)]) <= noise_[index(k)] || left_ == k ||
         (kept && !mechanism_.layout().nested_switches) ||
         (met_ == k && std::abs(values[index(k)]) <= 1e6 * noise_[index(k)]);
}

bool SwitchSides::is_off(std::size_t k) const { return !is_zero(k, values(before_)); }

bool SwitchSides::are_kept() const {
  const Vector s = values(before_);
  for (std::size_t k = 0; k < before_.switches().size(); ++k) {
    const bool zero = is_zero(k, s);
    if (before_.slides_along(k) ? !zero : zero || before_.side(k) * s[index(k)] < 0.0) return false;
  }
  return true;
}

std::optional<Mode> SwitchSides::next() const {
  return completed(before_, std::vector<char>(before_.switches().size(), 0), 0);
}

std::vector<std::size_t> SwitchSides::undetermined(const Mode& next) const {
  const Vector s = values(next);
  std::vector<char> decided(next.switches().size(), 0);
  for (std::size_t k = 0; k < decided.size(); ++k) decided[k] = is_zero(k, s) ? 1 : 0;
  const auto leaves = [&](const Mode& mode, std::size_t k) {
    const FieldValue field = mechanism_.field(t_, x_, mode);
    return field.rate.allFinite() && !first_astray(mode, decided) && mode.side(k) * departures(mode, field)[k] > 0.0;
  };
  Switches found;
  for (std::size_t k = 0; k < decided.size(); ++k) {
    if (!decided[k] || next.slides_along(k)) continue;
    Mode other = next;
    other.pass(k, -next.side(k));
    if (leaves(next, k) && leaves(other, k)) found.push_back(k);
  }
  return found;
}

/// The signs of the functions that are not zero. A side that changes may make others jump: until all agree.
SwitchSides::Look SwitchSides::sides_off_surfaces(Mode mode, const std::vector<char>& decided) const {
  for (std::size_t count = 0; count < mode.switches().size() + 2; ++count) {
    const Vector s = values(mode);
    const Mode last = mode;
    Switches zeros;
    for (std::size_t k = 0; k < mode.switches().size(); ++k) {
      if (decided[k]) continue;
      if (is_zero(k, s)) zeros.push_back(k);
      else if (s[index(k)] == s[index(k)]) mode.pass(k, s[index(k)] > 0.0 ? 1.0 : -1.0);
    }
    if (mode == last) return {std::move(mode), std::move(zeros), true};
  }
  return {std::move(mode), {}, false};
}

std::optional<Mode> SwitchSides::completed(const Mode& mode, const std::vector<char>& decided, int depth) const {
  const Look look = sides_off_surfaces(mode, decided);
  if (!look.settled) return std::nullopt;
  if (!look.zeros.empty()) return depth < deepest ? decide(look.mode, decided, look.zeros, depth + 1) : std::nullopt;
  if (first_astray(look.mode, decided)) return std::nullopt;
  return look.mode;
}

/// Through the surface that was met, elsewhere the side that was.
double SwitchSides::preferred(std::size_t k) const { return met_ == k ? -before_.side(k) : before_.side(k); }

std::optional<Mode> SwitchSides::decide(const Mode& mode, std::vector<char> decided, const Switches& zeros,
                                        int depth) const {
  for (const std::size_t k : zeros) decided[k] = 1;
  if (zeros.size() > most_together) return by_turns(mode, decided);
  for (std::size_t count = 0; count <= zeros.size(); ++count)
    for (std::size_t sliding = 0; sliding < std::size_t{1} << zeros.size(); ++sliding) {
      if (static_cast<std::size_t>(std::popcount(sliding)) != count) continue;
      if (auto found = with_slides(mode, decided, zeros, sliding, depth)) return found;
    }
  return std::nullopt;
}

/// The chosen ones slide; the others on all sides, the preferred ones first.
std::optional<Mode> SwitchSides::with_slides(const Mode& mode, const std::vector<char>& decided, const Switches& zeros,
                                             std::size_t sliding, int depth) const {
  Switches chosen;
  for (std::size_t i = 0; i < zeros.size(); ++i)
    if (sliding >> i & 1) chosen.push_back(zeros[i]);
  for (std::size_t turned = 0; turned < std::size_t{1} << zeros.size(); ++turned) {
    if ((turned & sliding) != 0) continue;
    Mode trial = mode;
    for (std::size_t i = 0; i < zeros.size(); ++i) {
      const std::size_t k = zeros[i];
      trial.pass(k, (turned >> i & 1) != 0 ? -preferred(k) : preferred(k));
      if ((sliding >> i & 1) != 0) trial.slide(k);
    }
    if (chosen.size() < 2 || are_independent(trial, chosen))
      if (auto found = completed(trial, decided, depth)) return found;
    if (chosen.empty()) continue;
    if (const auto together = held(trial, chosen))
      if (auto found = completed(*together, decided, depth)) return found;
  }
  return std::nullopt;
}

/// Each surface has a weight of its own only if none stays zero because of the others.
bool SwitchSides::are_independent(const Mode& mode, const Switches& chosen) const {
  constexpr double same = 1e-9;
  const Layout& layout = mechanism_.layout();
  Matrix normals(index(chosen.size()), index(layout.N() + 1));
  const Matrix jets = mechanism_.jets(t_, x_, mode);
  for (std::size_t i = 0; i < chosen.size(); ++i)
    normals.row(index(i)) = jets.row(index(layout.switch_jet(chosen[i]))).head(index(layout.N() + 1));
  if (!normals.allFinite()) return true;
  for (Index i = 0; i < normals.rows(); ++i)
    if (const double length = normals.row(i).norm(); length > 0.0) normals.row(i) /= length;
  return normals.rows() <= normals.cols() && singular_factors(normals).sigma[normals.rows() - 1] > same;
}

/// Too many for all choices: those whose motion goes elsewhere are turned one by one.
std::optional<Mode> SwitchSides::by_turns(Mode mode, const std::vector<char>& decided) const {
  for (std::size_t k = 0; k < decided.size(); ++k)
    if (decided[k]) mode.pass(k, preferred(k));
  for (std::size_t count = 0; count < 2 * decided.size(); ++count) {
    const Look look = sides_off_surfaces(mode, decided);
    if (!look.settled || !look.zeros.empty()) return std::nullopt;
    const auto astray = first_astray(look.mode, decided);
    if (!astray) return look.mode;
    mode = look.mode;
    mode.pass(*astray, -mode.side(*astray));
  }
  return std::nullopt;
}

/// The same mode, held by the chosen switches: if zero rates are in the hull of all sides, and by one force only.
std::optional<Mode> SwitchSides::held(const Mode& mode, const Switches& sliding) const {
  if (sliding.size() > HeldField::most) return std::nullopt;
  if (mode.any_held()) return std::nullopt;
  auto held = HeldField::held_by(mechanism_, mode, sliding, t_, x_, pace_.motion);
  if (!held) return std::nullopt;
  const HeldField field(mechanism_, *held);
  if (!field.rests_on_surfaces(t_, x_, pace_.motion) || !field.is_determined(t_, x_)) return std::nullopt;
  return held;
}

/// A switch that was decided on, and whose motion says otherwise.
std::optional<std::size_t> SwitchSides::first_astray(const Mode& mode, const std::vector<char>& decided) const {
  const auto any = static_cast<std::size_t>(std::find(decided.begin(), decided.end(), 1) - decided.begin());
  if (any == decided.size()) return std::nullopt;
  const FieldValue field = mechanism_.field(t_, x_, mode);
  if (!field.rate.allFinite() || !slides_stably(mode, field)) return any;
  const Vector s = values(mode);
  const std::vector<int> departure = departures(mode, field);
  for (std::size_t k = any; k < decided.size(); ++k) {
    if (!decided[k]) continue;
    const bool zero = is_zero(k, s);
    if (mode.slides_along(k) ? !zero : mode.side(k) * (zero ? departure[k] : s[index(k)]) < 0.0) return k;
    if (zero && is_kept_by_others(mode, field, k)) return k;
  }
  return std::nullopt;
}

/// Normals, by state and time, of all that is zero because the motion slides or is held, in columns; of what is held twice that of its
/// rate too.
Matrix SwitchSides::normals_of_kept(const Mode& mode) const {
  const Layout& layout = mechanism_.layout();
  const Matrix jets = mechanism_.jets(t_, x_, mode);
  std::vector<Vector> normals;
  for (std::size_t j = 0; j < mode.switches().size(); ++j)
    if (mode.slides_alone(j)) normals.push_back(jets.row(index(layout.switch_jet(j))).head(x_.size() + 1).transpose());
  Matrix held(0, x_.size() + 1);
  if (mode.any_held()) {
    const HeldField field(mechanism_, mode);
    const Matrix gradients = field.kept_gradients(t_, x_);
    held.resize(gradients.rows(), x_.size() + 1);
    held << gradients, field.kept_rates(t_, x_);
  }
  Matrix all(x_.size() + 1, index(normals.size()) + held.rows());
  for (std::size_t i = 0; i < normals.size(); ++i) all.col(index(i)) = normals[i];
  all.rightCols(held.rows()) = held.transpose();
  return all;
}

/// A function that stays zero as long as others do, like the slip between two bodies that both stick to the ground, or the speed of one
/// that a relay holds: none of its sides is what the motion is on, and the force is any of those between them. Together they hold the
/// motion. Where its sides are the same to the motion and to what the others must do, nothing is to be decided.
bool SwitchSides::is_kept_by_others(const Mode& mode, const FieldValue& field, std::size_t k) const {
  constexpr double same = 1e-9;
  constexpr double along = 1e-6;
  if (mode.slides_along(k)) return false;
  const Matrix normals = normals_of_kept(mode);
  if (normals.cols() == 0) return false;
  const Index row = index(mechanism_.layout().switch_jet(k));
  const Vector own = mechanism_.jets(t_, x_, mode).row(row).head(x_.size() + 1).transpose();
  if (!normals.allFinite() || !own.allFinite()) return false;
  const Vector rest = own - normals * solution_despite_noise(normals, own);
  if (rest.cwiseAbs().maxCoeff() > along * own.cwiseAbs().maxCoeff()) return false;
  Mode other = mode;
  other.pass(k, -mode.side(k));
  const FieldValue beyond = mechanism_.field(t_, x_, other);
  const auto differ = [](const Vector& a, const Vector& b) {
    return a.size() > 0 && (a - b).cwiseAbs().maxCoeff() > same * (a.cwiseAbs().maxCoeff() + b.cwiseAbs().maxCoeff());
  };
  return differ(field.rate, beyond.rate) || differ(field.weight, beyond.weight) || differ(field.force, beyond.force);
}

/// A weight at its limit: does it go beyond with the motion of the mode? The first change that is more than rounding says.
bool SwitchSides::passes_limit(const Mode& mode, std::size_t k, double weight) const {
  constexpr double rounding = 1e-11;
  const auto excess = [](double w) { return std::max(-w, w - 1.0); };
  for (const double ahead : looks_ahead) {
    const double after = ahead * pace_.ahead;
    const Vector later = mechanism_.a_little_later(t_, x_, mode, after);
    const double change = excess(mechanism_.field(t_ + after, later, mode).weight[index(k)]) - excess(weight);
    if (std::abs(change) > rounding) return change > 0.0;
  }
  return false;
}

/// Weights within [0, 1] and not about to leave it, and the sides push towards the surfaces.
bool SwitchSides::slides_stably(const Mode& mode, const FieldValue& field) const {
  const std::size_t contacts = mechanism_.layout().contacts;
  for (std::size_t k = 0; k < mode.switches().size(); ++k) {
    const double weight = field.weight[index(k)];
    if (mode.slides_along(k) && !(weight >= -inside && weight <= 1.0 + inside)) return false;
    if (!mode.slides_alone(k)) continue;
    if (!(weight > inside && weight < 1.0 - inside) && passes_limit(mode, k, weight)) return false;
    const auto speed = [&](double sign) {
      Mode side = mode;
      side.pass(k, sign);
      return mechanism_.events(t_, x_, mechanism_.field(t_, x_, side).rate, side).rate[index(contacts + k)];
    };
    if (!(speed(-1.0) > speed(1.0))) return false;
  }
  return true;
}

/// Where each function goes from its surface when the motion stays in the mode: +1, −1, or 0 if it stays.
std::vector<int> SwitchSides::departures(const Mode& mode, const FieldValue& field) const {
  const std::size_t contacts = mechanism_.layout().contacts;
  const Vector rest = Vector::Zero(x_.size());
  const EventValue now = mechanism_.events(t_, x_, field.rate, mode);
  std::array<Vector, looks_ahead.size()> later;
  for (std::size_t i = 0; i < looks_ahead.size(); ++i) {
    const double after = looks_ahead[i] * pace_.ahead;
    later[i] = mechanism_.events(t_ + after, mechanism_.a_little_later(t_, x_, mode, after), rest, mode).value;
  }
  const auto sign = [](double value) { return value > 0.0 ? 1 : -1; };
  std::vector<int> result(mode.switches().size(), 0);
  for (std::size_t k = 0; k < result.size(); ++k) {
    const Index row = index(contacts + k);
    const double doubt = noise_[index(k)];
    const double first = now.rate[row] * looks_ahead[0] * pace_.ahead;
    const double rest_of_it = std::abs(later[0][row] - now.value[row] - first);
    if (std::abs(first) > sure * rest_of_it && std::abs(now.rate[row]) * looks_ahead.back() * pace_.ahead > doubt) {
      result[k] = sign(first);
      continue;
    }
    for (std::size_t i = 0; i < looks_ahead.size() && result[k] == 0; ++i)
      if (std::abs(later[i][row] - now.value[row]) > 10.0 * doubt) result[k] = sign(later[i][row] - now.value[row]);
  }
  return result;
}

}  // namespace saltus
