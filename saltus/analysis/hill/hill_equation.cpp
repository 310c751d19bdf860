#include "saltus/analysis/hill/hill_equation.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>

#include "saltus/analysis/hill/hill_step.hpp"
#include "saltus/model/hill_mechanics.hpp"

namespace saltus {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

// ---- the steps of one lane -----------------------------------------------------------------------------------------

/// Walks through the steps of a period that is divided into about `count`.
class StepWalk {
 public:
  StepWalk(const HillPieces& pieces, long count) : pieces_(&pieces), count_(count) {}

  bool finished() const { return piece_ + 1 >= pieces_->ends.size(); }
  double t() const { return at(step_); }
  double h() const { return at(step_ + 1) - at(step_); }
  void next() {
    if (++step_ < pieces_->steps(piece_, count_)) return;
    ++piece_;
    step_ = 0;
  }

 private:
  double at(long k) const {
    const double from = pieces_->ends[piece_];
    const double to = pieces_->ends[piece_ + 1];
    const long steps = pieces_->steps(piece_, count_);
    return k == steps ? to : from + (to - from) * static_cast<double>(k) / static_cast<double>(steps);
  }

  const HillPieces* pieces_;
  long count_;
  std::size_t piece_ = 0;
  long step_ = 0;
};

/// y₁, ẏ₁, y₂, ẏ₂ and what is counted on the way.
struct Walked {
  std::array<double, 4> y = {1.0, 0.0, 0.0, 1.0};
  int sign = 1;           // of y₂ just after the last step
  long crossings = 0;     // of y₂, those at the end of a step included
  int sign_before = 1;    // both before the last step
  long crossings_before = 0;
  double largest_y2 = 0.0;
  double largest_g = -std::numeric_limits<double>::infinity();
  double smallest_g = std::numeric_limits<double>::infinity();
  long steps = 0;

  void follow(const double* out, std::size_t stride) {
    for (std::size_t i = 0; i < 4; ++i) y[i] = out[i * stride];
    largest_g = std::max(largest_g, out[4 * stride]);
    smallest_g = std::min(smallest_g, out[5 * stride]);
    largest_y2 = std::max(largest_y2, std::abs(y[2]));
    sign_before = sign;
    crossings_before = crossings;
    // Steps are short enough for one zero at most (see `has_no_pairs`), so the signs at their ends tell all.
    if (static_cast<double>(sign) * y[2] <= 0.0) {
      ++crossings;
      sign = -sign;
    }
    ++steps;
  }

  double frequency(double period) const {
    return std::sqrt(std::max({largest_g, -smallest_g, std::pow(std::numbers::pi / period, 2)}));
  }
};

double size_of(const std::array<double, 4>& y, double omega) {
  return std::max({std::abs(y[0]), std::abs(y[1]) / omega, omega * std::abs(y[2]), std::abs(y[3])});
}

std::array<double, 4> difference(const std::array<double, 4>& a, const std::array<double, 4>& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]};
}

HillSolution solution(const Walked& fine, const Walked& coarse, const HillEquation::Numbers& numbers,
                      const HillOptions& options) {
  HillSolution result;
  result.monodromy << fine.y[0], fine.y[2], fine.y[1], fine.y[3];
  result.period = numbers.period;
  result.damping = numbers.damping;
  result.frequency = fine.frequency(numbers.period);
  result.size = size_of(fine.y, result.frequency);
  const double rounding = 8.0 * eps * (1.0 + result.frequency * numbers.period);
  const double change = size_of(difference(fine.y, coarse.y), result.frequency) / result.size;
  result.error = std::max(change, rounding);
  result.steps = fine.steps;
  result.converged = result.error <= std::max(options.tolerance, rounding);
  // At the very end rounding decides on which side of zero y₂ stands; a zero there counts.
  const double y2 = static_cast<double>(fine.sign_before) * fine.y[2];
  const double doubt = rounding * fine.largest_y2;
  const bool counts = y2 <= doubt;
  result.zeros = fine.crossings_before + (counts ? 1 : 0);
  const double turned = result.zeros % 2 == 0 ? 1.0 : -1.0;
  result.zero_at_end = std::abs(fine.y[2]) <= doubt;
  const double rest = result.zero_at_end ? 0.0 : std::atan2(turned * fine.y[2], turned * fine.y[0]);
  result.angle = static_cast<double>(result.zeros) * std::numbers::pi + rest;
  return result;
}

}  // namespace

