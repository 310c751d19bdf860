// The hand-written baseline: trajectories of the triple pendulum with impacts in asynchronous lanes. Each lane has its
// own time, step size and impacts; a trajectory that ends is replaced from the queue at once.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "dop853_step.hpp"
#include "gap_root.hpp"
#include "gram_schmidt.hpp"

namespace peers {

enum class TangentUse { raw, orthonormal_each_period };

struct FlowOptions {
  double rtol = 1e-10;  // error of one step of the state ≤ rtol |x| + atol
  double atol = 1e-10;
  int periods = 200;    // length of each trajectory in forcing periods
  TangentUse tangent = TangentUse::orthonormal_each_period;
};

/// This program knows no sliding: impacts that accumulate end the trajectory.
enum class Outcome { reached_end, accumulation };

/// What is known of one trajectory at its end.
template <class R>
struct Trajectory {
  Outcome outcome = Outcome::reached_end;
  Column<R> end{};
  Columns6<R> tangent{};              // ∂end/∂start, or Q of its last QR
  std::array<R, 6> log_growth{};      // Σ ln r_ii
  std::array<R, 10> first_impacts{};  // times
  long impacts = 0;
};

template <class P, class S, class T, int Columns>
class ImpactFlow {
 public:
  using R = Scalar<S>;
  static constexpr int W = width<S>;

  ImpactFlow(const TriplePendulum<P>& system, const FlowOptions& options)
      : system_(system), options_(options), period_(system.period()), step_(system) {}

  std::vector<Trajectory<R>> operator()(const std::vector<Column<R>>& starts) {
    starts_ = &starts;
    done_.assign(starts.size(), {});
    queued_ = busy_ = 0;
    for (int i = 0; i < W; ++i) refill(i);
    refresh(S{} == S{});
    while (busy_ > 0) {
      step_.attempt(motion_, field_, t_, h_);
      ++attempts_;
      const Mask<S> accepted = judge();
      follow(accepted);
      if (any(landed_)) strike();
      const Mask<S> ended = accepted & (S(period_ - t_) < broadcast<S>(R(1e-12) * period_)) & (h_ > S{});
      if (any(ended)) end_period(ended);
      choose_step();
    }
    return done_;
  }

  /// Steps tried since construction; each one moves all lanes.
  long attempts() const { return attempts_; }

 private:
  static constexpr R safety = 0.8;
  static constexpr R growth = 2.0;
  static constexpr R shrink = 0.3;
  static constexpr R slowest_rebound = 1e-6;
  static constexpr R landing_window = 1e-7;  // time; from here a Taylor step reaches the barrier to rounding

  // ---- the queue -------------------------------------------------------------------------------------------------

  void refill(int i) {
    const bool empty = queued_ == starts_->size();
    const Column<R> x = starts_->at(empty ? 0 : queued_);
    for (int k = 0; k < 3; ++k) set_lane(motion_.state.q[k], i, x.q[k]), set_lane(motion_.state.v[k], i, x.v[k]);
    if constexpr (Columns > 0) set_tangent(i, identity());
    set_lane(t_, i, R(0));
    set_lane(natural_, i, empty ? R(0) : R(0.02));  // an idle lane stands still
    set_lane(h_, i, lane(natural_, i));
    slot_[i] = empty ? -1 : static_cast<int>(queued_++);
    periods_[i] = 0;
    busy_ += empty ? 0 : 1;
    mark_lane(landing_, i, false);
  }

  void harvest(int i) {
    Trajectory<R>& result = done_[slot_[i]];
    for (int k = 0; k < 3; ++k)
      result.end.q[k] = lane(motion_.state.q[k], i), result.end.v[k] = lane(motion_.state.v[k], i);
    if constexpr (Columns > 0) result.tangent = tangent_of(i);
    --busy_;
  }

  /// Puts the next trajectory of the queue in place of those that are done.
  void replace(const Mask<S>& done) {
    for (int i = 0; i < W; ++i) {
      if (!lane(done, i)) continue;
      harvest(i);
      refill(i);
    }
    refresh(done);
  }

  static Columns6<R> identity() {
    Columns6<R> X{};
    for (int k = 0; k < 3; ++k) X[k].q[k] = X[k + 3].v[k] = 1;
    return X;
  }

  static constexpr bool columns_across = W == 1 && Columns == 1;

  Columns6<R> tangent_of(int i) const {
    Columns6<R> X;
    for (int c = 0; c < 6; ++c) {
      const Column<T>& column = motion_.tangent[columns_across ? 0 : c];
      const int at = columns_across ? c : i;
      for (int k = 0; k < 3; ++k) X[c].q[k] = lane(column.q[k], at), X[c].v[k] = lane(column.v[k], at);
    }
    return X;
  }

  void set_tangent(int i, const Columns6<R>& X) {
    for (int c = 0; c < 6; ++c) {
      Column<T>& column = motion_.tangent[columns_across ? 0 : c];
      const int at = columns_across ? c : i;
      for (int k = 0; k < 3; ++k) set_lane(column.q[k], at, X[c].q[k]), set_lane(column.v[k], at, X[c].v[k]);
    }
  }

