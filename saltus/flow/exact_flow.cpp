#include "saltus/flow/exact_flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "saltus/flow/crossing.hpp"
#include "saltus/flow/exact_mode.hpp"
#include "saltus/flow/guard.hpp"
#include "saltus/flow/index.hpp"
#include "saltus/flow/polynomial_roots.hpp"

namespace saltus {
namespace {

constexpr int most_events_at_an_instant = 1000;

/// A guard met inside a step.
struct Meeting {
  Guard guard;
  double tau;
};

/// One run from its start to its end.
class ExactRun {
 public:
  ExactRun(const Kernels& kernels, const FlowOptions& options, const ExactSystem& system, const FlowRun& run)
      : layout_(kernels.layout()),
        options_(options),
        system_(system),
        run_(run),
        mechanism_(kernels, system.parameters()),
        settler_(mechanism_, options_, run.period),
        arithmetic_(exact_arithmetic(layout_.N())),
        point_(run.start),
        N_(layout_.N()) {}

  /// Nothing if a mode was met that is not linear after all.
  std::optional<FlowResult> result() {
    if (!begin()) return finished();
    while (!done_) {
      if (!at_->linear) return std::nullopt;
      step();
    }
    return finished();
  }

 private:
  // ---- beginning and end ------------------------------------------------------------------------------------------

  bool begin() {
    const double infinity = std::numeric_limits<double>::infinity();
    Ledger& ledger = result_.ledger;
    ledger.closest_miss.assign(layout_.contacts, infinity);
    ledger.smallest_gamma.assign(layout_.contacts, infinity);
    ledger.sliding_time.assign(layout_.contacts, 0.0);
    const bool known = point_.natural_step > 0.0;
    x_.resize(N_);
    x_new_.resize(N_);
    if (!known) {
      point_.fastest.assign(layout_.contacts, 0.0);
      point_.natural_step = time_scale();
      if (!arrive({Trigger::Kind::begin, 0, false})) return false;
    } else {
      load();
    }
    return true;
  }

  /// How long the motion goes about without turning: a step, or what the fall of a free body takes to change it.
  double time_scale() const {
    const ExactMode& mode = system_.mode(point_.mode);
    if (mode.linear && std::isfinite(mode.step)) return mode.step;
    const Vector rate = mechanism_.field(point_.t.phase, point_.x, point_.mode).rate;
    const double speed = rate.cwiseAbs().maxCoeff();
    const double scale = speed > 0.0 ? std::max(point_.x.cwiseAbs().maxCoeff(), 1e-3) / speed : 1.0;
    return std::isfinite(scale) ? scale : 1.0;
  }

  void end(Outcome outcome) {
    result_.outcome = outcome;
    done_ = true;
  }

  FlowResult finished() {
    unload();
    if (run_.measure_energy) {
      const auto kinetic = [&](const FlowPoint& at) { return mechanism_.energy(at.t.phase, at.x, at.mode).first; };
      result_.ledger.energy_change = kinetic(point_) - kinetic(run_.start);
    }
    result_.end = std::move(point_);
    return std::move(result_);
  }

  /// Point → working arrays, in the point's mode.
  void load() {
    at_ = &system_.mode(point_.mode);
    std::copy_n(point_.x.data(), N_, x_.data());
    if (!at_->linear) return;
    u_.resize(at_->m);
    u_new_.resize(at_->m);
    refresh_basis();
    make_guards();
  }

  void refresh_basis() {
    at_->basis.values(point_.t.phase, u_.data());
    values_known_ = false;
  }

  void unload() { std::copy_n(x_.data(), N_, point_.x.data()); }

  // ---- guards -------------------------------------------------------------------------------------------------------