/// Up to W points side by side, each with steps of its own.
class HillLanes {
 public:
  HillLanes(const HillEquation& equation, std::span<const std::vector<double>> points, const HillOptions& options)
      : equation_(equation),
        points_(points),
        options_(options),
        width_(points.size() == 1 ? 1 : equation.width()),
        p_(equation.parameter_count() * width_),
        states_(points.size()) {
    for (std::size_t l = 0; l < width_; ++l) {
      const std::vector<double>& p = points[std::min(l, points.size() - 1)];
      for (std::size_t i = 0; i < p.size(); ++i) p_[i * width_ + l] = p[i];
    }
    for (std::size_t l = 0; l < points.size(); ++l) prepare(l);
  }

  std::vector<HillSolution> solved() {
    walk(first_count);
    for (long count = 2 * first_count; any_open(); count *= 2) {
      for (State& state : states_)
        if (state.open) state.coarse = state.fine;
      walk(count);
      for (State& state : states_) {
        if (!state.open) continue;
        state.result = solution(state.fine, state.coarse, state.numbers, options_);
        state.result.converged = state.result.converged && state.pieces.complete && has_no_pairs(state, count);
        state.open = !state.result.converged && std::isfinite(state.result.size) && 2 * count <= options_.most_steps;
      }
    }
    std::vector<HillSolution> results;
    for (const State& state : states_) results.push_back(state.result);
    return results;
  }

 private:
  static constexpr long first_count = HillPieces::fewest;

  struct State {
    HillEquation::Numbers numbers;
    const std::vector<double>* p = nullptr;
    HillPieces pieces;
    Walked fine, coarse;
    HillSolution result;
    bool open = true;
  };

  void prepare(std::size_t l) {
    State& state = states_[l];
    state.numbers = equation_.numbers(points_[l]);
    state.p = &points_[l];
    if (l > 0 && has_pieces_of_first(l)) {
      state.pieces = states_[0].pieces;
      return;
    }
    const double start = options_.start;
    state.pieces = pieces_of(equation_.bounds_, points_[l], start, start + state.numbers.period);
  }

  bool has_pieces_of_first(std::size_t l) const {
    if (equation_.bounds_.may_hide()) return points_[l] == points_[0];
    const auto& which = equation_.bounds_.switch_parameters();
    return states_[l].numbers.period == states_[0].numbers.period &&
           std::all_of(which.begin(), which.end(), [&](std::size_t i) { return points_[l][i] == points_[0][i]; });
  }

  /// Zeros of a solution are at least π/√max g apart (Sturm): no step is so long that it may hold two.
  bool has_no_pairs(const State& state, long count) const {
    for (std::size_t k = 0; k + 1 < state.pieces.ends.size(); ++k) {
      const double from = state.pieces.ends[k];
      const double to = state.pieces.ends[k + 1];
      const double h = (to - from) / static_cast<double>(state.pieces.steps(k, count));
      if (!has_no_pairs(*state.p, equation_.bounds_.sides(*state.p, 0.5 * (from + to)), from, to, h)) return false;
    }
    return true;
  }

  /// The same of the steps of length h between two times. A bound over a shorter interval is a better one, down to a part of a step.
  bool has_no_pairs(const std::vector<double>& p, const std::vector<double>& sides, double from, double to,
                    double h) const {
    constexpr double less_than_pi = 3.1;
    const double largest = equation_.bounds_.largest_stiffness(p, sides, from, to);
    if (h * h * largest <= less_than_pi * less_than_pi) return true;
    if (to - from < 0.25 * h) return false;
    const double middle = 0.5 * (from + to);
    return has_no_pairs(p, sides, from, middle, h) && has_no_pairs(p, sides, middle, to, h);
  }

  bool any_open() const {
    return std::any_of(states_.begin(), states_.end(), [](const State& s) { return s.open; });
  }

  /// One pass through the period for the open lanes. A lane that is done, or none at all, stands still with h = 0.
  void walk(long count) {
    std::vector<StepWalk> walks;
    for (State& state : states_) {
      walks.emplace_back(state.pieces, count);
      if (state.open) state.fine = Walked{};
    }
    std::vector<double> t(width_, 0.0);
    std::vector<double> x(hill_step_inputs * width_, 0.0);
    std::vector<double> out(hill_step_outputs * width_);
    const Kernel step = width_ == 1 ? equation_.step_.one : equation_.step_.wide;
    while (true) {
      bool moving = false;
      for (std::size_t l = 0; l < states_.size(); ++l) {
        const bool moves = states_[l].open && !walks[l].finished();
        moving = moving || moves;
        t[l] = moves ? walks[l].t() : options_.start;
        x[l] = moves ? walks[l].h() : 0.0;
        for (std::size_t i = 0; i < 4; ++i) x[(i + 1) * width_ + l] = states_[l].fine.y[i];
      }
      if (!moving) return;
      step(t.data(), x.data(), p_.data(), nullptr, nullptr, out.data());
      for (std::size_t l = 0; l < states_.size(); ++l) {
        if (!states_[l].open || walks[l].finished()) continue;
        states_[l].fine.follow(out.data() + l, width_);
        walks[l].next();
      }
    }
  }