  // ---- one step --------------------------------------------------------------------------------------------------

  /// Accepts or refuses the attempt in each lane; refused lanes get a new step length, landed ones are marked.
  Mask<S> judge() {
    const Column<S>& end = step_.end().state;
    const S squared_error = step_.squared_error(motion_, h_, options_.rtol, options_.atol);
    const Mask<S> precise = squared_error <= broadcast<S>(1);
    adapt(squared_error, precise);
    end_field_ = field(system_, end, S(t_ + h_));
    end_jet_ = gap(system_, end_field_, end.v);
    const Mask<S> dips = (jet_.gamma < S{}) & (end_jet_.gamma > S{});
    const Mask<S> suspicious = precise & ((end_jet_.h < S{}) | dips | landing_);
    landed_ = Mask<S>{};
    landing_ = Mask<S>{};
    Mask<S> accepted = precise;
    if (any(suspicious)) {
      for (int i = 0; i < W; ++i)
        if (lane(suspicious, i)) mark_lane(accepted, i, inspect(i));
    }
    return accepted;
  }

  /// Looks for a contact within the step of lane i. Returns whether the step stands.
  bool inspect(int i) {
    const R h = lane(h_, i);
    const GapJet<R> start = jet_of(jet_, i), end = jet_of(end_jet_, i);
    const auto contact = first_contact(start, end, h);
    const R late = contact ? h - *contact : -end.h / end.gamma;
    if (contact && late > landing_window) {
      set_lane(h_, i, *contact);
      mark_lane(landing_, i, true);
      return false;
    }
    const bool at_barrier = end.gamma < 0 && std::abs(end.h) < -end.gamma * landing_window;
    mark_lane(landed_, i, at_barrier);
    return true;
  }

  static GapJet<R> jet_of(const GapJet<S>& jet, int i) {
    return {lane(jet.h, i), lane(jet.gamma, i), lane(jet.acceleration, i)};
  }

  /// The step length that the error allows. Steps cut short by an event do not shrink it.
  [[gnu::always_inline]] inline void adapt(const S& squared_error, const Mask<S>& precise) {
    const S factor =
        min(max(S(safety * rough_inverse_sixteenth_root(squared_error)), broadcast<S>(shrink)), broadcast<S>(growth));
    const S proposal = h_ * factor;
    const Mask<S> cut_short = precise & (h_ < natural_);
    natural_ = select(cut_short, max(natural_, proposal), proposal);
  }

  [[gnu::always_inline]] inline void follow(const Mask<S>& accepted) {
    blend(accepted, motion_.state, step_.end().state);
    for (int c = 0; c < Columns; ++c) blend(accepted, motion_.tangent[c], step_.end().tangent[c]);
    t_ = select(accepted, S(t_ + h_), t_);
    blend(accepted, field_, end_field_);
    blend(accepted, jet_, end_jet_);
  }

  /// The next step ends at the end of the period at the latest, and two equal steps go there rather than a long and a tiny one.
  /// A lane that was refused because of a contact keeps the length found in inspect().
  [[gnu::always_inline]] inline void choose_step() {
    const S rest = period_ - t_;
    const S fitted = select(natural_ >= rest, rest, select(natural_ + natural_ > rest, S(rest / 2), natural_));
    h_ = select(landing_, h_, fitted);
  }

  // ---- impacts ---------------------------------------------------------------------------------------------------

  /// Carries the landed lanes exactly onto the barrier, then x ← R(x), tangent ← S tangent.
  void strike() {
    touch_barrier();
    const Vec3<S> v_minus = motion_.state.v;
    const Impact<S> hit = impact(system_, field_, v_minus);
    const Vec3<S> vdot_plus = solve(field_.inertia, force(system_, field_.angle, field_.inertia, hit.v_plus));
    for (int c = 0; c < Columns; ++c)
      blend(landed_, motion_.tangent[c], saltation(field_, v_minus, hit, vdot_plus, motion_.tangent[c]));
    for (int k = 0; k < 3; ++k) {
      motion_.state.v[k] = select(landed_, hit.v_plus[k], v_minus[k]);
      field_.vdot[k] = select(landed_, vdot_plus[k], field_.vdot[k]);
    }
    jet_ = gap(system_, field_, motion_.state.v);
    Mask<S> accumulating{};
    for (int i = 0; i < W; ++i)
      if (lane(landed_, i)) mark_lane(accumulating, i, record_impact(i) == Outcome::accumulation);
    if (any(accumulating)) replace(accumulating);
  }

  /// Newton's correction of the landing, |δ| ≤ landing_window: q by its Taylor series to δ², v and the tangent to δ.
  void touch_barrier() {
    const S ratio = jet_.h / jet_.gamma;
    const S exact = -ratio * (1 + R(0.5) * ratio * jet_.acceleration / jet_.gamma);
    const S delta = select(landed_, exact, S{});
    if constexpr (Columns > 0) {
      const Jacobian<S> J = jacobian(system_, field_.angle, field_.inertia, motion_.state.v, field_.vdot);
      for (Column<T>& d : motion_.tangent) {
        const Vec3<T> slope = tangent_slope(field_.inertia, J, d);
        for (int k = 0; k < 3; ++k) d.q[k] = d.q[k] + delta * d.v[k], d.v[k] = d.v[k] + delta * slope[k];
      }
    }
    Column<S>& x = motion_.state;
    for (int k = 0; k < 3; ++k) {
      x.q[k] = x.q[k] + delta * (x.v[k] + R(0.5) * delta * field_.vdot[k]);
      x.v[k] = x.v[k] + delta * field_.vdot[k];
    }
    t_ = t_ + delta;
    blend(landed_, field_, field(system_, x, t_));
  }

