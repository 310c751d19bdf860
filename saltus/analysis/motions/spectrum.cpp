#include "saltus/analysis/motions/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

constexpr std::size_t enough_periods = 8;  // for a mean with weights

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Batch means: the error of a mean of so many blocks, and by how much more it is if neighbours are alike.
struct BlockError {
  double error = 0.0;
  double dependence = 1.0;
};

BlockError block_error(const std::vector<double>& blocks, double mean) {
  const std::size_t count = blocks.size();
  if (count < 2) return {};
  double squares = 0.0;
  double products = 0.0;
  for (std::size_t b = 0; b < count; ++b) {
    squares += (blocks[b] - mean) * (blocks[b] - mean);
    if (b > 0) products += (blocks[b] - mean) * (blocks[b - 1] - mean);
  }
  BlockError result{std::sqrt(squares / static_cast<double>(count * (count - 1)))};
  // Of independent blocks the correlation r of neighbours is about ±1/√count; blocks with r have (1 − r)/(1 + r) times as many
  // independent ones among them.
  const double r = squares > 0.0 ? std::min(0.9, products / squares) : 0.0;
  if (r > 2.5 / std::sqrt(static_cast<double>(count))) result.dependence = std::sqrt((1.0 + r) / (1.0 - r));
  return result;
}

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

void SpectrumAccumulator::measure_in(const std::vector<double>& scale) {
  scale_ = scale;
  TangentFrame(lost_.size(), scale_).factorise(frame_, Rank::full);
}

void SpectrumAccumulator::confine(const Eigen::MatrixXd& projected) {
  frame_ = projected;
  TangentFrame frame(lost_.size(), scale_);
  frame.factorise(frame_, Rank::may_drop);
  for (std::size_t i = 0; i < lost_.size(); ++i) {
    lost_[i] = lost_[i] || std::isinf(frame.growth()[i]);
    if (lost_[i]) sums_[i] = -infinity;
  }
}

void SpectrumAccumulator::absorb(const Eigen::MatrixXd& image, double elapsed, Rank rank,
                                 const std::vector<double>& growth) {
  frame_ = image;
  for (std::size_t i = 0; i < lost_.size(); ++i)
    if (lost_[i]) frame_.col(static_cast<Index>(i)).setZero();
  TangentFrame frame(lost_.size(), scale_);
  frame.factorise(frame_, rank);
  Entry entry{elapsed, frame.growth()};
  for (std::size_t i = 0; i < lost_.size(); ++i) {
    if (!growth.empty()) entry.logs[i] += growth[i];
    lost_[i] = lost_[i] || std::isinf(entry.logs[i]);
    sums_[i] += entry.logs[i];
  }
  total_time_ += elapsed;
  ++intervals_;
  entries_.push_back(std::move(entry));
}

std::size_t SpectrumAccumulator::dropped() const {
  return static_cast<std::size_t>(std::count(lost_.begin(), lost_.end(), true));
}

/// Decreasing.
static Exponents sorted(const std::vector<double>& values, const std::vector<BlockError>& errors,
                        const std::vector<Halves>& halves) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  Exponents result;
  for (const std::size_t i : order) {
    result.values.push_back(values[i]);
    result.standard_errors.push_back(errors[i].error);
    result.dependence.push_back(errors[i].dependence);
    result.halves.push_back(halves[i]);
  }
  return result;
}

std::vector<double> SpectrumAccumulator::block_means(std::size_t blocks,
                                                     const std::function<double(const Entry&)>& log) const {
  const std::size_t used = std::min(blocks, std::max<std::size_t>(1, entries_.size() / 2));
  std::vector<double> means;
  for (std::size_t b = 0; b < used; ++b) {
    double sum = 0.0;
    double time = 0.0;
    for (std::size_t e = entries_.size() * b / used; e < entries_.size() * (b + 1) / used; ++e) {
      sum += log(entries_[e]);
      time += entries_[e].elapsed;
    }
    means.push_back(sum / time);
  }
  return means;
}

Exponents SpectrumAccumulator::exponents(std::size_t blocks) const {
  const std::size_t count = lost_.size();
  std::vector<double> values(count);
  std::vector<BlockError> errors(count);
  std::vector<Halves> growth(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = lost_[i] ? -infinity : sums_[i] / total_time_;
    growth[i] = halves(0, i);
    if (!lost_[i])
      errors[i] = block_error(block_means(blocks, [&](const Entry& entry) { return entry.logs[i]; }), values[i]);
  }
  return sorted(values, errors, growth);
}

/// The columns, that of the largest exponent first.
std::vector<std::size_t> SpectrumAccumulator::by_sum() const {
  std::vector<std::size_t> order(lost_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return sums_[a] > sums_[b]; });
  return order;
}

std::vector<bool> SpectrumAccumulator::shrink() const {
  constexpr double growth =
      1.5;  // of what bounds the sum, when the run becomes twice as long; in proportion to t it would be 2
  constexpr double least = 1.0;  // a factor e says nothing
  std::vector<bool> result;
  for (const std::size_t i : by_sum()) {
    double sum = 0.0;
    double time = 0.0;
    double half = 0.0;
    double whole = 0.0;
    for (const Entry& entry : entries_) {
      sum += entry.logs[i];
      time += entry.elapsed;
      whole = std::max(whole, std::abs(sum));
      if (time <= 0.5 * total_time_) half = whole;
    }
    result.push_back(whole <= growth * half + least);
  }
  return result;
}

