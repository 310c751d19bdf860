#include "saltus/flow/time_basis.hpp"

#include <algorithm>
#include <cmath>

namespace saltus {

void TimeBasis::include(const AffineValue& value) {
  for (const TimeTerm& term : value.terms) {
    auto block = std::find_if(blocks_.begin(), blocks_.end(),
                              [&](const Block& b) { return std::abs(b.w - term.w) <= 1e-14 * term.w; });
    if (block == blocks_.end()) block = blocks_.insert(blocks_.end(), {term.w, 0});
    block->highest = std::max(block->highest, term.power);
  }
}

std::size_t TimeBasis::size() const {
  std::size_t size = 0;
  for (const Block& block : blocks_) size += static_cast<std::size_t>(block.highest + 1) * (block.w > 0.0 ? 2 : 1);
  return size;
}

double TimeBasis::fastest() const {
  double fastest = 0.0;
  for (const Block& block : blocks_) fastest = std::max(fastest, block.w);
  return fastest;
}

bool TimeBasis::has_powers() const {
  return std::any_of(blocks_.begin(), blocks_.end(), [](const Block& block) { return block.highest > 0; });
}

void TimeBasis::values(double t, double* u) const {
  for (const Block& block : blocks_) {
    double power = 1.0;
    if (block.w > 0.0) {
      const double cosine = std::cos(block.w * t);
      const double sine = std::sin(block.w * t);
      for (int j = 0; j <= block.highest; ++j, power *= t / j) {
        *u++ = power * cosine;
        *u++ = power * sine;
      }
    } else {
      for (int j = 0; j <= block.highest; ++j, power *= t / j) *u++ = power;
    }
  }
}

void TimeBasis::derivative(const double* u, double* out) const {
  for (const Block& block : blocks_) {
    if (block.w > 0.0) {
      for (int j = 0; j <= block.highest; ++j, u += 2, out += 2) {
        out[0] = (j > 0 ? u[-2] : 0.0) - block.w * u[1];
        out[1] = (j > 0 ? u[-1] : 0.0) + block.w * u[0];
      }
    } else {
      for (int j = 0; j <= block.highest; ++j, ++u, ++out) *out = j > 0 ? u[-1] : 0.0;
    }
  }
}

std::vector<double> TimeBasis::row_of(const AffineValue& value) const {
  std::vector<double> row(size(), 0.0);
  row[0] = value.constant;
  for (const TimeTerm& term : value.terms) {
    std::size_t first = 0;
    for (const Block& block : blocks_) {
      const std::size_t width = block.w > 0.0 ? 2 : 1;
      if (std::abs(block.w - term.w) <= 1e-14 * term.w) {
        const std::size_t at = first + width * static_cast<std::size_t>(term.power);
        const double factorial = std::tgamma(term.power + 1.0);
        row[at] += factorial * term.cosine;
        if (width == 2) row[at + 1] += factorial * term.sine;
        break;
      }
      first += width * static_cast<std::size_t>(block.highest + 1);
    }
  }
  return row;
}

}  // namespace saltus