  /// Those that the mode has. Watched surfaces are added step by step: multiples depend on where the motion is.
  void make_guards() {
    guards_.clear();
    const Mode& mode = point_.mode;
    for (std::size_t i = 0; i < layout_.contacts; ++i)
      guards_.push_back({mode.closed[i] ? Guard::Kind::force : Guard::Kind::gap, i});
    for (std::size_t k = 0; k < layout_.switches; ++k) {
      if (!mode.filippov[k]) {
        guards_.push_back({Guard::Kind::switched, k, mode.sign[k]});
        continue;
      }
      guards_.push_back({Guard::Kind::weight, k, 1.0, 0.0});
      guards_.push_back({Guard::Kind::weight, k, -1.0, 1.0});
    }
    mode_guards_ = guards_.size();
    values_known_ = false;
  }

  void add_watches() {
    guards_.resize(mode_guards_);
    for (std::size_t w = 0; w < run_.watches.size(); ++w) add_watch(w);
    if (!run_.watches.empty()) values_known_ = false;
  }

  /// The multiples of the modulus next above and below the start of the step.
  void add_watch(std::size_t w) {
    const Watch& watch = run_.watches[w];
    double above = 0.0;
    double below = 0.0;
    if (watch.modulo > 0.0) {
      const double turns = surface_value(watch.surface, 0.0) / watch.modulo;
      const bool here = std::abs(turns - std::round(turns)) < 1e-9;
      below = watch.modulo * (here ? std::round(turns) : std::floor(turns));
      above = here ? below : below + watch.modulo;
    }
    const auto add = [&](double sign, double offset) {
      guards_.push_back({Guard::Kind::surface, watch.surface, sign, offset, w});
    };
    if (watch.direction != Crossing::down) {
      add(-1.0, above);
      if (watch.modulo > 0.0 && above == below) add(-1.0, above + watch.modulo);
    }
    if (watch.direction != Crossing::up) {
      add(1.0, below);
      if (watch.modulo > 0.0 && above == below) add(1.0, below - watch.modulo);
    }
  }

  static bool is_multiplier(const Guard& guard) {
    return guard.kind == Guard::Kind::force || guard.kind == Guard::Kind::weight;
  }

  const ExactRow& row_of(const Guard& guard) const {
    switch (guard.kind) {
      case Guard::Kind::gap: return at_->events[guard.index];
      case Guard::Kind::switched: return at_->events[layout_.contacts + guard.index];
      case Guard::Kind::surface: return at_->events[layout_.contacts + layout_.switches + guard.index];
      case Guard::Kind::force: return at_->multipliers[guard.index];
      case Guard::Kind::weight: return at_->multipliers[layout_.contacts + guard.index];
    }
    return at_->events.front();
  }

  using Terms = std::vector<ExactRow::Term>;
  static double product(const Terms& of_x, const double* x, const Terms& of_u, const double* u) {
    double sum = 0.0;
    for (const auto& [i, c] : of_x) sum += c * x[i];
    for (const auto& [i, c] : of_u) sum += c * u[i];
    return sum;
  }
  static double value_of(const ExactRow& row, const std::vector<double>& x, const std::vector<double>& u) {
    return product(row.of_x, x.data(), row.of_u, u.data());
  }
  static double rate_of(const ExactRow& row, const std::vector<double>& x, const std::vector<double>& u) {
    return product(row.rate_of_x, x.data(), row.rate_of_u, u.data());
  }

  /// Value and rate of a guard at a state.
  std::array<double, 2> ends_of(const Guard& guard, const std::vector<double>& x, const std::vector<double>& u) const {
    const ExactRow& row = row_of(guard);
    if (!row.affine) return {0.0, 0.0};
    return {guard.sign * (value_of(row, x, u) - guard.offset), guard.sign * rate_of(row, x, u)};
  }

  /// A surface that is not linear, τ into the step, by the compiled function.
  double surface_value(std::size_t surface, double tau) {
    const ExactRow& row = at_->events[layout_.contacts + layout_.switches + surface];
    if (tau == 0.0 && row.affine) return value_of(row, x_, u_);
    Vector x = Eigen::Map<const Vector>(x_.data(), index(N_));
    if (tau > 0.0) place(tau, x.data());
    const EventValue values = mechanism_.events(point_.t.phase + tau, x, Vector::Zero(index(N_)));
    return values.value[index(layout_.contacts + layout_.switches + surface)];
  }

