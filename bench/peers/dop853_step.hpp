// One step of DOP853 for the triple pendulum in lanes, the tangent in the same pass.
//
// S is the type of the state (a lane is a trajectory), T the type of a tangent column. Two layouts are used:
//   S = T = Lanes<W>, Columns = 6     W trajectories, each with its own six columns;
//   S = double, T = Lanes<8>, Columns = 1     one trajectory, its six columns across one register.
#pragma once

#include <array>
#include <utility>

#include "dop853_coefficients.hpp"
#include "triple_pendulum.hpp"

namespace peers {

template <class S, class T, int Columns>
struct Motion {
  Column<S> state;
  std::array<Column<T>, Columns> tangent;
};

/// v̇ of the state and of the columns at one stage; q̇ = v is not stored (see dop853_coefficients.hpp).
template <class S, class T, int Columns>
struct Slopes {
  Vec3<S> state;
  std::array<Vec3<T>, Columns> tangent;
};

template <class S, class T, int Columns>
using StageSlopes = std::array<Slopes<S, T, Columns>, dop853::stages>;

template <class T>
struct WeightedSums {
  Vec3<T> velocity, position;
};

template <int Row, int Stage, class T>
[[gnu::always_inline]] inline void add_slope(WeightedSums<T>& sums, const Vec3<T>& slope) {
  using R = Scalar<T>;
  constexpr R a = dop853::velocity_weights[Row][Stage];
  constexpr R b = dop853::position_weights[Row][Stage];
  for (int i = 0; i < 3; ++i) {
    if constexpr (a != 0) sums.velocity[i] = sums.velocity[i] + a * slope[i];
    if constexpr (b != 0) sums.position[i] = sums.position[i] + b * slope[i];
  }
}

/// Σⱼ wⱼ v̇ⱼ for one row of weights, for velocities and positions; `slope_of(j)` is v̇ of stage j.
template <int Row, class T, class SlopeOf>
[[gnu::always_inline]] inline WeightedSums<T> weighted_sums(const SlopeOf& slope_of) {
  constexpr int used = Row < dop853::stages ? Row : dop853::stages;
  WeightedSums<T> sums{};
  [&]<std::size_t... J>(std::index_sequence<J...>)
      __attribute__((always_inline)) { (add_slope<Row, J>(sums, slope_of(J)), ...); }(std::make_index_sequence<used>{});
  return sums;
}

/// The state or a column at a stage, or at the end of the step.
template <int Row, class S, class T, class SlopeOf>
[[gnu::always_inline]] inline Column<T> advanced(const Column<T>& start, const S& h, const SlopeOf& slope_of) {
  constexpr Scalar<S> c = dop853::nodes[Row];
  const WeightedSums<T> sums = weighted_sums<Row, T>(slope_of);
  Column<T> x;
  for (int i = 0; i < 3; ++i) {
    x.v[i] = start.v[i] + h * sums.velocity[i];
    x.q[i] = start.q[i] + h * (c * start.v[i] + h * sums.position[i]);
  }
  return x;
}

template <class P, class S, class T, int Columns>
class Dop853Step {
 public:
  explicit Dop853Step(const TriplePendulum<P>& system) : system_(system) {}

  /// Tries a step from `start` at time t; `at_start` is the field there. The result is in `end`.
  void attempt(const Motion<S, T, Columns>& start, const Field<S>& at_start, const S& t, const S& h) {
    slopes_[0].state = at_start.vdot;
    if constexpr (Columns > 0) tangent_stage<0>(start, start.state.v, at_start, h);
    [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
      (stage<I + 1>(start, t, h), ...);
    }(std::make_index_sequence<dop853::stages - 1>{});
    finish(start, h);
  }

  const Motion<S, T, Columns>& end() const { return end_; }

  /// Square of the error over the tolerance of the step (Hairer's combination of the embedded orders 5 and 3).
  [[gnu::always_inline]] inline S squared_error(const Motion<S, T, Columns>& start, const S& h, Scalar<S> rtol,
                                                Scalar<S> atol) const {
    const auto slope_of = [&](int j) -> const Vec3<S>& { return slopes_[j].state; };
    const WeightedSums<S> e5 = weighted_sums<dop853::error5, S>(slope_of);
    const WeightedSums<S> e3 = weighted_sums<dop853::error3, S>(slope_of);
    S sum5{}, sum3{};
    for (int i = 0; i < 3; ++i) {
      const S v = 1 / (atol + rtol * max(abs(start.state.v[i]), abs(end_.state.v[i])));
      const S q = h / (atol + rtol * max(abs(start.state.q[i]), abs(end_.state.q[i])));
      sum5 = sum5 + square(e5.velocity[i] * v) + square(e5.position[i] * q);
      sum3 = sum3 + square(e3.velocity[i] * v) + square(e3.position[i] * q);
    }
    const S divisor = Scalar<S>(6) * (sum5 + Scalar<S>(0.01) * sum3) + Scalar<S>(1e-100);
    return h * h * sum5 * sum5 / divisor;
  }

 private:
  [[gnu::always_inline]] static inline S square(const S& x) { return x * x; }

  // Not inlined: twelve copies in one function would keep the compiler busy for a minute and gain nothing.
  template <int I>
  [[gnu::noinline]] void stage(const Motion<S, T, Columns>& start, const S& t, const S& h) {
    const auto slope_of = [&](int j) -> const Vec3<S>& { return slopes_[j].state; };
    const Column<S> x = advanced<I>(start.state, h, slope_of);
    constexpr Scalar<S> c = dop853::nodes[I];
    const Field<S> f = field(system_, x, S(t + c * h));
    for (int i = 0; i < 3; ++i) slopes_[I].state[i] = f.vdot[i];
    if constexpr (Columns > 0) tangent_stage<I>(start, x.v, f, h);
  }

  template <int I>
  [[gnu::always_inline]] inline void tangent_stage(const Motion<S, T, Columns>& start, const Vec3<S>& v,
                                                   const Field<S>& f, const S& h) {
    const Jacobian<S> J = jacobian(system_, f.angle, f.inertia, v, f.vdot);
    for (int c = 0; c < Columns; ++c) {
      const auto slope_of = [&](int j) -> const Vec3<T>& { return slopes_[j].tangent[c]; };
      slopes_[I].tangent[c] = tangent_slope(f.inertia, J, advanced<I>(start.tangent[c], h, slope_of));
    }
  }

  [[gnu::noinline]] void finish(const Motion<S, T, Columns>& start, const S& h) {
    end_.state = advanced<dop853::solution>(start.state, h, [&](int j) -> const Vec3<S>& { return slopes_[j].state; });
    for (int c = 0; c < Columns; ++c)
      end_.tangent[c] = advanced<dop853::solution>(start.tangent[c], h,
                                                   [&](int j) -> const Vec3<T>& { return slopes_[j].tangent[c]; });
  }

  TriplePendulum<P> system_;
  StageSlopes<S, T, Columns> slopes_;
  Motion<S, T, Columns> end_;
};

}  // namespace peers
