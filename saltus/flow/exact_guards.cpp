#include "saltus/flow/exact_guards.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "saltus/flow/crossing.hpp"
#include "saltus/numerics/polynomial_roots.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

/// The cubic through the ends stays further from zero than it can be from the function.
bool is_clear(const GuardEnds& at, double h, double doubt) {
  const double third = h * (1.0 / 3.0);
  const double b1 = at.value + third * at.rate;
  const double b2 = at.value_new - third * at.rate_new;
  const double lowest = std::min(std::min(at.value, at.value_new), std::min(b1, b2));
  const double highest = std::max(std::max(at.value, at.value_new), std::max(b1, b2));
  return std::max(lowest, -highest) > doubt;
}

/// No minimum of a function can lie below it where the cubic through the ends turns; infinite where it does not turn.
double lowest_minimum(const GuardEnds& at, double h, double doubt) {
  const double third = h * (1.0 / 3.0);
  const double b1 = at.value + third * at.rate;
  const double b2 = at.value_new - third * at.rate_new;
  const double steepest = std::max(std::max(b1 - at.value, b2 - b1), at.value_new - b2);
  const double flattest = std::min(std::min(b1 - at.value, b2 - b1), at.value_new - b2);
  // Its slope is three times these differences; the function's is off by no more than 3.1 doubts.
  if (flattest > 1.04 * doubt || steepest < -1.04 * doubt) return std::numeric_limits<double>::infinity();
  return std::min(std::min(at.value, at.value_new), std::min(b1, b2)) - doubt;
}

/// The same of the polynomial Σ c_k θᵏ on [0, end]: pieces on which its slope may vanish, by the powers about their middles. Of one
/// that begins at zero, perhaps at rest, the beginning is not meant.
double lowest_minimum(std::span<const double> c, double end, bool begins_at_zero) {
  constexpr int parts = 64;
  constexpr double w = 0.5 / parts;
  double lowest = std::numeric_limits<double>::infinity();
  std::array<double, highest_degree + 2> shifted{};
  for (int part = begins_at_zero ? 1 : 0; part < parts && part < parts * end; ++part) {
    const double m = (2.0 * part + 1.0) * w;
    std::copy(c.begin(), c.end(), shifted.begin());
    for (std::size_t k = 0; k + 1 < c.size(); ++k)
      for (std::size_t j = c.size() - 1; j-- > k;) shifted[j] += m * shifted[j + 1];
    double spread = 0.0;
    double slopes = 0.0;
    double power = w;
    for (std::size_t k = 1; k < c.size(); ++k, power *= w) {
      spread += power * std::abs(shifted[k]);
      if (k >= 2) slopes += static_cast<double>(k) * (power / w) * std::abs(shifted[k]);
    }
    if (std::abs(shifted[1]) <= slopes) lowest = std::min(lowest, shifted[0] - spread);
  }
  return lowest;
}

/// The same up to θ: by the left half of the cubic that is split there.
bool is_clear_until(double theta, const GuardEnds& at, double h, double doubt) {
  const double third = h * (1.0 / 3.0);
  const double b1 = at.value + third * at.rate;
  const double b2 = at.value_new - third * at.rate_new;
  const auto between = [theta](double a, double b) { return a + theta * (b - a); };
  const double c1 = between(at.value, b1);
  const double middle = between(b1, b2);
  const double c2 = between(c1, middle);
  const double c3 = between(c2, between(middle, between(b2, at.value_new)));
  return std::min(std::min(at.value, c1), std::min(c2, c3)) > doubt;
}

/// A guard that is zero at the beginning rises and stays above: the cubic over θ, a parabola, is further above zero than the
/// cubic's error θ² (1 − θ)² · 16 doubt can take it.
bool leaves(const GuardEnds& at, double h, double doubt) {
  const double c1 = h * at.rate;
  const double middle = 0.5 * (3.0 * at.value_new - h * at.rate_new);  // c₁ + c₂/2
  return std::min({c1, middle, at.value_new}) > 2.5 * doubt + 1e-12 * std::abs(c1);
}

/// A term of a polynomial this small beside those behind it is rounding: it rules for no more than this part of the step.
constexpr double part_without_sign = 1e-13;

double largest(std::span<const double> terms) {
  double size = 0.0;
  for (const double term : terms) size = std::max(size, std::abs(term));
  return size;
}