  // ---- one step -------------------------------------------------------------------------------------------------------

  const TaylorPath& path() {
    if (!path_known_) arithmetic_.expand(*at_, x_.data(), u_.data(), path_);
    path_known_ = true;
    return path_;
  }

  /// x, τ into the step.
  void place(double tau, double* x) {
    const TaylorPath& along = path();
    arithmetic_.evaluate(along.x.data(), along.degree, tau, x, N_);
  }

  void step() {
    path_known_ = false;
    const double left = until(run_.end, point_.t, run_.period);
    const double longest = std::min(at_->step, options_.largest_step);
    ends_ = longest >= left * (1.0 - 1e-12);
    const bool whole = !ends_ && longest == at_->step;
    length_ = ends_ ? left : longest;
    if (!(length_ > 0.0)) {
      point_.t = run_.end;
      return end(Outcome::reached_end);
    }
    if (whole) {
      arithmetic_.multiply(at_->step_x.data(), x_.data(), x_new_.data(), N_, N_, false);
      arithmetic_.multiply(at_->step_u.data(), u_.data(), x_new_.data(), N_, at_->m, true);
      advance_basis();
    } else {
      place(length_, x_new_.data());
      at_->basis.values(point_.t.phase + length_, u_new_.data());
    }
    if (!std::isfinite(x_new_[0]) ||
        !std::all_of(x_new_.begin(), x_new_.end(), [](double v) { return std::isfinite(v); }))
      return end(Outcome::left_domain);
    if (!run_.watches.empty()) add_watches();
    const auto meeting = first_meeting();
    if (meeting) return meet(*meeting);
    accept(length_, whole);
    if (!done_ && ends_) end(Outcome::reached_end);
  }

  void advance_basis() {
    const std::size_t m = at_->m;
    std::fill(u_new_.begin(), u_new_.end(), 0.0);
    for (std::size_t j = 0; j < m; ++j)
      for (std::size_t i = 0; i < m; ++i) u_new_[i] += at_->step_basis[j * m + i] * u_[j];
  }

  /// Values and rates of the guards at the start of the step: those at the end of the last one, where that is known.
  void start_values() {
    if (values_known_) return;
    begin_.resize(guards_.size());
    for (std::size_t g = 0; g < guards_.size(); ++g) begin_[g] = ends_of(guards_[g], x_, u_);
    values_known_ = true;
  }

  double state_size() const {
    double size = 0.0;
    for (std::size_t i = 0; i < N_; ++i) size = std::max(size, std::abs(x_[i]) / at_->scale[i]);
    return size;
  }

  std::optional<Meeting> first_meeting() {
    start_values();
    end_.resize(guards_.size());
    std::optional<Meeting> first;
    const double size = state_size();
    for (std::size_t g = 0; g < guards_.size(); ++g) {
      const Guard& guard = guards_[g];
      const ExactRow& row = row_of(guard);
      if (row.affine) {
        end_[g] = ends_of(guard, x_new_, u_new_);
        const bool handled = is_handled(guard);
        const double doubt = row.curvature_x * size + row.curvature_u;
        if (handled ? leaves(begin_[g], end_[g], doubt) : is_clear(begin_[g], end_[g], doubt)) continue;
      }
      const auto tau = row.affine ? first_zero(guard, g) : first_sampled_zero(guard);
      if (tau && (!first || *tau < first->tau)) first = Meeting{guard, *tau};
      if (first && first->tau == 0.0) break;
    }
    return first;
  }

  /// The cubic through the ends stays further from zero than it can be from the function.
  bool is_clear(const std::array<double, 2>& begin, const std::array<double, 2>& end, double doubt) const {
    const double third = length_ / 3.0;
    const double b1 = begin[0] + third * begin[1];
    const double b2 = end[0] - third * end[1];
    const double lowest = std::min(std::min(begin[0], end[0]), std::min(b1, b2));
    const double highest = std::max(std::max(begin[0], end[0]), std::max(b1, b2));
    return lowest > doubt || highest < -doubt;
  }

