#pragma once

#include <string>

#include "saltus/driver/hill.hpp"
#include "saltus/report/figure.hpp"
#include "saltus/result/json_text.hpp"
#include "saltus/result/result_file.hpp"

namespace saltus {

std::string to_text(const HillResult& result);

/// Why averaging gives no number.
std::string averaging_words(const HillAveraging& averaging);

/// One point: discriminant, zeros, multiplier (λ₁ where it is real, else its modulus 1), multipliers [{re, im, abs}], m1,
/// critical_restitution, impacts_per_period, verdict, growth_per_period, map {A1, A2, theta_c, directions}, approximations
/// {averaging, hill_determinant, second_order, extrapolated}, verification. Chart: axes [{name, values}] and rows of discriminant,
/// zeros, m1, impacts_per_period, critical_restitution, one row per value of the second parameter.
Json to_json(const HillResult& result);

/// One point: y₁, y₂ and their rates over a period. Chart: everything over the two parameters.
ResultFile result_file(const HillResult& result);

/// One point: the two solutions over a period with the zeros of y₂, and a motion against the stop. Chart: ε_c in colour where the
/// equation is unstable without the stop, grey elsewhere, level curves, the number m₁ of each domain; with approximations
/// the level curves of all of them (Leine 2012, Fig. 7).
Figure figure(const HillResult& result);

}  // namespace saltus