/// |x|ₛ of the mode.
double weighted_size(const ExactMode& mode, const double* x) {
  double size = 0.0;
  for (std::size_t i = 0; i < mode.N; ++i) size = std::max(size, mode.weight[i] * std::abs(x[i]));
  return size;
}

}  // namespace

double ExactGuards::size_of(const std::vector<ExactRow::Term>& terms, const double* z) {
  double sum = 0.0;
  for (const auto& [i, c] : terms) sum += std::abs(c * z[i]);
  return sum;
}

// ---- which they are -------------------------------------------------------------------------------------------------

void ExactGuards::watch(ExactStep& step, double phase) {
  watched_.clear();
  for (std::size_t w = 0; w < watches_.size(); ++w) {
    if (kept_[w]) continue;
    const double value = watches_[w].modulo > 0.0 ? surface_value(step, phase, watches_[w].surface, 0.0) : 0.0;
    add_watch(watches_[w], w, value, watched_);
  }
  known_ = false;
}

// ---- at first sight: by the ends of the step ----------------------------------------------------------------------------

/// Values and rates of all guards, those of the mode in front.
void ExactGuards::look(const ExactStep& step, const double* z, std::vector<double>& ends) const {
  const ExactMode& mode = step.mode();
  ends.resize(8 * mode.guard_quads + 2 * watched_.size());
  step.arithmetic().series(mode.guard_ends.data(), z, mode.M(), 2 * mode.guard_quads, ends.data());
  double* next = ends.data() + 8 * mode.guard_quads;
  for (const Guard& guard : watched_) {
    const ExactRow& row = mode.row_of(guard, layout_);
    *next++ = row.affine ? guard.sign * (value_of(row, z) - guard.offset) : 0.0;
    *next++ = row.affine ? guard.sign * rate_of(row, z) : 0.0;
  }
}

std::optional<ExactGuards::Meeting> ExactGuards::first_meeting(ExactStep& step, double phase) {
  const ExactMode& mode = step.mode();
  if (!watches_.empty()) watch(step, phase);
  if (!known_) look(step, step.start(), begin_);
  known_ = true;
  look(step, step.end(), end_);
  misses_.clear();
  suspects_.clear();
  first_.reset();
  const double size = weighted_size(mode, step.start());
  const std::size_t quads = mode.guard_quads;
  for (std::size_t g = 0; g < mode.guards.size(); ++g)
    suspect(step.length(), mode.guards[g], {begin_[g], begin_[4 * quads + g], end_[g], end_[4 * quads + g]},
            mode.guard_errors[g].by_x * size + mode.guard_errors[g].by_u);
  for (std::size_t g = 0; g < watched_.size(); ++g) {
    const std::size_t at = 8 * quads + 2 * g;
    const ExactRow& row = mode.row_of(watched_[g], layout_);
    if (row.affine)
      suspect(step.length(), watched_[g], {begin_[at], begin_[at + 1], end_[at], end_[at + 1]},
              row.error.by_x * size + row.error.by_u);
    else keep_first(watched_[g], first_curved_zero(step, phase, watched_[g]));
  }
  // What seems to fall first is looked at first: that much less is left of the step for the others.
  if (suspects_.size() > 1) {
    const auto sooner = [](const Suspect& a, const Suspect& b) { return a.guess < b.guess; };
    std::iter_swap(suspects_.begin(), std::min_element(suspects_.begin(), suspects_.end(), sooner));
  }
  for (const Suspect& it : suspects_) consider(step, it);
  if (layout_.contacts > 0) note_lowest(step, size);
  return first_;
}

/// Keeps a linear guard for a closer look unless its ends say that it stays clear of zero.
void ExactGuards::suspect(double length, const Guard& guard, const GuardEnds& ends, double doubt) {
  if (functions_.has(guard)) return;
  const bool handled = is_handled(guard);
  if (handled ? leaves(ends, length, doubt) : is_clear(ends, length, doubt)) return;
  const double guess = ends.value_new < 0.0 ? ends.value / (ends.value - ends.value_new) : 1.0;
  suspects_.push_back({&guard, ends, doubt, guess, handled});
}

