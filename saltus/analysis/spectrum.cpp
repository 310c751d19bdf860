#include "saltus/analysis/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "saltus/flow/index.hpp"

namespace saltus {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A direction is lost when orthogonalisation leaves less of it than rounding would: relative to the largest column, as
/// an annihilated direction is what rounding of the others leaves.
constexpr double dropped_below = 1e-11;

}  // namespace

SpectrumAccumulator::SpectrumAccumulator(std::size_t dimension, std::size_t columns)
    : frame_(Eigen::MatrixXd::Identity(static_cast<Index>(dimension), static_cast<Index>(columns))),
      lost_(columns, false),
      sums_(columns, 0.0) {
  if (columns == dimension) return;
  for (Index j = 0; j < frame_.cols(); ++j) {
    Eigen::VectorXd rest(frame_.rows());
    for (Index i = 0; i < rest.size(); ++i) rest[i] = 1.0 / static_cast<double>(i + j + 1);  // Hilbert's: independent
    for (int pass = 0; pass < 2; ++pass)
      for (Index k = 0; k < j; ++k) rest -= frame_.col(k) * frame_.col(k).dot(rest);
    frame_.col(j) = rest.normalized();
  }
}

SpectrumAccumulator::SpectrumAccumulator(std::size_t dimension, const Eigen::MatrixXd& frame)
    : SpectrumAccumulator(dimension, static_cast<std::size_t>(frame.cols())) {
  for (Index i = 0; i < frame.cols(); ++i) {
    frame_.col(i) = frame.col(i);
    // Any direction that the others do not span will do.
    for (Index unit = 0; frame_.col(i).norm() < 0.5 && unit < frame.rows(); ++unit) {
      Eigen::VectorXd rest = Eigen::VectorXd::Unit(frame.rows(), unit);
      for (int pass = 0; pass < 2; ++pass)
        for (Index j = 0; j < frame.cols(); ++j) {
          const bool is_set = j < i || !frame.col(j).isZero(0.0);
          if (j != i && is_set) rest -= (j < i ? frame_ : frame).col(j) * (j < i ? frame_ : frame).col(j).dot(rest);
        }
      if (rest.norm() > 0.3 / std::sqrt(static_cast<double>(frame.rows()))) frame_.col(i) = rest.normalized();
    }
  }
}

void SpectrumAccumulator::absorb(const Eigen::MatrixXd& image, double elapsed, Rank rank) {
  Entry entry{elapsed, std::vector<double>(lost_.size(), -infinity)};
  const double largest = image.colwise().norm().maxCoeff();
  frame_.setZero();
  for (std::size_t i = 0; i < lost_.size(); ++i) {
    if (lost_[i]) continue;
    const auto column = static_cast<Index>(i);
    Eigen::VectorXd rest = image.col(column);
    // Twice is enough (Kahan): the second pass removes what rounding of the first left.
    for (int pass = 0; pass < 2; ++pass)
      for (Index j = 0; j < column; ++j) rest -= frame_.col(j) * frame_.col(j).dot(rest);
    const double r = rest.norm();
    const double least = rank == Rank::may_drop ? dropped_below * largest : 0.0;
    if (!(r > least)) {
      lost_[i] = true;
      sums_[i] = -infinity;
      continue;
    }
    frame_.col(column) = rest / r;
    entry.logs[i] = std::log(r);
    sums_[i] += entry.logs[i];
  }
  total_time_ += elapsed;
  ++intervals_;
  entries_.push_back(std::move(entry));
}

std::size_t SpectrumAccumulator::dropped() const {
  return static_cast<std::size_t>(std::count(lost_.begin(), lost_.end(), true));
}

Exponents SpectrumAccumulator::exponents(std::size_t blocks) const {
  const std::size_t count = lost_.size();
  std::vector<double> values(count);
  std::vector<double> errors(count, 0.0);
  const std::size_t used = std::min(blocks, std::max<std::size_t>(1, entries_.size() / 2));
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = lost_[i] ? -infinity : sums_[i] / total_time_;
    if (lost_[i] || used < 2) continue;
    double squares = 0.0;
    for (std::size_t b = 0; b < used; ++b) {
      double sum = 0.0;
      double time = 0.0;
      for (std::size_t e = entries_.size() * b / used; e < entries_.size() * (b + 1) / used; ++e) {
        sum += entries_[e].logs[i];
        time += entries_[e].elapsed;
      }
      const double deviation = sum / time - values[i];
      squares += deviation * deviation;
    }
    errors[i] = std::sqrt(squares / static_cast<double>(used * (used - 1)));
  }
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  Exponents result;
  for (const std::size_t i : order) {
    result.values.push_back(values[i]);
    result.standard_errors.push_back(errors[i]);
  }
  return result;
}

Convergence convergence(const std::vector<SpectrumAccumulator::Entry>& history, std::size_t instants) {
  Convergence result;
  if (history.empty()) return result;
  const std::size_t count = history.front().logs.size();
  const std::size_t entries = history.size();
  // sums[e][i] = Σ ln rᵢᵢ of the first e entries, times[e] likewise.
  std::vector<double> times(entries + 1, 0.0);
  std::vector<std::vector<double>> sums(entries + 1, std::vector<double>(count, 0.0));
  for (std::size_t e = 0; e < entries; ++e) {
    times[e + 1] = times[e] + history[e].elapsed;
    for (std::size_t i = 0; i < count; ++i) sums[e + 1][i] = sums[e][i] + history[e].logs[i];
  }
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sums[entries][a] > sums[entries][b]; });
  const auto mean = [&](std::size_t i, std::size_t from, std::size_t to) {
    return (sums[to][i] - sums[from][i]) / (times[to] - times[from]);
  };
  const std::size_t points = std::min(instants, entries);
  for (std::size_t k = 1; k <= points; ++k) {
    const std::size_t end = entries * k / points;
    const std::size_t blocks = std::min<std::size_t>(20, std::max<std::size_t>(1, end / 2));
    Exponents now;
    for (const std::size_t i : order) {
      const bool lost = std::isinf(sums[entries][i]);
      now.values.push_back(lost ? -infinity : mean(i, 0, end));
      double squares = 0.0;
      for (std::size_t b = 0; b < blocks && !lost; ++b) {
        const double deviation = mean(i, end * b / blocks, end * (b + 1) / blocks) - now.values.back();
        squares += deviation * deviation;
      }
      now.standard_errors.push_back(blocks > 1 ? std::sqrt(squares / static_cast<double>(blocks * (blocks - 1))) : 0.0);
    }
    result.t.push_back(times[end]);
    result.exponents.push_back(std::move(now));
  }
  return result;
}

double kaplan_yorke(const std::vector<double>& exponents, std::size_t extra_zeros) {
  std::vector<double> all = exponents;
  all.insert(all.end(), extra_zeros, 0.0);
  std::sort(all.begin(), all.end(), std::greater<>());
  double sum = 0.0;
  for (std::size_t j = 0; j < all.size(); ++j) {
    if (sum + all[j] < 0.0) return std::isinf(all[j]) ? static_cast<double>(j) : static_cast<double>(j) + sum / -all[j];
    sum += all[j];
  }
  return static_cast<double>(all.size());
}

}  // namespace saltus
