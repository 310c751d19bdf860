#pragma once

#include <string>

#include "saltus/driver/lyapunov.hpp"
#include "saltus/report/figure.hpp"
#include "saltus/result/json_text.hpp"
#include "saltus/result/result_file.hpp"

namespace saltus {

std::string to_text(const LyapunovResult& result);

/// exponents and standard_errors in the base asked for, exponents_natural, exponents_bits, trivial_zero, kaplan_yorke,
/// verdict, reason, period, frequencies, impacts_per_unit_time, sliding_fraction, sum_rule_residual; with several starts also
/// attractors [{starts, share, x, and the same}]; tangent_check {agreement, order, windows, left_out} if asked for.
Json to_json(const LyapunovResult& result);

/// One start: the exponents on the way over t, then the final ones over `exponent`. Several: state, exponents, verdict and
/// attractor over `start`. In the base asked for.
ResultFile result_file(const LyapunovResult& result);

/// Are there exponents, and was there time for them to converge?
bool is_drawable(const LyapunovResult& result);
/// The exponents on the way over t with a band of two standard errors, below them those that are small beside the others;
/// of several starts that of the first attractor.
Figure figure(const LyapunovResult& result);

}  // namespace saltus
