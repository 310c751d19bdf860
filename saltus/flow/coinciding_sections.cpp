#include "saltus/flow/coinciding_sections.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <ranges>

#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

constexpr double rounding = 1e-12;
constexpr double near = 1e-10;  // on the surface of an event, though that is still to be located, or was just now
constexpr double parallel = 1e-9;  // of gradients

/// Event functions and their derivatives by x and t where the motion stands.
struct Look {
  Look(const Mechanism& mechanism, double t, const InstantSide& at)
      : layout(mechanism.layout()),
        t(t),
        at(at),
        jets(mechanism.jets(t, at.x, at.mode).leftCols(index(layout.N() + 1))) {
    constexpr double least = 1e-6;  // of the largest: what rests now may move later
    rate = mechanism.field(t, at.x, at.mode).rate;
    values = mechanism.events(t, at.x, rate, at.mode);
    reach.resize(at.x.size() + 1);
    reach << at.x.cwiseAbs() + at.pace * rate.cwiseAbs(), std::abs(t) + at.pace;
    reach = reach.cwiseMax(least * reach.maxCoeff());
  }

  // Rows of `values`, those of `jets` being `contacts` further for switches and surfaces.
  Index gap(std::size_t i) const { return index(i); }
  Index switched(std::size_t k) const { return index(layout.contacts + k); }
  Index surface(const Watch& watch) const { return index(layout.contacts + layout.switches + watch.surface); }
  Index jet_of(Index row) const { return row < index(layout.contacts) ? row : row + index(layout.contacts); }

  /// The function, or how far it is from the next multiple of the modulus.
  double value(Index row, double modulo) const {
    const double whole = values.value[row];
    return modulo > 0.0 ? whole - modulo * std::round(whole / modulo) : whole;
  }
  /// Its terms, and what it changes by over the pace.
  double size(Index row, double modulo) const {
    const auto jet = jets.row(jet_of(row));
    const Index N = at.x.size();
    return jet.head(N).cwiseAbs().dot(at.x.cwiseAbs().transpose()) + std::abs(jet[N] * t) + modulo +
           std::abs(values.rate[row]) * at.pace;
  }
  /// How far it is from zero in these units.
  double distance(Index row, double modulo) const {
    if (!jets.row(jet_of(row)).allFinite()) return std::numeric_limits<double>::infinity();
    const double off = std::abs(value(row, modulo));
    return off == 0.0 ? 0.0 : off / size(row, modulo);
  }
  bool is_zero(Index row, double modulo, double tolerance) const { return distance(row, modulo) <= tolerance; }

  const Layout& layout;
  double t;
  const InstantSide& at;
  Vector rate;  // ẋ
  EventValue values;
  Matrix jets;
  Vector reach;  // of x and t: what they are, and what they change by over the pace
};

/// What a gradient may be made of: that of a gap, of its rate or of a switching function.
struct Member {
  enum class Kind { gap, gap_rate, switched };
  Kind kind;
  std::size_t of;

  Index row(const Layout& layout) const {
    if (kind == Kind::gap) return index(of);
    return index(kind == Kind::gap_rate ? layout.rate_jet(of) : layout.switch_jet(of));
  }
};

/// c with g = Σ c_m (gradient of member m), each with the scale of its own, where g is this row of the jets; nothing if there is none.
std::optional<Vector> made_of(const Look& look, Index jet, const std::vector<Member>& members) {
  if (members.empty()) return std::nullopt;
  const Matrix g = look.jets.row(jet).transpose();
  Matrix rows(g.rows(), index(members.size()));
  for (std::size_t m = 0; m < members.size(); ++m)
    rows.col(index(m)) = look.jets.row(members[m].row(look.layout)).transpose();
  if (!g.allFinite() || !rows.allFinite()) return std::nullopt;
  // Components have units: each is measured by how far the motion comes along it, each gradient by its largest component.
  const Vector target = look.reach.asDiagonal() * g;
  rows = look.reach.asDiagonal() * rows;
  for (Index m = 0; m < rows.cols(); ++m)
    if (const double size = rows.col(m).cwiseAbs().maxCoeff(); size > 0.0) rows.col(m) /= size;
  Vector c = rows.colPivHouseholderQr().solve(target);
  const double size = target.cwiseAbs().maxCoeff();
  if (!((rows * c - target).cwiseAbs().maxCoeff() <= parallel * size) || size == 0.0) return std::nullopt;
  const double largest = c.cwiseAbs().maxCoeff();
  return c.unaryExpr([&](double part) { return std::abs(part) > parallel * largest ? part : 0.0; });
}

std::optional<Vector> made_of(const Look& look, const Watch& watch, const std::vector<Member>& members) {
  return made_of(look, look.jet_of(look.surface(watch)), members);
}