  /// A guard that is zero at the beginning rises and stays above: the cubic over θ, a parabola, is further above zero than the
  /// cubic's error θ² (1 − θ)² · 16 doubt can take it.
  bool leaves(const std::array<double, 2>& begin, const std::array<double, 2>& end, double doubt) const {
    const double c1 = length_ * begin[1];
    const double middle = 0.5 * (3.0 * end[0] - length_ * end[1]);  // c₁ + c₂/2
    return std::min({c1, middle, end[0]}) > 2.5 * doubt + 1e-12 * std::abs(c1);
  }

  /// The guard that the step begins on, because the instant there was its own.
  bool is_handled(const Guard& guard) const {
    if (!arrived_ || guard.index != arrived_->index) return false;
    if (guard.kind == Guard::Kind::surface && arrived_->kind == Guard::Kind::surface &&
        guard.offset != arrived_->offset)
      return false;
    return guard.kind == arrived_->kind || (guard.kind == Guard::Kind::gap && arrived_->kind == Guard::Kind::force) ||
           (guard.kind == Guard::Kind::switched && arrived_->kind == Guard::Kind::weight);
  }

  /// The first fall of a linear guard inside the step: on its Taylor polynomial in θ = τ/length.
  std::optional<double> first_zero(const Guard& guard, std::size_t g) {
    fill_polynomial(guard);
    double size = 0.0;
    for (const double c : polynomial_) size = std::max(size, std::abs(c));
    if (size == 0.0) return std::nullopt;
    const double tiny = 1e-14 * (1.0 + std::abs(guard.offset)) + 1e-14 * size;
    const bool handled = is_handled(guard);
    std::size_t skip = 0;
    if (handled || std::abs(polynomial_[0]) <= tiny) {
      const bool falling = polynomial_[1] < 0.0 && std::abs(polynomial_[1]) > tiny;
      if (!handled && falling) {
        if (guard.kind == Guard::Kind::surface && polynomial_[0] <= 0.0) return std::nullopt;
        if (guard.kind != Guard::Kind::surface && polynomial_[0] <= 0.0) return 0.0;
      } else {
        const double bent = std::abs(polynomial_.size() > 2 ? polynomial_[2] : 0.0);
        skip = std::abs(polynomial_[1]) > 1e-10 * (bent + (handled ? 0.0 : tiny)) ? 1 : 2;
      }
    }
    const std::span<const double> rest = std::span<const double>(polynomial_).subspan(skip);
    if (skip > 0 && rest[0] < 0.0 && guard.kind == Guard::Kind::gap) {
      const bool presses = polynomial_value(polynomial_, 1.0) < -tiny || skip == 1;
      if (presses) return 0.0;  // let go and pressed at once: it stays closed
    }
    if (skip > 0 && rest[0] < 0.0 && is_multiplier(guard)) return 0.0;
    const auto theta = first_fall(rest);
    if (!theta && guard.kind == Guard::Kind::gap && begin_[g][1] < 0.0 && end_[g][1] >= 0.0) note_miss(guard);
    if (!theta) return std::nullopt;
    return *theta * length_;
  }

  void fill_polynomial(const Guard& guard) {
    const ExactRow& row = row_of(guard);
    const TaylorPath& along = path();
    const auto terms = static_cast<std::size_t>(along.degree) + 1;
    polynomial_.resize(terms);
    double power = guard.sign;
    polynomial_[0] = power * product(row.of_x, along.x.data(), row.of_u, along.u.data());
    if (row.steady && row.of_x.size() == 1) {
      // The common one: a coordinate against a constant.
      const double* const coordinate = along.x.data() + row.of_x.front().i;
      const double c = row.of_x.front().c;
      for (std::size_t k = 1; k < terms; ++k) polynomial_[k] = (power *= length_) * (c * coordinate[k * N_]);
    } else {
      for (std::size_t k = 1; k < terms; ++k)
        polynomial_[k] =
            (power *= length_) * product(row.of_x, along.x.data() + k * N_, row.of_u, along.u.data() + k * at_->m);
    }
    polynomial_[0] -= guard.sign * guard.offset;
  }

