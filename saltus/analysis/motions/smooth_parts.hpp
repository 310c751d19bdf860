#pragma once

#include <functional>
#include <vector>

#include "saltus/numerics/chebyshev.hpp"

namespace saltus {

/// A part of a motion along which a quantity is smooth: a series to rounding.
struct SmoothPart {
  double length;  // of time
  const ChebyshevSeries& w;
  double error;  // of w, as its last terms and two values beside the places tell
};

/// Cuts pieces of a motion where its quantity bends or jumps, and in halves until each part is a series. Where the quantity has a
/// feature that its guards do not tell of, the halving goes on down to it; what remains is told as the error of the part.
class SmoothParts {
 public:
  /// The rows at θ = 0 … 1: the quantity, then its guards, innermost first: where one of them passes zero, the quantity and the
  /// guards behind it may bend or jump.
  using Rows = std::function<void(double theta, std::vector<double>& rows)>;
  using Sink = std::function<void(const SmoothPart&)>;
  /// How exactly the rows are known somewhere on the piece: what rounding of the state does to them. Asked only where it matters.
  using Rounding = std::function<std::vector<double>()>;

  explicit SmoothParts(std::size_t guards) : guards_(guards), sizes_(guards + 1, 0.0) {}

  /// A piece of so much time; `skipped` guards, which are zero all along it, cut nothing. The parts come in order.
  void cut(double length, const Rows& rows, const Rounding& rounding, const std::vector<char>& skipped,
           const Sink& sink);

 private:
  struct Piece;
  struct Part {
    double a, b;
    std::size_t first_guard = 0;
    int depth = 0;
    double parent_tail = 0.0;  // of the row that it was halved for; 0: for none
  };
  struct Samples {
    std::vector<ChebyshevSeries> series;  // of each row
    std::vector<double> misfit;  // at places beside those of the series
  };

  void cut(Piece& piece, const Part& part);
  Samples samples(const Piece& piece, const Part& part);
  bool is_resolved(Piece& piece, const Samples& at, std::size_t row, const Part& part) const;
  double error_of(Piece& piece, const Samples& at, std::size_t row, const Part& part) const;
  void halve(Piece& piece, const Part& part, std::size_t guard, double tail);

  std::size_t guards_;
  std::vector<double> sizes_;  // of the rows, over all that was seen
};

}  // namespace saltus
