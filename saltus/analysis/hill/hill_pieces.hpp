#pragma once

#include <span>
#include <vector>

#include "saltus/analysis/hill/hill_bounds.hpp"

namespace saltus {

/// A period in pieces on each of which g is smooth and hides nothing from the nodes of a step.
struct HillPieces {
  std::vector<double> ends;  // start, switching instants and cuts, end
  bool complete = true;      // no instant is missing, and every piece was made short enough

  double period() const { return ends.back() - ends.front(); }
  /// Of a period that is divided into about `count`, a power of two times `fewest`: each piece is halved as often as the whole, so that a
  /// finer computation says something of every piece.
  long steps(std::size_t piece, long count) const;

  static constexpr long fewest = 4;
};

/// The instants that are so far apart that steps between them have room for nodes.
std::vector<double> apart(const std::vector<double>& instants, double start, double end);

/// Cut at the switching instants, and where g has features that are narrow beside the period, around them.
HillPieces pieces_of(const HillBounds& bounds, std::span<const double> p, double start, double end);

}  // namespace saltus