  /// How near a gap came to zero without reaching it.
  void note_miss(const Guard& guard) {
    const auto theta = first_minimum(polynomial_);
    if (!theta) return;
    const double h = polynomial_value(polynomial_, *theta);
    pending_misses_.push_back({guard, *theta * length_, h});
  }

  /// Misses before the end of the step count; those behind an event never happened.
  void keep_misses(double tau) {
    for (const Miss& miss : pending_misses_) {
      if (miss.tau > tau) continue;
      Ledger& ledger = result_.ledger;
      ledger.closest_miss[miss.guard.index] = std::min(ledger.closest_miss[miss.guard.index], miss.h);
      double size = 0.0;
      for (const double x : x_) size = std::max(size, std::abs(x));
      if (miss.h > 10.0 * (options_.rtol * (1.0 + size) + options_.atol)) continue;
      ++ledger.grazings;
      Vector x(index(N_));
      place(miss.tau, x.data());
      result_.events.push_back(
          {EventKind::grazing, point_.t.absolute(run_.period) + miss.tau, miss.guard.index, 0.0, 0.0, 0.0, x, x});
    }
    pending_misses_.clear();
  }

  /// A surface that is not linear: on samples at the nodes, then on the surface itself.
  std::optional<double> first_sampled_zero(const Guard& guard) {
    const auto value = [&](double theta) {
      return guard.sign * (surface_value(guard.index, theta * length_) - guard.offset);
    };
    std::array<double, node_count> samples{};
    for (std::size_t j = 0; j < node_count; ++j) samples[j] = value(nodes()[j]);
    double size = 0.0;
    for (const double s : samples) size = std::max(size, std::abs(s));
    const bool here = std::abs(samples[0]) <= 1e-9 * (size + std::abs(guard.offset));
    const Beginning beginning = is_handled(guard) || here ? Beginning::at_zero : Beginning::away;
    const auto descent = first_descent(samples, 0.0, beginning);
    if (!descent || descent->kind != Descent::Kind::crossing) return std::nullopt;
    double lower = std::max(0.0, descent->lower - 1e-3);
    double upper = std::min(1.0, descent->upper);
    if (value(upper) > 0.0) return std::nullopt;
    while (lower > 0.0 && value(lower) <= 0.0) lower = std::max(0.0, lower - 0.05);
    for (int count = 0; count < 60 && upper - lower > 1e-16 * upper; ++count) {
      const double middle = 0.5 * (lower + upper);
      (value(middle) > 0.0 ? lower : upper) = middle;
    }
    return upper * length_;
  }

  // ---- what a step leads to ---------------------------------------------------------------------------------------------

  void meet(const Meeting& meeting) {
    const double tau = meeting.tau;
    if (tau > 0.0) {
      place(tau, x_new_.data());
      ends_ = false;
      accept(tau, false);
      if (done_) return;
      events_here_ = 0;
    } else if (++events_here_ > most_events_at_an_instant) {
      return end(Outcome::step_too_small);
    }
    arrived_ = meeting.guard;
    if (meeting.guard.kind == Guard::Kind::surface) return meet_section(meeting.guard);
    if (meeting.guard.kind == Guard::Kind::switched && passes(meeting.guard)) return;
    if (tau == 0.0 && meeting.guard.kind == Guard::Kind::gap && steps_since_event_ == 0) {
      point_.mode.closed[meeting.guard.index] = 1;
      unload();
      load();
      return;
    }
    unload();
    arrive(trigger_of(meeting.guard));
  }