  Outcome record_impact(int i) {
    Trajectory<R>& result = done_[slot_[i]];
    if (result.impacts < 10) result.first_impacts[result.impacts] = periods_[i] * period_ + lane(t_, i);
    ++result.impacts;
    result.outcome = lane(jet_.gamma, i) < slowest_rebound ? Outcome::accumulation : Outcome::reached_end;
    return result.outcome;
  }

  // ---- periods ---------------------------------------------------------------------------------------------------

  void end_period(const Mask<S>& ended) {
    t_ = select(ended, S{}, t_);
    if (Columns > 0 && options_.tangent == TangentUse::orthonormal_each_period) orthonormalise_lanes(ended);
    Mask<S> done{};
    for (int i = 0; i < W; ++i)
      if (lane(ended, i)) mark_lane(done, i, ++periods_[i] == options_.periods);
    if (any(done)) replace(done);
  }

  void orthonormalise_lanes(const Mask<S>& ended) {
    if constexpr (columns_across) {
      Columns6<R> X = tangent_of(0);
      add_growth(0, orthonormalise(X));
      set_tangent(0, X);
    } else if constexpr (Columns == 6) {
      Columns6<T> X = motion_.tangent;
      const std::array<T, 6> r = orthonormalise(X);
      for (int c = 0; c < 6; ++c) blend(ended, motion_.tangent[c], X[c]);
      for (int i = 0; i < W; ++i)
        if (lane(ended, i))
          add_growth(i, {lane(r[0], i), lane(r[1], i), lane(r[2], i), lane(r[3], i), lane(r[4], i), lane(r[5], i)});
    }
  }

  void add_growth(int i, const std::array<R, 6>& r) {
    for (int c = 0; c < 6; ++c) done_[slot_[i]].log_growth[c] += std::log(r[c]);
  }

  /// Field and gap anew in the lanes of the mask.
  void refresh(const Mask<S>& mask) {
    blend(mask, field_, field(system_, motion_.state, t_));
    jet_ = gap(system_, field_, motion_.state.v);
  }

  // ---- blending --------------------------------------------------------------------------------------------------

  template <class V>
  [[gnu::always_inline]] static inline void blend(const Mask<S>& mask, Vec3<V>& a, const Vec3<V>& b) {
    for (int k = 0; k < 3; ++k) a[k] = select(mask, b[k], a[k]);
  }

  template <class V>
  [[gnu::always_inline]] static inline void blend(const Mask<S>& mask, Column<V>& a, const Column<V>& b) {
    blend(mask, a.q, b.q);
    blend(mask, a.v, b.v);
  }

  [[gnu::always_inline]] static inline void blend(const Mask<S>& mask, GapJet<S>& a, const GapJet<S>& b) {
    a = {select(mask, b.h, a.h), select(mask, b.gamma, a.gamma), select(mask, b.acceleration, a.acceleration)};
  }

  [[gnu::always_inline]] static inline void blend(const Mask<S>& mask, Field<S>& a, const Field<S>& b) {
    blend(mask, a.angle.sin, b.angle.sin);
    blend(mask, a.angle.cos, b.angle.cos);
    a.angle.drive = select(mask, b.angle.drive, a.angle.drive);
    blend(mask, a.vdot, b.vdot);
    Inertia<S>& I = a.inertia;
    const Inertia<S>& J = b.inertia;
    I = {select(mask, J.m12, I.m12), select(mask, J.m13, I.m13),       select(mask, J.m23, I.m23),
         select(mask, J.n12, I.n12), select(mask, J.n13, I.n13),       select(mask, J.n23, I.n23),
         select(mask, J.l32, I.l32), select(mask, J.inv_d2, I.inv_d2), select(mask, J.inv_d3, I.inv_d3)};
  }

  TriplePendulum<P> system_;
  FlowOptions options_;
  R period_;
  Dop853Step<P, S, T, Columns> step_;

  Motion<S, T, Columns> motion_{};  // the lanes now, with the field and the gap there
  Field<S> field_{}, end_field_{};
  GapJet<S> jet_{}, end_jet_{};
  S t_{}, h_{}, natural_{};  // time within the period, step to try, step that the error allows
  Mask<S> landing_{};  // h_ was chosen to reach the barrier
  Mask<S> landed_{};  // the step just taken ends on the barrier

  const std::vector<Column<R>>* starts_ = nullptr;
  std::vector<Trajectory<R>> done_;
  std::array<int, W> slot_{}, periods_{};
  std::size_t queued_ = 0;
  int busy_ = 0;
  long attempts_ = 0;
};

}  // namespace peers
