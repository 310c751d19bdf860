#include "saltus/flow/multiplier_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace saltus {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double rounding =
    64.0 * std::numeric_limits<double>::epsilon();  // of a sum of products, relative to its terms
constexpr MultiplierBounds::Bound unknown{{0.0, infinity}, {0.0, infinity}, infinity};

}  // namespace

MultiplierBounds::MultiplierBounds(const Layout& layout, std::size_t width)
    : at_(layout), width_(width), bounds_(at_.columns * MultiplierLoop::outputs * width) {
  forget();
}

void MultiplierBounds::forget() {
  for (std::size_t u = 0; u < at_.columns; ++u)
    for (std::size_t l = 0; l < width_; ++l) write(u, l, unknown);
}

void MultiplierBounds::choose(const Mode& mode) {
  active_.clear();
  for (std::size_t i = 0; i < mode.contacts().size(); ++i)
    if (mode.is_closed(i)) active_.push_back(i);
  for (std::size_t k = 0; k < mode.switches().size(); ++k)
    if (mode.slides_alone(k)) active_.push_back(mode.contacts().size() + k);
}

void MultiplierBounds::write(std::size_t u, std::size_t l, const Bound& bound) {
  double* const at = bounds_.data() + u * MultiplierLoop::outputs * width_ + l;
  const double all[] = {bound.value.c, bound.value.r, bound.rate.c, bound.rate.r, bound.reach};
  for (std::size_t k = 0; k < MultiplierLoop::outputs; ++k) at[k * width_] = all[k];
}

void MultiplierBounds::solve_row(const double* entries) {
  if (!loop_) {
    loop_ = multiplier_loop(at_.rows, static_cast<unsigned>(width_));
    streams_.resize(MultiplierLoop::inputs(at_));
  }
  const std::size_t u = active_.front();
  MultiplierLoop::point(at_, u, entries, width_, streams_.data());
  std::array<double*, MultiplierLoop::outputs> out{};
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = bounds_.data() + (u * out.size() + k) * width_;
  loop_(streams_.data(), nullptr, out.data(), nullptr, 1);
}

void MultiplierBounds::solve_lane(const double* entries, std::size_t l) {
  entries_ = entries + l;
  lane_bounds_.assign(active_.size(), unknown);
  if (!active_.empty() && invert()) combine();
  for (std::size_t i = 0; i < active_.size(); ++i) write(active_[i], l, lane_bounds_[i]);
}

/// D = (PᵀP)⁻¹ Pᵀ of the columns, each of length 1, and E. False: they depend on each other, or the box is too wide.
bool MultiplierBounds::invert() {
  const std::size_t a = active_.size();
  const std::size_t rows = at_.rows;
  D_.assign(a * rows, 0.0);
  left_.assign(a * a, 0.0);
  E_.assign(a * a, 0.0);
  for (std::size_t i = 0; i < a; ++i) {
    double length = 0.0;
    for (std::size_t j = 0; j < rows; ++j) length = std::hypot(length, middle(at_.push(j, active_[i])));
    if (!(length > 0.0 && length < infinity)) return false;
    for (std::size_t j = 0; j < rows; ++j) D_[i * rows + j] = middle(at_.push(j, active_[i])) / length;
    for (std::size_t k = 0; k < a; ++k)
      for (std::size_t j = 0; j < rows; ++j) left_[i * a + k] += D_[i * rows + j] * middle(at_.push(j, active_[k]));
  }
  // Elimination; the matrix has the pivots of a positive definite one.
  for (std::size_t k = 0; k < a; ++k) {
    const double pivot = left_[k * a + k];
    if (!(std::abs(pivot) > 0.0)) return false;
    for (std::size_t i = 0; i < a; ++i) {
      if (i == k) continue;
      const double factor = left_[i * a + k] / pivot;
      if (factor == 0.0) continue;
      for (std::size_t j = k; j < a; ++j) left_[i * a + j] -= factor * left_[k * a + j];
      for (std::size_t j = 0; j < rows; ++j) D_[i * rows + j] -= factor * D_[k * rows + j];
    }
  }
  for (std::size_t i = 0; i < a; ++i)
    for (std::size_t j = 0; j < rows; ++j) D_[i * rows + j] /= left_[i * a + i];
  for (std::size_t i = 0; i < a; ++i) {
    for (std::size_t k = 0; k < a; ++k) {
      double off = i == k ? -1.0 : 0.0;
      double spread = 0.0;
      for (std::size_t j = 0; j < rows; ++j) {
        const double d = D_[i * rows + j];
        const double p = middle(at_.push(j, active_[k]));
        off += d * p;
        spread += std::abs(d) * (radius(at_.push(j, active_[k])) + rounding * std::abs(p));
      }
      E_[i * a + k] = std::abs(off) + spread;
      if (!(E_[i * a + k] < infinity)) return false;
    }
  }
  return true;
}