  static Trigger trigger_of(const Guard& guard) {
    switch (guard.kind) {
      case Guard::Kind::gap: return {Trigger::Kind::gap, guard.index, false};
      case Guard::Kind::force: return {Trigger::Kind::force, guard.index, false};
      case Guard::Kind::switched: return {Trigger::Kind::switched, guard.index, false};
      default: return {Trigger::Kind::weight, guard.index, guard.sign < 0.0};
    }
  }

  /// The common case, done without the settler: the motion passes a switch at which the force is continuous (or no tangent
  /// is carried), so that nothing but the mode changes.
  bool passes(const Guard& guard) {
    const std::size_t k = guard.index;
    const ExactMode& beyond = system_.beyond(*at_, k);
    if (!beyond.linear || point_.mode.is_masked()) return false;
    u_new_.resize(beyond.m);
    if (beyond.basis == at_->basis) std::copy(u_.begin(), u_.end(), u_new_.begin());
    else beyond.basis.values(point_.t.phase, u_new_.data());
    const double speed = rate_of(beyond.events[layout_.contacts + k], x_, u_new_);
    if (guard.sign * speed > 0.0) return false;
    if (point_.tangent.cols() > 0 && jumps(beyond)) return false;
    ++result_.ledger.switches;
    if (run_.keep_events) {
      unload();
      result_.events.push_back({EventKind::switched, point_.t.absolute(run_.period), k, 0, 0, 0, point_.x, point_.x});
    }
    point_.mode.sign[k] = -guard.sign;
    at_ = &beyond;
    u_.swap(u_new_);
    u_new_.resize(at_->m);
    make_guards();
    steps_since_event_ = 0;
    if (result_.ledger.switches > options_.most_events) end(Outcome::too_many_events);
    return true;
  }

  /// Does the field jump from this mode to the one beyond? `u_new_` holds the basis there.
  bool jumps(const ExactMode& beyond) {
    field(*at_, u_.data(), rate_);
    field(beyond, u_new_.data(), rate_beyond_);
    double size = 0.0;
    double jump = 0.0;
    for (std::size_t i = 0; i < N_; ++i) {
      size = std::max(size, std::abs(rate_[i]) + std::abs(x_[i]));
      jump = std::max(jump, std::abs(rate_[i] - rate_beyond_[i]));
    }
    return jump > 1e-13 * size;
  }

  void field(const ExactMode& mode, const double* u, std::vector<double>& out) const {
    out.resize(N_);
    arithmetic_.multiply(mode.A.data(), x_.data(), out.data(), N_, N_, false);
    arithmetic_.multiply(mode.B.data(), u, out.data(), N_, mode.m, true);
  }

  void meet_section(const Guard& guard) {
    unload();
    result_.events.push_back(
        {EventKind::section, point_.t.absolute(run_.period), guard.watch, -guard.sign, 0.0, 0.0, point_.x, point_.x});
    ++crossings_;
    if (run_.stop_after > 0 && crossings_ >= run_.stop_after) end(Outcome::stopped);
  }

  /// An instant: settles the point. False: the run ended.
  bool arrive(const Trigger& trigger) {
    const std::size_t before = result_.events.size();
    const Settled settled = settler_.settle(point_, trigger, result_.events, result_.ledger);
    steps_since_event_ = 0;
    load();
    const long total = result_.ledger.impacts + result_.ledger.switches + result_.ledger.slides;
    if (!run_.keep_events) result_.events.resize(before);
    if (!settled.stop && total <= options_.most_events) return true;
    result_.message = settled.message;
    result_.contacts = settled.contacts;
    end(settled.stop.value_or(Outcome::too_many_events));
    return false;
  }

