// QR of six tangent columns in lanes.
#pragma once

#include <array>

#include "triple_pendulum.hpp"

namespace peers {

template <class S>
using Columns6 = std::array<Column<S>, 6>;

template <class S>
[[gnu::always_inline]] inline S inner(const Column<S>& a, const Column<S>& b) {
  return dot(a.q, b.q) + dot(a.v, b.v);
}

/// a + factor b
template <class S>
[[gnu::always_inline]] inline void add_multiple(Column<S>& a, const S& factor, const Column<S>& b) {
  for (int i = 0; i < 3; ++i) {
    a.q[i] = a.q[i] + factor * b.q[i];
    a.v[i] = a.v[i] + factor * b.v[i];
  }
}

template <class S>
[[gnu::always_inline]] inline void scale(Column<S>& a, const S& factor) {
  for (int i = 0; i < 3; ++i) a.q[i] = a.q[i] * factor, a.v[i] = a.v[i] * factor;
}

/// Replaces X = QR by Q (modified Gram-Schmidt) and returns the diagonal of R.
template <class S>
std::array<S, 6> orthonormalise(Columns6<S>& X) {
  std::array<S, 6> r;
  for (int k = 0; k < 6; ++k) {
    r[k] = sqrt(inner(X[k], X[k]));
    scale(X[k], S(1 / r[k]));
    for (int j = k + 1; j < 6; ++j) add_multiple(X[j], S(-inner(X[k], X[j])), X[k]);
  }
  return r;
}

}  // namespace peers
