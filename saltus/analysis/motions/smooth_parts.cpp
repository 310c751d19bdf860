#include "saltus/analysis/motions/smooth_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace saltus {
namespace {

constexpr double resolution = 1e-12;  // the last terms of a series, relative to its size
constexpr double small_share =
    1e-3;  // a part in which the row is smaller than this share of its size elsewhere need not tell more digits
constexpr double noise_share =
    1e-7;        // last terms below this that halving does not lessen are rounding of the row itself
constexpr int deepest = 44;
constexpr int first_doubt = 3;  // halvings after which rounding is looked at
constexpr int most_parts = 400;                               // of one piece
constexpr std::array<double, 2> beside = {-0.3711, 0.5923};  // between places of the series

}  // namespace

struct SmoothParts::Piece {
  double length;
  const Rows& rows;
  const Rounding& rounding;
  const std::vector<char>& skipped;
  const Sink& sink;
  int parts = 0;
  std::optional<std::vector<double>> known_to = {};  // the rows
};

void SmoothParts::cut(double length, const Rows& rows, const Rounding& rounding, const std::vector<char>& skipped,
                      const Sink& sink) {
  Piece piece{length, rows, rounding, skipped, sink};
  cut(piece, {0.0, 1.0});
}

SmoothParts::Samples SmoothParts::samples(const Piece& piece, const Part& part) {
  constexpr std::size_t count = ChebyshevSeries::count;
  std::vector<ChebyshevSeries::Values> values(guards_ + 1);
  std::vector<double> rows(guards_ + 1);
  const auto look = [&](double s) { piece.rows(part.a + 0.5 * (s + 1.0) * (part.b - part.a), rows); };
  for (std::size_t j = 0; j < count; ++j) {
    look(ChebyshevSeries::places()[j]);
    for (std::size_t r = 0; r <= guards_; ++r) {
      values[r][j] = rows[r];
      sizes_[r] = std::max(sizes_[r], std::abs(rows[r]));
    }
  }
  Samples at;
  at.misfit.assign(guards_ + 1, 0.0);
  for (const auto& each : values) at.series.emplace_back(each);
  for (const double s : beside) {
    look(s);
    for (std::size_t r = 0; r <= guards_; ++r)
      at.misfit[r] = std::max(at.misfit[r], std::abs(rows[r] - at.series[r](s)));
  }
  return at;
}

/// What the series misses, but for rounding of the row itself. That is asked for after some halvings.
double SmoothParts::error_of(Piece& piece, const Samples& at, std::size_t row, const Part& part) const {
  const double tail = std::max(at.series[row].tail(), 0.1 * at.misfit[row]);
  if (part.depth < first_doubt || !(tail > 0.0)) return tail;
  if (!piece.known_to) piece.known_to = piece.rounding();
  return tail <= (*piece.known_to)[row] ? 0.0 : tail;
}

bool SmoothParts::is_resolved(Piece& piece, const Samples& at, std::size_t row, const Part& part) const {
  const double error = error_of(piece, at, row, part);
  const double size = std::max(at.series[row].size(), small_share * sizes_[row]);
  if (!std::isfinite(error) || !std::isfinite(size)) return true;  // no halving makes it a number
  if (error <= resolution * size) return true;
  const std::size_t halved_for = part.first_guard < guards_ ? part.first_guard + 1 : 0;
  return row == halved_for && part.parent_tail > 0.0 && error > 0.3 * part.parent_tail && error <= noise_share * size;
}

void SmoothParts::halve(Piece& piece, const Part& part, std::size_t guard, double tail) {
  const double middle = 0.5 * (part.a + part.b);
  cut(piece, {part.a, middle, guard, part.depth + 1, tail});
  cut(piece, {middle, part.b, guard, part.depth + 1, tail});
}

void SmoothParts::cut(Piece& piece, const Part& part) {
  ++piece.parts;
  const bool last = part.depth >= deepest || piece.parts >= most_parts;
  const Samples at = samples(piece, part);
  for (std::size_t g = part.first_guard; g < guards_; ++g) {
    const ChebyshevSeries& guard = at.series[g + 1];
    if (piece.skipped[g] || guard.size() == 0.0) continue;
    if (!is_resolved(piece, at, g + 1, part) && !last)
      return halve(piece, part, g, std::max(guard.tail(), 0.1 * at.misfit[g + 1]));
    const bool is_zero = piece.known_to && guard.size() <= (*piece.known_to)[g + 1];
    const std::vector<double> zeros = is_zero || last ? std::vector<double>() : guard.zeros();
    if (zeros.empty()) continue;
    double begin = part.a;
    for (std::size_t i = 0; i <= zeros.size(); ++i) {
      const double end = i < zeros.size() ? part.a + 0.5 * (zeros[i] + 1.0) * (part.b - part.a) : part.b;
      if (end > begin) cut(piece, {begin, end, g + 1, part.depth + 1});
      begin = end;
    }
    return;
  }
  const bool resolved = is_resolved(piece, at, 0, part);
  if (!resolved && !last) return halve(piece, part, guards_, std::max(at.series[0].tail(), 0.1 * at.misfit[0]));
  const double length = piece.length * (part.b - part.a);
  if (resolved || part.depth < deepest) return piece.sink({length, at.series[0], error_of(piece, at, 0, part)});
  // All that is left is the instant of a jump: w on both sides of it.
  for (const double side : {-1.0, 1.0}) {
    ChebyshevSeries::Values constant{};
    constant.fill(at.series[0](side * ChebyshevSeries::places().back()));
    piece.sink({0.5 * length, ChebyshevSeries(constant), 0.0});
  }
}

}  // namespace saltus
