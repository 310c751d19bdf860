#pragma once

#include <vector>

#include "saltus/flow/flow_run.hpp"
#include "saltus/flow/guard.hpp"

namespace saltus {

/// What is watched in a mode: the gap of an open contact, the force of a closed one, the side of a switch, both weights of one
/// that is slid along, the hull of the sides where several hold the motion.
std::vector<Guard> guards_of(const Mode& mode);

/// Adds what is watched of a surface that has this value now: itself, or the multiples of the modulus next above and below.
void add_watch(const Watch& watch, std::size_t w, double value, std::vector<Guard>& guards);

/// Is `guard` the one whose instant the motion has just been through, as `arrived` says? A gap whose force has vanished, and a
/// switch whose weight has, count as the same.
bool was_met(const Guard& guard, const Guard& arrived);

}  // namespace saltus
