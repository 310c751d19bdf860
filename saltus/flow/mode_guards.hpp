#pragma once

#include <vector>

#include "saltus/flow/flow_run.hpp"

namespace saltus {

/// Adds what is watched of a surface that has this value now: itself, or the multiples of the modulus next above and below.
void add_watch(const Watch& watch, std::size_t w, double value, std::vector<Guard>& guards);

/// Is `guard` the one whose instant the motion has just been through, as `arrived` says? A gap whose force has vanished, and a
/// switch whose weight has, count as the same.
bool was_met(const Guard& guard, const Guard& arrived);

}  // namespace saltus