  const HillEquation& equation_;
  std::span<const std::vector<double>> points_;
  HillOptions options_;
  std::size_t width_;
  std::vector<double> p_;
  std::vector<State> states_;
};

HillEquation::HillEquation(const Model& model, unsigned width)
    : parameters_(model.parameters.size()), width_(width), bounds_(model, hill_mechanics(model)) {
  assert(model.hill);
  HillGraph step(model);
  HillGraph rest(model);
  step_.program = lower(hill_step(step), input_of);
  const ExprVector stiffness = {rest.stiffness(rest.input(Slot::time, 0))};
  const Hill& hill = *model.hill;
  const ExprVector numbers = {rest.now(hill.period.expr),
                              hill.damping ? rest.now(hill.damping->expr) : rest.graph().constant(0.0),
                              rest.now(hill.restitution.expr)};
  const std::vector<NamedProgram> single = {
      {"step", step_.program}, {"stiffness", lower(stiffness, input_of)}, {"numbers", lower(numbers, input_of)}};
  code_.emplace_back(single, std::span<const NamedLoop>{}, 1U);
  step_.one = step_.wide = code_[0].kernel("step");
  stiffness_ = code_[0].kernel("stiffness");
  numbers_ = code_[0].kernel("numbers");
  if (width_ > 1) {
    const NamedProgram wide[] = {{"step", step_.program}};
    code_.emplace_back(wide, std::span<const NamedLoop>{}, width_);
    step_.wide = code_[1].kernel("step");
  }
}

HillEquation::Numbers HillEquation::numbers(std::span<const double> p) const {
  std::array<double, 3> out{};
  const double t = 0.0;
  numbers_(&t, nullptr, p.data(), nullptr, nullptr, out.data());
  return {out[0], out[1], out[2]};
}

double HillEquation::stiffness(double t, std::span<const double> p) const {
  double g = 0.0;
  stiffness_(&t, nullptr, p.data(), nullptr, nullptr, &g);
  return g;
}

std::vector<double> HillEquation::switching_instants(std::span<const double> p, double start) const {
  const double end = start + numbers(p).period;
  return apart(bounds_.switching_instants(p, start, end).t, start, end);
}

std::vector<double> HillEquation::pieces(std::span<const double> p, double start) const {
  return pieces_of(bounds_, p, start, start + numbers(p).period).ends;
}

HillSolution HillEquation::solve(std::span<const double> p, const HillOptions& options) const {
  const std::vector<double> point[] = {{p.begin(), p.end()}};
  return HillLanes(*this, point, options).solved().front();
}

std::vector<HillSolution> HillEquation::solve_lanes(std::span<const std::vector<double>> points,
                                                    const HillOptions& options) const {
  assert(!points.empty() && points.size() <= width_);
  return HillLanes(*this, points, options).solved();
}

std::vector<Eigen::Matrix2d> HillEquation::fundamental_matrices(std::span<const double> p,
                                                                std::span<const double> times) const {
  const std::vector<double> ends = pieces(p);
  std::array<double, 5> x = {0.0, 1.0, 0.0, 0.0, 1.0};
  std::array<double, hill_step_outputs> out{};
  double t = 0.0;
  const auto advance = [&](double to) {
    x[0] = to - t;
    step_.one(&t, x.data(), p.data(), nullptr, nullptr, out.data());
    std::copy_n(out.begin(), 4, x.begin() + 1);
    t = to;
  };
  // Pieces no longer than a 64th of the period: many more than `solve` takes.
  const double longest = numbers(p).period / 64.0;
  std::vector<Eigen::Matrix2d> matrices;
  auto next = std::next(ends.begin());
  for (const double time : times) {
    while (t < time) {
      double to = std::min(time, t + longest);
      if (next != ends.end() && *next <= to) to = *next++;
      if (to > t) advance(to);
    }
    Eigen::Matrix2d phi;
    phi << x[1], x[3], x[2], x[4];
    matrices.push_back(phi);
  }
  return matrices;
}

}  // namespace saltus
