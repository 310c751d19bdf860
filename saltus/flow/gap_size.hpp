#pragma once

#include <vector>

#include "saltus/flow/mechanism.hpp"

namespace saltus {

/// What the rounding of gap i is relative to, in the unit of that gap: the terms nₖ qₖ that it is the sum of, and what it changes by
/// over the pace at the speeds nₖ vₖ and h_t that its rate is the sum of, or at its fastest impact so far (`fastest` per contact, or none).
double gap_size(const ContactValue& at, const Vector& x, std::size_t i, const std::vector<double>& fastest,
                double pace);

/// The fastest impact so far, of whatever contact, in the unit of gap i: impulses of equal energy change γᵢ by √Gᵢᵢ.
double fastest_impact(const ContactValue& at, std::size_t i, const std::vector<double>& fastest);

}  // namespace saltus