/// Is g = c s near where the motion stands, close to both surfaces: g_x − c s_x vanishes with g, and g − c s with its square?
bool is_same(const Look& look, const Watch& watch, const Member& member, Index row) {
  constexpr double close = 1e-3;
  const double from = look.distance(look.surface(watch), watch.modulo);
  if (!(from <= close)) return false;
  const Vector g = look.reach.cwiseProduct(look.jets.row(look.jet_of(look.surface(watch))).transpose());
  const Vector s = look.reach.cwiseProduct(look.jets.row(member.row(look.layout)).transpose());
  if (!s.allFinite() || s.isZero(0.0)) return false;
  const double c = g.dot(s) / s.squaredNorm();
  if (!((g - c * s).cwiseAbs().maxCoeff() <= (parallel + 10.0 * from) * g.cwiseAbs().maxCoeff())) return false;
  const double apart = look.value(look.surface(watch), watch.modulo) - c * look.values.value[row];
  return std::abs(apart) <= (near + 10.0 * from * from) * look.size(look.surface(watch), watch.modulo);
}

/// What a mode keeps at zero.
std::vector<Member> kept_members(const Mode& mode) {
  std::vector<Member> members;
  for (std::size_t i = 0; i < mode.contacts().size(); ++i)
    if (mode.is_closed(i)) members.insert(members.end(), {{Member::Kind::gap, i}, {Member::Kind::gap_rate, i}});
  for (std::size_t k = 0; k < mode.switches().size(); ++k)
    if (mode.slides_along(k)) members.push_back({Member::Kind::switched, k});
  return members;
}

bool happened(const OtherInstant& at, EventKind kind, std::size_t to) {
  const auto is_it = [&](const Event& event) { return event.kind == kind && event.index == to; };
  return std::any_of(at.happened.begin(), at.happened.end(), is_it);
}

/// What the mode before kept at zero, and what the instant is about.
std::vector<Member> members_of(const OtherInstant& at) {
  std::vector<Member> members = kept_members(at.before.mode);
  for (std::size_t i = 0; i < at.before.mode.contacts().size(); ++i)
    if (!at.before.mode.is_closed(i) && happened(at, EventKind::impact, i)) members.push_back({Member::Kind::gap, i});
  for (std::size_t k = 0; k < at.before.mode.switches().size(); ++k)
    if (!at.before.mode.slides_along(k) &&
        (happened(at, EventKind::switched, k) || happened(at, EventKind::filippov_start, k)))
      members.push_back({Member::Kind::switched, k});
  return members;
}

/// To which side of its zero a member goes in the instant: +1, −1, or 0 if it stays on it.
double departure_of(const Member& member, const OtherInstant& at) {
  const Mode& after = at.after.mode;
  if (member.kind == Member::Kind::switched) return after.slides_along(member.of) ? 0.0 : after.side(member.of);
  return after.is_closed(member.of) ? 0.0 : 1.0;
}

/// A crossing of one watch, and where.
struct Passage {
  double direction;
  const Vector& x;
};

/// By the sides of what the surface's gradient is made of.
std::vector<Passage> by_sides(const std::vector<Member>& members, const Vector& c, const OtherInstant& at,
                              double rate_after) {
  std::vector<Passage> passages;
  const auto sign = [](double value) { return value > 0.0 ? 1.0 : -1.0; };
  double up = 0.0;
  double down = 0.0;
  bool jumps = false;  // off the surface, on which only the state before lies
  for (std::size_t m = 0; m < members.size(); ++m) {
    const double part = c[index(m)];
    const Member& member = members[m];
    if (part == 0.0) continue;
    const bool is_gap = member.kind == Member::Kind::gap;
    jumps = jumps || !is_gap;
    if (is_gap && !at.before.mode.is_closed(member.of)) passages.push_back({-sign(part), at.before.x});
    const double towards = part * departure_of(member, at);
    (towards > 0.0 ? up : down) += std::abs(towards);
  }
  if (up == 0.0 && down == 0.0) return passages;
  const double direction = down == 0.0 ? 1.0 : up == 0.0 ? -1.0 : sign(rate_after);
  passages.push_back({direction, jumps ? at.before.x : at.after.x});
  return passages;
}

/// By the rates on both sides.
std::vector<Passage> by_rates(double arrival, double departure, const OtherInstant& at) {
  std::vector<Passage> passages;
  for (const double direction : {1.0, -1.0}) {
    if (direction * arrival > 0.0) passages.push_back({direction, at.before.x});
    else if (direction * departure > 0.0) passages.push_back({direction, at.after.x});
  }
  return passages;
}

}  // namespace

std::vector<char> kept_watches(const Mechanism& mechanism, const std::vector<Watch>& watches, double t,
                               const InstantSide& at) {
  std::vector<char> kept(watches.size(), 0);
  if (watches.empty() || !at.mode.is_masked()) return kept;
  const Look look(mechanism, t, at);
  const std::vector<Member> members = kept_members(at.mode);
  for (std::size_t w = 0; w < watches.size(); ++w)
    kept[w] = look.is_zero(look.surface(watches[w]), watches[w].modulo, near) &&
              made_of(look, watches[w], members).has_value();
  return kept;
}