/// sizes ← an upper bound of what satisfies s ≤ sizes + E s. False: there is none.
bool MultiplierBounds::settle(std::vector<double>& sizes) {
  const std::size_t a = active_.size();
  const std::vector<double>& known = next_ = sizes;
  for (int count = 0; count < 30; ++count) {
    bool holds = true;
    for (std::size_t i = 0; i < a; ++i) {
      double sum = known[i];
      for (std::size_t k = 0; k < a; ++k) sum += E_[i * a + k] * sizes[k];
      if (!(sum < infinity)) return false;
      holds = holds && sum <= sizes[i];
      if (!(sum <= sizes[i])) sizes[i] = 1.01 * sum;
    }
    if (holds) return true;
  }
  return false;
}

/// Σⱼ D_ij of what the kernel wrote at entry(j).
template <class Entry>
MultiplierBounds::Box MultiplierBounds::by_rows(std::size_t i, const Entry& entry) const {
  Box sum{0.0, 0.0};
  for (std::size_t j = 0; j < at_.rows; ++j) {
    const double d = D_[i * at_.rows + j];
    if (d == 0.0) continue;
    const double c = middle(entry(j));
    sum.c += d * c;
    sum.r += std::abs(d) * (radius(entry(j)) + rounding * std::abs(c));
  }
  return sum;
}

/// By what D is not an inverse.
void MultiplierBounds::widen(Box& box, std::size_t i, const std::vector<double>& sizes) const {
  for (std::size_t k = 0; k < active_.size(); ++k) box.r += E_[i * active_.size() + k] * sizes[k];
  if (!std::isfinite(box.c)) box = {0.0, infinity};
}

/// Without c/G of a constraint, or of its rate.
void MultiplierBounds::without(Box& box, std::size_t i, std::size_t entry) const {
  const double G = middle(at_.response(active_[i]));
  if (!(std::abs(G) > 0.0 && std::abs(G) < infinity)) return;
  box.c -= middle(entry) / G;
  box.r += radius(entry) / std::abs(G);
}

bool MultiplierBounds::bound_values() {
  const std::size_t rows = at_.rows;
  sizes_.assign(active_.size(), 0.0);
  for (std::size_t i = 0; i < active_.size(); ++i) {
    Bound& it = lane_bounds_[i];
    it.value = by_rows(i, [&](std::size_t j) { return at_.residual(j); });
    sizes_[i] = std::abs(it.value.c) + it.value.r;
    it.reach = 0.0;
    for (std::size_t j = 0; j < rows; ++j)  // a row that D leaves out may be unknown
      if (D_[i * rows + j] != 0.0)
        it.reach += std::abs(D_[i * rows + j]) * (std::abs(middle(at_.reach(j))) + radius(at_.reach(j)));
  }
  const bool settled = settle(sizes_);
  for (std::size_t i = 0; i < active_.size(); ++i) {
    if (settled) widen(lane_bounds_[i].value, i, sizes_);
    else lane_bounds_[i].value.r = infinity;
  }
  return settled;
}

void MultiplierBounds::bound_rates() {
  const std::size_t a = active_.size();
  rate_sizes_.assign(a, 0.0);
  for (std::size_t i = 0; i < a; ++i) {
    Box rate = by_rows(i, [&](std::size_t j) { return at_.residual_rate(j); });
    for (std::size_t k = 0; k < a; ++k) {
      const Box turn = by_rows(i, [&](std::size_t j) { return at_.push_rate(j, active_[k]); });
      const Box& u = lane_bounds_[k].value;
      rate.c -= turn.c * u.c;
      rate.r += std::abs(turn.c) * u.r + turn.r * sizes_[k];
    }
    lane_bounds_[i].rate = rate;
    rate_sizes_[i] = std::abs(rate.c) + rate.r;
  }
  const bool settled = settle(rate_sizes_);
  for (std::size_t i = 0; i < a; ++i) {
    Box& rate = lane_bounds_[i].rate;
    if (settled) widen(rate, i, rate_sizes_);
    else rate.r = infinity;
  }
}

void MultiplierBounds::combine() {
  if (!bound_values()) return;
  bound_rates();
  for (std::size_t i = 0; i < active_.size(); ++i) {
    without(lane_bounds_[i].value, i, at_.constraint(active_[i]));
    without(lane_bounds_[i].rate, i, at_.constraint_rate(active_[i]));
  }
}

}  // namespace saltus
