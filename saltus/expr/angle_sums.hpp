#pragma once

#include "saltus/expr/polynomial.hpp"

namespace saltus {

/// Pairs of monomials as sines and cosines of sums of angles: cos a cos b − sin a sin b = cos(a + b), and so on.
Polynomial with_angle_sums(Graph& graph, Polynomial polynomial);
/// c − c cos² a as c sin² a.
Polynomial with_squared_sines(Graph& graph, Polynomial polynomial);

}  // namespace saltus