void ExactGuards::consider(const ExactStep& step, const Suspect& it) {
  const double length = step.length();
  if (first_ &&
      (first_->tau == 0.0 || (!it.handled && is_clear_until(first_->tau / length, it.ends, length, it.doubt))))
    return;
  const Guard& guard = *it.guard;
  const ExactRow& row = step.mode().row_of(guard, layout_);
  fill_polynomial(step, row, guard);
  // The force between bodies that move alike without pressing is rounding of its terms, and so are its zeros.
  if (guard.kind == Guard::Kind::force &&
      size_of_terms() <= 1e-13 * (size_of(row.value, step.start()) + length * size_of(row.rate, step.start())))
    return;
  // Where switches accumulate their functions become as small as they like: only what they change by tells what is zero.
  const double known = guard.kind == Guard::Kind::switched ? 0.0 : size_of(row.value, step.start());
  // Where blocks share a load the weight that has met its limit may be anything behind the instant.
  const bool elsewhere = guard.is_multiplier() && std::abs(polynomial_[0]) > 1e-6 * (known + std::abs(guard.offset));
  const bool handled = it.handled && !elsewhere;
  const double speed = handled ? 1e-14 * length * size_of(row.rate, step.start()) : 0.0;
  const auto tau = first_zero(length, guard, handled, known, speed);
  keep_first(guard, tau);
  const bool turns = it.ends.rate < 0.0 && it.ends.rate_new >= 0.0;
  if (guard.kind == Guard::Kind::gap && turns && !tau) note_miss(guard, length, known);
}

/// Minima of the gaps before the first meeting, closer ones only where they would be the lowest.
void ExactGuards::note_lowest(const ExactStep& step, double size) {
  const ExactMode& mode = step.mode();
  const double end = first_ ? first_->tau / step.length() : 1.0;
  for (std::size_t g = 0; g < mode.guards.size(); ++g) {
    const Guard& guard = mode.guards[g];
    if (guard.kind != Guard::Kind::gap || functions_.has(guard)) continue;
    const std::size_t rates = 4 * mode.guard_quads + g;
    const GuardEnds ends{begin_[g], begin_[rates], end_[g], end_[rates]};
    double& lowest = lowest_minima_[guard.index];
    if (lowest_minimum(ends, step.length(), mode.guard_errors[g].by_x * size + mode.guard_errors[g].by_u) >= lowest)
      continue;
    fill_polynomial(step, mode.row_of(guard, layout_), guard);
    const std::span<const double> polynomial(polynomial_.data(), terms_);
    lowest = std::min(lowest, lowest_minimum(polynomial, end, is_handled(guard)));
  }
}

void ExactGuards::keep_first(const Guard& guard, std::optional<double> tau) {
  if (tau && (!first_ || *tau < first_->tau)) first_ = Meeting{guard, *tau};
}

// ---- inside: on the polynomial ---------------------------------------------------------------------------------------------

/// The first fall of a linear guard inside the step, if it comes before the first one known: on its Taylor polynomial in
/// θ = τ/length. `known`: the sum of the sizes of its terms at the beginning; `still`: a change over the step that is rounding of its rate.
std::optional<double> ExactGuards::first_zero(double length, const Guard& guard, bool handled, double known,
                                              double still) const {
  const std::span<const double> polynomial(polynomial_.data(), terms_);
  const double size = size_of_terms();
  if (size == 0.0) return std::nullopt;
  const double tiny = 1e-14 * (known + std::abs(guard.offset) + size);
  // On the other side already, by rounding, and on its way, but for a speed that is rounding itself: it is passed here.
  if (guard.kind == Guard::Kind::switched && !handled && polynomial[0] <= 0.0 &&
      -polynomial[1] > part_without_sign * largest(polynomial.subspan(2)))
    return 0.0;
  std::size_t skip = 0;
  if (handled || std::abs(polynomial[0]) <= tiny) {
    const bool falling = polynomial[1] < 0.0 && std::abs(polynomial[1]) > tiny;
    if (!handled && falling) {
      if (guard.kind == Guard::Kind::surface && polynomial[0] <= 0.0) return std::nullopt;
      if (guard.kind != Guard::Kind::surface && polynomial[0] <= 0.0) return 0.0;
    } else {
      const double bent = std::abs(polynomial[2]);
      skip = std::abs(polynomial[1]) > std::max(1e-10 * (bent + (handled ? 0.0 : tiny)), still) ? 1 : 2;
      // Behind a release gap, rate and acceleration are zero, each to its rounding: the next derivative decides.
      const double left = std::max(std::abs(polynomial[1]), bent);
      if (handled && arrived_->kind == Guard::Kind::force && left < 1e-9 * std::abs(polynomial[3])) skip = 3;
    }
  }
  // Of what is zero at first, terms that are rounding of those behind them have no sign: the first that has one decides.
  if (skip > 0)
    while (skip + 1 < terms_ && std::abs(polynomial[skip]) <= part_without_sign * largest(polynomial.subspan(skip + 1)))
      ++skip;
  const std::span<const double> rest = polynomial.subspan(skip);
  if (skip > 0 && rest[0] < 0.0 && guard.kind == Guard::Kind::gap) {
    const bool presses = polynomial_value(polynomial, 1.0) < -tiny || skip == 1;
    if (presses) return 0.0;  // let go and pressed at once: it stays closed
  }
  if (skip > 0 && rest[0] < 0.0 && guard.is_multiplier()) return 0.0;
  const auto theta = first_fall(rest, first_ ? first_->tau / length : 1.0);
  if (!theta) return std::nullopt;
  return *theta * length;
}

