#pragma once

#include <cstdint>
#include <vector>

#include "saltus/analysis/motions/lyapunov.hpp"
#include "saltus/analysis/motions/translations.hpp"

namespace saltus {

/// One attractor and the starts that reached it.
struct Attractor {
  std::size_t representative;         // the first of them
  std::vector<std::size_t> starts;
};

/// Groups motions that went to the same attractor, the most visited first. Periodic motions are the same when the points of
/// their sections are, equilibria when their states are; others when kind, impacts per time and all exponents agree within six
/// standard errors (so that irregular attractors which are mirror images of each other count as one). Motions that stopped
/// early belong to none. States are compared up to translations that change nothing.
std::vector<Attractor> distinct_attractors(const std::vector<LyapunovSpectrum>& spectra,
                                           const Translations& translations);

/// The given state, then count − 1 more around it: every component x_i is moved by a random number, uniform in
/// ±spread · scale_i, until no contact is penetrated. The same for the same seed on every machine. Fewer if the room is
/// so narrow that a thousand attempts in a row fail.
std::vector<Vector> random_states(const Kernels& kernels, const std::vector<double>& parameters, const Vector& x,
                                  std::size_t count, double spread, std::uint64_t seed, const Vector& scale);

/// Of each component: |x_i|, or its range on the motion from there if that is larger, looked at for 2,000 steps and no more than 20
/// forcing periods; 1 if it is zero and stays so.
Vector spread_scale(const Kernels& kernels, const FlowOptions& options, const std::vector<double>& parameters,
                    double period, const Vector& x);

}  // namespace saltus