std::vector<LocalGrowth> SpectrumAccumulator::local_growth() const {
  std::vector<LocalGrowth> result(lost_.size());
  const std::vector<std::size_t> order = by_sum();
  for (std::size_t m = 0; m < order.size() && !lost_[order[m]]; ++m) {
    double sum = 0.0;
    double lowest = 0.0;
    double time = 0.0;
    for (const Entry& entry : entries_) {
      for (std::size_t i = 0; i <= m; ++i) sum += entry.logs[order[i]];
      time += entry.elapsed;
      lowest = std::min(lowest, sum);
      result[m].whole = std::max(result[m].whole, sum - lowest);
      if (time <= 0.5 * total_time_) result[m].half = result[m].whole;
    }
  }
  return result;
}

double SpectrumAccumulator::standard_error_of_sum() const {
  if (dropped() > 0 || entries_.empty()) return 0.0;
  const double mean = std::accumulate(sums_.begin(), sums_.end(), 0.0) / total_time_;
  const auto sum = [](const Entry& entry) { return std::accumulate(entry.logs.begin(), entry.logs.end(), 0.0); };
  return block_error(block_means(20, sum), mean).error;
}

/// Of column i over the entries behind `from`.
Halves SpectrumAccumulator::halves(std::size_t from, std::size_t i) const {
  double whole = 0.0;
  for (std::size_t e = from; e < entries_.size(); ++e) whole += entries_[e].elapsed;
  Halves result;
  double last_eighth = 0.0;
  double time = 0.0;
  for (std::size_t e = from; e < entries_.size(); ++e) {
    time += entries_[e].elapsed;
    (time <= 0.5 * whole ? result.first : result.second) += entries_[e].logs[i];
    if (time > 0.875 * whole) last_eighth += entries_[e].logs[i];
  }
  result.last_eighth = last_eighth;
  return result;
}

/// Of column i over the entries behind `from`, with weights exp(−1/(τ (1 − τ))) that vanish at both ends: the mean of what repeats, whatever
/// part of a period the ends cut off.
double SpectrumAccumulator::weighted_rate(std::size_t from, std::size_t i) const {
  double whole = 0.0;
  for (std::size_t e = from; e < entries_.size(); ++e) whole += entries_[e].elapsed;
  double begin = 0.0;
  double sum = 0.0;
  double time = 0.0;
  for (std::size_t e = from; e < entries_.size(); ++e) {
    const double place = (begin + 0.5 * entries_[e].elapsed) / whole;
    const double weight = std::exp(-1.0 / (place * (1.0 - place)));
    sum += weight * entries_[e].logs[i];
    time += weight * entries_[e].elapsed;
    begin += entries_[e].elapsed;
  }
  return sum / time;
}

std::optional<Exponents> SpectrumAccumulator::exponents_over(double period, std::size_t periods) const {
  if (periods == 0 || static_cast<double>(periods) * period > total_time_ * (1.0 + 1e-9)) return std::nullopt;
  const std::size_t count = lost_.size();
  // Going back from the end: what lies within each period, an interval across its ends shared out by its parts.
  std::vector<std::vector<double>> sums(count, std::vector<double>(periods, 0.0));
  std::size_t e = entries_.size();
  double left = 0.0;  // of entry e
  bool shared = false;
  for (std::size_t m = 0; m < periods; ++m) {
    double missing = period;
    while (missing > 1e-9 * period) {
      if (left <= 0.0) {
        if (e == 0) break;
        left = entries_[--e].elapsed;
      }
      const double part = std::min(left, missing);
      shared = shared || part < entries_[e].elapsed * (1.0 - 1e-9);
      for (std::size_t i = 0; i < count; ++i) sums[i][m] += entries_[e].logs[i] * (part / entries_[e].elapsed);
      missing -= part;
      left = part > left * (1.0 - 1e-9) ? 0.0 : left - part;
    }
  }
  std::vector<double> values(count);
  std::vector<BlockError> errors(count);
  std::vector<Halves> growth(count);
  const std::size_t blocks = std::min<std::size_t>(20, periods);
  for (std::size_t i = 0; i < count; ++i) {
    const auto mean = [&](std::size_t from, std::size_t to) {
      return std::accumulate(sums[i].begin() + static_cast<std::ptrdiff_t>(from),
                             sums[i].begin() + static_cast<std::ptrdiff_t>(to), 0.0) /
             (static_cast<double>(to - from) * period);
    };
    values[i] = lost_[i] ? -infinity : shared && periods >= enough_periods ? weighted_rate(e, i) : mean(0, periods);
    std::vector<double> means;
    for (std::size_t b = 0; b < blocks && !lost_[i]; ++b)
      means.push_back(mean(periods * b / blocks, periods * (b + 1) / blocks));
    errors[i] = block_error(means, values[i]);
    growth[i] = halves(e, i);
  }
  return sorted(values, errors, growth);
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
