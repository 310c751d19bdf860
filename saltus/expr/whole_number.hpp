#pragma once

#include <optional>

#include "saltus/expr/expr.hpp"

namespace saltus {

/// ⌊u⌋ in a simpler form, if there is one: ⌊u + 3⌋ = ⌊u⌋ + 3, ⌊⌊u⌋⌋ = ⌊u⌋,
/// ⌊⌊u⌋/2⌋ = ⌊u/2⌋, ⌊(⌊u⌋ + 1)/2⌋ = ⌊(u + 1)/2⌋.
std::optional<Expr> simpler_floor(Expr u);

/// A sum of whole numbers and whole multiples of ⌊…⌋.
bool is_whole_number(Expr e);

/// ⌊u⌋
Expr floor(Expr u);
/// ⌈u⌉ = −⌊−u⌋
Expr ceiling(Expr u);
/// ⌊u + ½⌋: halves are rounded up.
Expr rounded(Expr u);
/// a − b ⌊a/b⌋: what is left of a, from 0 up to b (down to it, if b is negative).
Expr remainder(Expr a, Expr b);

}  // namespace saltus
