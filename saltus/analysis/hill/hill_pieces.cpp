#include "saltus/analysis/hill/hill_pieces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace saltus {
namespace {

constexpr double narrowest_piece = 0x1p-36;  // of the period
constexpr std::size_t most_pieces = 10'000;

/// Halves what is not seen.
class Cutter {
 public:
  Cutter(const HillBounds& bounds, std::span<const double> p, double period, HillPieces& pieces)
      : bounds_(bounds), p_(p), period_(period), pieces_(pieces) {}

  /// Adds the ends of the pieces in (from, to].
  void cut(const std::vector<double>& sides, double from, double to) {
    const double middle = 0.5 * (from + to);
    const bool full = pieces_.ends.size() > most_pieces;
    // A formula may have no value at a place where its function has one, as sin(t)/t: no bound knows that, but all around it does.
    const bool narrow = to - from < narrowest_piece * period_ || !(middle > from && middle < to);
    if (full || narrow || bounds_.is_seen(p_, sides, from, to, std::numbers::pi / period_)) {
      pieces_.complete = pieces_.complete && !full;
      pieces_.ends.push_back(to);
      return;
    }
    cut(sides, from, middle);
    cut(sides, middle, to);
  }

 private:
  const HillBounds& bounds_;
  std::span<const double> p_;
  double period_;
  HillPieces& pieces_;
};

}  // namespace

long HillPieces::steps(std::size_t piece, long count) const {
  const double part = (ends[piece + 1] - ends[piece]) / period();
  const long least = std::max(1L, static_cast<long>(std::ceil(part * static_cast<double>(fewest) - 1e-9)));
  return least * (count / fewest);
}

std::vector<double> apart(const std::vector<double>& instants, double start, double end) {
  const double shortest =
      16.0 * std::numeric_limits<double>::epsilon() * std::max({std::abs(start), std::abs(end), end - start});
  std::vector<double> kept;
  for (const double t : instants)
    if (t - (kept.empty() ? start : kept.back()) > shortest && end - t > shortest) kept.push_back(t);
  return kept;
}

HillPieces pieces_of(const HillBounds& bounds, std::span<const double> p, double start, double end) {
  const auto instants = bounds.switching_instants(p, start, end);
  std::vector<double> smooth = apart(instants.t, start, end);
  smooth.push_back(end);
  HillPieces pieces{{start}, instants.complete};
  Cutter cutter(bounds, p, end - start, pieces);
  for (const double to : smooth) {
    const double from = pieces.ends.back();
    if (bounds.may_hide()) cutter.cut(bounds.sides(p, 0.5 * (from + to)), from, to);
    else pieces.ends.push_back(to);
  }
  return pieces;
}

}  // namespace saltus
