// Field and six tangent columns of the hand-written pendulum in lanes, for comparison with eigen_field.hpp.
#pragma once

#include "gram_schmidt.hpp"
#include "triple_pendulum.hpp"

namespace peers {

template <class S>
struct FieldSlopes {
  Vec3<S> vdot;
  std::array<Vec3<S>, 6> columns;  // the lower halves of Ẋ; the upper ones are δv
};

template <class P, class S>
[[gnu::noinline]] void field_with_tangent(const TriplePendulum<P>& system, const Column<S>& x, const Columns6<S>& X,
                                          const S& t, FieldSlopes<S>& slopes) {
  const Field<S> f = field(system, x, t);
  const Jacobian<S> J = jacobian(system, f.angle, f.inertia, x.v, f.vdot);
  for (int i = 0; i < 3; ++i) slopes.vdot[i] = f.vdot[i];
  for (int c = 0; c < 6; ++c) {
    const Vec3<S> slope = tangent_slope(f.inertia, J, X[c]);
    for (int i = 0; i < 3; ++i) slopes.columns[c][i] = slope[i];
  }
}

}  // namespace peers