  /// Takes x_new, τ into the step.
  void accept(double tau, bool whole) {
    keep_misses(tau);
    take_samples(tau);
    result_.divergence += at_->trace * tau;
    if (run_.measure_energy) add_work(tau);
    for (std::size_t i = 0; i < layout_.contacts; ++i)
      if (point_.mode.closed[i]) result_.ledger.sliding_time[i] += tau;
    if (point_.tangent.cols() > 0) carry_tangent(tau, whole);
    x_.swap(x_new_);
    const long cycles = point_.t.cycles;
    point_.t.advance(tau);
    if (ends_) point_.t = run_.end;
    if (run_.period > 0.0 && !ends_ && point_.t.phase >= run_.period) {
      point_.t.phase -= run_.period;
      ++point_.t.cycles;
    }
    if (whole && point_.t.cycles == cycles) {
      u_.swap(u_new_);
      begin_.swap(end_);
    } else {
      refresh_basis();
    }
    if (point_.t.cycles != cycles) turn_columns(point_.t.cycles - cycles);
    arrived_.reset();
    ++result_.ledger.steps;
    ++steps_since_event_;
    note_penetration();
    if (point_.mode.is_masked()) {
      unload();
      settler_.project(point_);
      std::copy_n(point_.x.data(), N_, x_.data());
      values_known_ = false;
    }
    if (result_.ledger.steps % 64 != 0) return;
    if (run_.progress) run_.progress(point_.t);
    if (run_.interrupted && run_.interrupted()) end(Outcome::stopped);
  }

  void note_penetration() {
    if (layout_.contacts == 0) return;
    for (std::size_t i = 0; i < layout_.contacts; ++i) {
      if (point_.mode.closed[i]) continue;
      const double h = value_of(at_->events[i], x_, u_);
      result_.ledger.worst_penetration = std::max(result_.ledger.worst_penetration, -h);
    }
  }

  void carry_tangent(double tau, bool whole) {
    const std::size_t states = layout_.state_columns;
    double* const columns = point_.tangent.data();
    if (!whole) arithmetic_.carry(*at_, tau, columns, states);
    for (std::size_t c = 0; whole && c < states; ++c)
      arithmetic_.multiply(at_->step_x.data(), columns + c * N_, columns + c * N_, N_, N_, false);
    for (std::size_t c = 0; c < layout_.varied.size(); ++c) {
      double* const column = columns + (states + c) * N_;
      if (whole) {
        arithmetic_.multiply(at_->step_x.data(), column, column, N_, N_, false);
        arithmetic_.multiply(at_->step_dx[c].data(), x_.data(), column, N_, N_, true);
        arithmetic_.multiply(at_->step_du[c].data(), u_.data(), column, N_, at_->m, true);
      } else {
        arithmetic_.carry_parameter(*at_, path(), c, tau, column);
      }
    }
  }

  /// A parameter may change the period: at a fixed number of cycles and a fixed phase its column gains ẋ ∂period/∂p per turn.
  void turn_columns(long turns) {
    if (point_.tangent.cols() == 0 || run_.period_rates.empty()) return;
    field(*at_, u_.data(), rate_);
    for (std::size_t c = 0; c < layout_.varied.size(); ++c)
      for (std::size_t i = 0; i < N_; ++i)
        point_.tangent(index(i), index(layout_.state_columns + c)) +=
            static_cast<double>(turns) * run_.period_rates[c] * rate_[i];
  }

  void take_samples(double tau) {
    while (next_sample_ < run_.samples.size()) {
      const Time& wanted = run_.samples[next_sample_];
      const double ahead = until(wanted, point_.t, run_.period);
      if (ahead > tau) return;
      Sample sample{wanted.absolute(run_.period), Vector(index(N_)), point_.mode, {}};
      place(std::max(ahead, 0.0), sample.x.data());
      sample.force = mechanism_.field(wanted.phase, sample.x, sample.mode).force;
      result_.samples.push_back(std::move(sample));
      ++next_sample_;
    }
  }

  /// ∫ of all power on the kinetic energy, by Gauss' rule with eight points: exact to rounding over a step.
  void add_work(double tau) {
    static constexpr std::array<double, 4> places = {0.18343464249564980, 0.52553240991632899, 0.79666647741362674,
                                                     0.96028985649753623};
    static constexpr std::array<double, 4> weights = {0.36268378337836198, 0.31370664587788729, 0.22238103445337447,
                                                      0.10122853629037626};
    Vector x(index(N_));
    for (std::size_t j = 0; j < places.size(); ++j) {
      for (const double side : {-1.0, 1.0}) {
        const double at = 0.5 * tau * (1.0 + side * places[j]);
        place(at, x.data());
        const double power = mechanism_.energy(point_.t.phase + at, x, point_.mode).second;
        result_.ledger.energy_work += 0.5 * tau * weights[j] * power;
      }
    }
  }

