#pragma once

#include <optional>

#include "saltus/flow/contact_law.hpp"
#include "saltus/flow/settle.hpp"

namespace saltus {

/// Do contacts that seem to be struck at once follow each other, faster than gap and clock resolve, and how long will they? In a corner
/// impacts on one wall and the other may accumulate: rounds become shorter in a constant ratio or faster, those of two bodies between
/// which a third one is caught, or as quickly as the square of those before, while the speeds go down in a constant ratio only.
/// Of all that touch and move each other the last two impacts were then in turn with those of the one that is met, in a round shorter than the one before.
std::optional<double> left_of_rounds(const FlowPoint& point, const std::vector<char>& touching, const Trigger& trigger,
                                     double now);

/// Does an impact on contact i move contact j?
bool moves(const ContactValue& at, std::size_t i, std::size_t j);
/// Of those that touch, the ones that impacts on `struck` move, or on others that those move.
std::vector<char> joined_to(const ContactValue& at, const std::vector<char>& touching, std::vector<std::size_t> struck);

/// Infinitely many impacts that followed each other leave no speed, not even rounding of the first.
Jump stopped(const Jump& jump, const Mechanism& mechanism, double t, const Vector& x_minus, const Mode& mode,
             const std::vector<char>& touching);

}  // namespace saltus