/// max |c_k|, in four strands.
double ExactGuards::size_of_terms() const {
  std::array<double, 4> sizes{};
  for (std::size_t k = 0; k < terms_; k += 4)
    for (std::size_t i = 0; i < 4; ++i) sizes[i] = std::max(sizes[i], std::abs(polynomial_[k + i]));
  return std::max(std::max(sizes[0], sizes[1]), std::max(sizes[2], sizes[3]));
}

/// Behind the last term up to the next multiple of four it is filled with zeros.
void ExactGuards::fill_polynomial(const ExactStep& step, const ExactRow& row, const Guard& guard) {
  const ExactMode& mode = step.mode();
  step.arithmetic().series(row.series.data(), step.start(), mode.M(), mode.quads, polynomial_.data());
  terms_ = static_cast<std::size_t>(mode.degree) + 1;
  polynomial_[0] -= guard.offset;
  if (step.length() == mode.unit) {
    if (guard.sign < 0.0)
      for (std::size_t k = 0; k < terms_; ++k) polynomial_[k] = -polynomial_[k];
    return;
  }
  const double ratio = step.length() / mode.unit;
  double factor = guard.sign;
  for (std::size_t k = 0; k < terms_; ++k, factor *= ratio) polynomial_[k] *= factor;
}

void ExactGuards::note_miss(const Guard& guard, double length, double known) {
  const std::span<const double> polynomial(polynomial_.data(), terms_);
  if (const auto theta = first_minimum(polynomial))
    misses_.push_back(
        {guard.index, *theta * length, polynomial_value(polynomial, *theta), std::max(known, size_of_terms())});
}

double ExactGuards::time_of_zeros(const ExactStep& step) {
  const ExactMode& mode = step.mode();
  double shortest = std::numeric_limits<double>::infinity();
  for (const Guard& guard : mode.guards) {
    if (functions_.has(guard)) continue;
    const ExactRow& row = mode.row_of(guard, layout_);
    step.arithmetic().series(row.series.data(), step.start(), mode.M(), mode.quads, polynomial_.data());
    polynomial_[0] -= guard.offset;
    const std::size_t terms = static_cast<std::size_t>(mode.degree) + 1;
    std::size_t first = is_handled(guard) || std::abs(polynomial_[0]) <= 1e-14 * size_of(row.value, step.start());
    const double speed = 1e-14 * size_of(row.rate, step.start()) * mode.unit;
    while (first < terms && std::abs(polynomial_[first]) <= (first == 1 ? speed : 0.0)) ++first;
    for (std::size_t k = first + 1; k < terms; ++k) {
      if (polynomial_[k] == 0.0) continue;
      const double ratio = std::abs(polynomial_[first] / polynomial_[k]);
      const std::size_t order = k - first;
      const double time = order == 1   ? ratio
                          : order == 2 ? std::sqrt(ratio)
                                       : std::pow(ratio, 1.0 / static_cast<double>(order));
      shortest = std::min(shortest, time * mode.unit);
    }
  }
  return shortest;
}

// ---- surfaces that are not linear -------------------------------------------------------------------------------------------

