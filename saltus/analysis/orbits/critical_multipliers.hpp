#pragma once

#include <complex>
#include <optional>
#include <vector>

namespace saltus {

using Multipliers = std::vector<std::complex<double>>;

/// Whether one of them is `wanted`, 1 or −1, to what large ones leave of it.
bool has_multiplier(const Multipliers& multipliers, double wanted);

/// How many of them are `wanted` together, where a point was located by them.
std::size_t count_of_multiplier(const Multipliers& multipliers, double wanted);

/// The real one nearest to a value.
std::optional<double> real_near(const Multipliers& multipliers, double wanted);

/// How many are real and beyond `wanted`, 1 or −1, seen from 0: it changes by one where one of them passes it.
std::size_t count_beyond(double wanted, const Multipliers& multipliers);

/// The complex pair nearest to the unit circle, if it lies on it: its member with the positive imaginary part.
std::optional<std::complex<double>> unit_pair(const Multipliers& multipliers);

/// Where Π (1 − μᵢμⱼ) vanishes: a pair on the unit circle, or two that are 1 or −1 together. Else two real ones have the product 1, which means nothing.
bool product_is_critical(const Multipliers& multipliers);

}  // namespace saltus