  struct Miss {
    Guard guard;
    double tau;
    double h;
  };

  const Layout& layout_;
  const FlowOptions& options_;
  const ExactSystem& system_;
  const FlowRun& run_;
  Mechanism mechanism_;
  Settler settler_;
  const ExactArithmetic& arithmetic_;
  FlowPoint point_;
  FlowResult result_;
  std::size_t N_;
  const ExactMode* at_ = nullptr;
  std::vector<double> x_, x_new_, u_, u_new_, rate_, rate_beyond_, polynomial_;
  std::vector<Guard> guards_;
  std::size_t mode_guards_ = 0;
  std::vector<std::array<double, 2>> begin_, end_;
  bool values_known_ = false;
  TaylorPath path_;
  bool path_known_ = false;
  std::vector<Miss> pending_misses_;
  double length_ = 0.0;
  bool ends_ = false;
  bool done_ = false;
  std::optional<Guard> arrived_;
  std::size_t next_sample_ = 0;
  long crossings_ = 0;
  long steps_since_event_ = 0;
  int events_here_ = 0;
};

/// Systems are assembled once and used by many runs: what a thread used last is kept.
const ExactSystem& remembered_system(const Kernels& kernels, const std::vector<double>& parameters) {
  struct Entry {
    std::uint64_t serial;
    std::unique_ptr<ExactSystem> system;
  };
  constexpr std::size_t most = 16;
  thread_local std::vector<Entry> entries;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].serial != kernels.serial() || entries[i].system->parameters() != parameters) continue;
    const auto place = entries.begin() + static_cast<std::ptrdiff_t>(i);
    if (i > 0) std::rotate(entries.begin(), place, place + 1);
    return *entries.front().system;
  }
  if (entries.size() == most) entries.pop_back();
  entries.insert(entries.begin(), Entry{kernels.serial(), std::make_unique<ExactSystem>(kernels, parameters)});
  return *entries.front().system;
}

FlowResult exact_flow(const Kernels& kernels, const FlowOptions& options, const FlowRun& run) {
  const ExactSystem& system = remembered_system(kernels, run.parameters);
  if (auto result = ExactRun(kernels, options, system, run).result()) return std::move(*result);
  if (options.method == FlowMethod::exact)
    throw Error(
        ExitCode::usage,
        "method 'exact': the motion slides along a switch across which the force changes by more than a constant, "
        "and that sliding is not linear\n  use method 'rk'");
  FlowOptions general = options;
  general.method = FlowMethod::runge_kutta;
  return flow(kernels, general, run);
}

}  // namespace

bool flows_exactly(const Kernels& kernels, const FlowOptions& options) {
  if (options.method == FlowMethod::runge_kutta) return false;
  if (kernels.is_piecewise_linear()) return true;
  if (options.method == FlowMethod::exact)
    throw Error(ExitCode::usage, "method 'exact' needs a model that is linear in every mode\n  use method 'rk'");
  return false;
}

LaneUse exact_flow_lanes(const Kernels& kernels, const FlowOptions& options, unsigned width,
                         LaneStepper::Carries carries, LaneWork& work) {
  LaneUse use;
  for (std::size_t lane = 0; lane < width; ++lane) {
    FlowRun run;
    while (work.next(lane, run)) {
      if (carries == LaneStepper::Carries::state) run.start.tangent.resize(run.start.tangent.rows(), 0);
      FlowResult result = exact_flow(kernels, options, run);
      use += {result.ledger.steps, result.ledger.steps, result.ledger.steps};
      work.done(lane, std::move(result));
      run = FlowRun();
    }
  }
  return use;
}

}  // namespace saltus