/// A surface, τ into the step: if it is not linear, by the compiled function.
double ExactGuards::surface_value(ExactStep& step, double phase, std::size_t surface, double tau) const {
  const ExactRow& row = step.mode().events[layout_.contacts + layout_.switches + surface];
  if (tau == 0.0 && row.affine) return value_of(row, step.start());
  const Index N = index(layout_.N());
  Vector x = Eigen::Map<const Vector>(step.x(), N);
  if (tau > 0.0) step.place(tau, x.data());
  const EventValue values = mechanism_.events(phase + tau, x, Vector::Zero(N));
  return values.value[index(layout_.contacts + layout_.switches + surface)];
}

/// The polynomial of the step, by powers of τ/length.
void ExactGuards::lay_curve(ExactStep& step, double phase) {
  if (!curve_) curve_.emplace(mechanism_.kernels(), 1);
  const std::vector<double> mode = mode_inputs(step.mode().mode);
  curve_->set(phase, step.length(), mechanism_.parameters(), mode.data(), 1);
  const TaylorPath& path = step.path();
  std::vector<double>& coefficients = curve_->coefficients(path.degree);
  const std::size_t N = layout_.N();
  double power = 1.0;
  for (std::size_t k = 0; k <= static_cast<std::size_t>(path.degree); ++k, power *= step.length())
    for (std::size_t i = 0; i < N; ++i) coefficients[k * N + i] = power * path.x[k * N + i];
}

/// A surface on the curve of the step. The series is the motion but for rounding: the margin is no more.
Sought ExactGuards::sought(const Guard& guard, double length) {
  Sought it{layout_.contacts + layout_.switches + guard.index, guard.sign, guard.offset};
  constexpr double soon = 1e-3;  // of the step
  const std::array<Part, 3> ends = {{{0.0, 0.0}, {1.0, 1.0}, {soon, soon}}};
  std::vector<double> bounds;
  curve_->bound(ends, bounds);
  const CurveBounds::Row begin{bounds.data(), curve_->rows()};
  const CurveBounds::Row end{bounds.data() + curve_->size(), curve_->rows()};
  const double value = guard.sign * (begin.middle(0, it.row) - guard.offset);
  const double rate = guard.sign * begin.middle(1, it.row);
  const double later = CurveBounds::Row{bounds.data() + 2 * curve_->size(), curve_->rows()}.middle(0, it.row);
  const double moved = guard.sign * (later - guard.offset) - value;
  const double size = std::max(std::abs(value), std::abs(end.middle(0, it.row) - guard.offset));
  const bool here = std::abs(value) <= 1e-9 * (size + std::abs(guard.offset));
  // Where a slide along the surface has just ended the rate is rounding: what the surface changes by next tells its side.
  const bool rests = std::abs(rate) * soon * length <= 0.1 * std::abs(moved);
  if (is_handled(guard) || here) it.beginning = rests || rate == 0.0 ? Beginning::at_rest : Beginning::at_zero;
  const double heads = it.beginning == Beginning::away ? value : it.beginning == Beginning::at_rest ? moved : rate;
  it.side = heads < 0.0 ? -1 : 1;
  it.margin = 1e-14 * (size + std::abs(guard.offset));
  it.near = 10.0 * it.margin;
  return it;
}

/// Found by bounds on the step's polynomial, then located on the surface itself.
std::optional<double> ExactGuards::first_curved_zero(ExactStep& step, double phase, const Guard& guard) {
  const double length = step.length();
  const auto value = [&](double theta) {
    return guard.sign * (surface_value(step, phase, guard.index, theta * length) - guard.offset);
  };
  lay_curve(step, phase);
  const Sought it = sought(guard, length);
  constexpr int most_splits = 20000;  // many more than a surface that is written down needs
  const auto finding = EventSearch(*curve_, most_splits).first(std::span(&it, 1), length);
  if (!finding || finding->kind != Finding::Kind::crossing) return std::nullopt;
  double lower = finding->lower;
  double upper = finding->upper;
  for (int count = 0; count < 60 && upper - lower > 1e-16 * upper; ++count) {
    const double middle = 0.5 * (lower + upper);
    (value(middle) > 0.0 ? lower : upper) = middle;
  }
  return upper * length;
}

}  // namespace saltus