KeptFunctions kept_functions(const Mechanism& mechanism, double t, const InstantSide& at) {
  const Layout& layout = mechanism.layout();
  KeptFunctions kept{std::vector<char>(layout.contacts, 0), std::vector<char>(layout.switches, 0)};
  if (layout.contacts == 0 || layout.switches == 0 || !at.mode.is_masked()) return kept;
  const Look look(mechanism, t, at);
  const Index n = index(layout.n);
  // What is made of the kept ones here by chance, as x' + y y' is of x' at y = 0, is so no longer a little later.
  Vector x = at.x;
  x.head(n) += at.pace * (look.rate.head(n) + 0.5 * at.pace * look.rate.segment(n, n));
  x.tail(x.size() - n) += at.pace * look.rate.tail(x.size() - n);
  const InstantSide later_side{x, at.mode, at.pace};
  const Look later(mechanism, t + at.pace, later_side);
  const std::vector<Member> members = kept_members(at.mode);
  const auto is_made = [&](Index jet) { return made_of(look, jet, members) && made_of(later, jet, members); };
  for (std::size_t i = 0; i < kept.gaps.size(); ++i) {
    const Index rate = index(layout.rate_jet(i));
    const double speed = look.jets.row(rate).cwiseAbs().dot(look.reach);
    kept.gaps[i] = !at.mode.is_closed(i) && look.is_zero(look.gap(i), 0.0, near) &&
                   std::abs(look.values.rate[look.gap(i)]) <= near * speed && is_made(rate);
  }
  for (std::size_t k = 0; k < kept.switches.size(); ++k) {
    const Index jet = index(layout.switch_jet(k));
    const double size = look.jets.row(jet).cwiseAbs().dot(look.reach);
    kept.switches[k] =
        !at.mode.slides_along(k) && std::abs(look.values.value[look.switched(k)]) <= near * size && is_made(jet);
  }
  return kept;
}

SurfaceOfEvent event_of(const Mechanism& mechanism, const Watch& watch, double t, const InstantSide& at) {
  const Layout& layout = mechanism.layout();
  SurfaceOfEvent result;
  if (layout.contacts + layout.switches == 0) return result;
  const Look look(mechanism, t, at);
  const auto consider = [&](const Member& member, Index row, const Guard& guard) {
    if (!is_same(look, watch, member, row)) return;
    result.is_one = true;
    // Behind a release and beside a touch the rate is rounding too.
    const double doubt = near * look.jets.row(look.jet_of(row)).cwiseAbs().dot(look.reach) / at.pace;
    if (guard.sign * look.values.rate[row] < -doubt) result.met = guard;
  };
  for (std::size_t i = 0; i < layout.contacts; ++i)
    if (!at.mode.is_closed(i)) consider({Member::Kind::gap, i}, look.gap(i), {Guard::Kind::gap, i});
  for (std::size_t k = 0; k < layout.switches; ++k)
    if (!at.mode.slides_along(k))
      consider({Member::Kind::switched, k}, look.switched(k), {Guard::Kind::switched, k, at.mode.side(k)});
  return result;
}

bool is_known_section(const std::vector<Event>& known, double t, std::size_t watch, double direction) {
  for (const Event& event : std::views::reverse(known)) {
    if (std::abs(event.t - t) > 1e-14 * std::abs(t)) return false;
    if (event.kind == EventKind::section && event.index == watch && event.gamma_minus == direction) return true;
  }
  return false;
}

std::vector<Event> coinciding_sections(const Mechanism& mechanism, const std::vector<Watch>& watches,
                                       const OtherInstant& at) {
  std::vector<Event> found;
  const double absolute = at.t.absolute(at.period);
  const Look before(mechanism, at.t.phase, at.before);
  const Vector F = mechanism.field(at.t.phase, at.after.x, at.after.mode).rate;
  const Vector rates_after = mechanism.events(at.t.phase, at.after.x, F, at.after.mode).rate;
  const std::vector<Member> members = members_of(at);
  for (std::size_t w = 0; w < watches.size(); ++w) {
    const Watch& watch = watches[w];
    const Index row = before.surface(watch);
    const auto c = at.kept[w] || before.is_zero(row, watch.modulo, near) ? made_of(before, watch, members)
                                                                         : std::optional<Vector>();
    if (!c && !before.is_zero(row, watch.modulo, rounding)) continue;
    // A contact or switch that is touched, and left where it was.
    if (!c && event_of(mechanism, watch, at.t.phase, at.before).is_one) continue;
    const auto stays_on =
        [&] {  // an impact may take the motion off a surface of velocities: what it does then is no crossing
          return Look(mechanism, at.t.phase, at.after).is_zero(row, watch.modulo, rounding);
        };
    const auto passages = c ? by_sides(members, *c, at, rates_after[row])
                            : by_rates(before.values.rate[row], stays_on() ? rates_after[row] : 0.0, at);
    for (const auto& [direction, x] : passages) {
      if (watch.direction == (direction > 0.0 ? Crossing::down : Crossing::up)) continue;
      if (!c && is_known_section(at.known, absolute, w, direction)) continue;
      found.push_back({EventKind::section, absolute, w, direction, 0.0, 0.0, x, x});
    }
  }
  return found;
}

}  // namespace saltus
