#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "saltus/flow/tangent_frame.hpp"

namespace saltus {

/// Σ ln rᵢᵢ over the two halves of the time that an exponent is taken over, and over its last eighth.
struct Halves {
  double first = 0.0;
  double second = 0.0;
  std::optional<double> last_eighth = {};
};

/// The largest growth between any two instants of a run, and of its first half: a logarithm.
struct LocalGrowth {
  double half = 0.0;
  double whole = 0.0;
};

/// Exponents of a product of matrices, with their errors. Natural logarithms.
struct Exponents {
  std::vector<double> values;           // decreasing; −∞ for directions that contact annihilated
  std::vector<double> standard_errors;  // of each; 0 for −∞
  /// By how much to multiply them because neighbouring blocks are alike: 1 if they look independent. Empty: 1.
  std::vector<double> dependence = {};
  std::vector<Halves> halves = {};  // of each; empty: not known

  /// The standard error, larger where neighbouring blocks are alike: what signs are taken from.
  double error(std::size_t i) const { return standard_errors[i] * (dependence.empty() ? 1.0 : dependence[i]); }
};

/// Collects Lyapunov exponents from the image of an orthonormal frame, interval by interval: ℓᵢ = Σ ln rᵢᵢ / t with QR of the
/// image (TangentFrame). A direction that contact annihilates is dropped: its exponent is −∞ from then on (docs/theory.md, "Spectra").
class SpectrumAccumulator {
 public:
  explicit SpectrumAccumulator(std::size_t dimension) : SpectrumAccumulator(dimension, dimension) {}
  /// Only the `columns` largest exponents: it begins with directions that no coordinate plane contains.
  SpectrumAccumulator(std::size_t dimension, std::size_t columns);
  /// Begins with a frame that an earlier one ended with; columns of zeros (directions lost there) are filled up again.
  SpectrumAccumulator(std::size_t dimension, const Eigen::MatrixXd& frame);

  /// The frame to carry over the next interval; dropped directions are columns of zeros.
  const Eigen::MatrixXd& frame() const { return frame_; }
  /// The sizes in which the frame is orthonormal (empty: 1). Exponents do not depend on them, but how soon they are known does. To be
  /// set before the first interval.
  void measure_in(const std::vector<double>& scale);
  /// Goes on with what is left of the frame after a projection: directions that it annihilates are dropped.
  void confine(const Eigen::MatrixXd& projected);
  /// Takes the image of the frame after `elapsed` time. Only where contact may annihilate directions are they looked for:
  /// strong contraction alone loses none. `growth`: logarithms by which the columns of the image are to be multiplied, as
  /// FlowResult::growth; empty: 0.
  using Rank = TangentFrame::Rank;
  void absorb(const Eigen::MatrixXd& image, double elapsed, Rank rank, const std::vector<double>& growth = {});

  double elapsed() const { return total_time_; }
  std::size_t intervals() const { return intervals_; }
  std::size_t dropped() const;
  /// Exponents so far; errors by batch means over `blocks` blocks.
  Exponents exponents(std::size_t blocks = 20) const;
  /// Those over the last `periods` times `period`, an orbit gone round so often, errors by batch means over blocks of whole periods. Less
  /// than all of it, or nothing.
  std::optional<Exponents> exponents_over(double period, std::size_t periods) const;
  /// Of each exponent, in the same order: does its sum Σ ln rᵢᵢ stay where it was in the first half of the run, so that the
  /// exponent shrinks like 1/t? That of a torus does.
  std::vector<bool> shrink() const;
  /// Of volumes spanned by the first 1, 2, … directions. However negative the sum of their exponents is, they grow now and then; on a smooth
  /// torus no more in a long run than in a shorter one.
  std::vector<LocalGrowth> local_growth() const;
  /// Of the sum of all of them; 0 if one is −∞.
  double standard_error_of_sum() const;

  struct Entry {
    double elapsed;
    std::vector<double> logs;  // ln rᵢᵢ, −∞ where dropped
  };
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<std::size_t> by_sum() const;
  double weighted_rate(std::size_t from, std::size_t i) const;
  Halves halves(std::size_t from, std::size_t i) const;
  std::vector<double> block_means(std::size_t blocks, const std::function<double(const Entry&)>& log) const;

  Eigen::MatrixXd frame_;
  std::vector<double> scale_;
  std::vector<bool> lost_;
  std::vector<double> sums_;
  double total_time_ = 0.0;
  std::size_t intervals_ = 0;
  std::vector<Entry> entries_;
};

/// Exponents and errors as they were at instants on the way.
struct Convergence {
  std::vector<double> t;
  std::vector<Exponents> exponents;  // one per instant, in the order of the final ones
};

/// At `instants` equally spaced ones of the history (all, if there are fewer), each with batch means over 20 blocks of what was
/// before it. Directions lost at the end are −∞ throughout.
Convergence convergence(const std::vector<SpectrumAccumulator::Entry>& history, std::size_t instants);

/// Kaplan–Yorke dimension of decreasing exponents: j + (ℓ₁ + … + ℓⱼ) / |ℓⱼ₊₁|, with j the largest number for which the sum is
/// not negative. `extra_zeros` counts exponents that are zero by definition (the time of a forced system).
double kaplan_yorke(const std::vector<double>& exponents, std::size_t extra_zeros);

}  // namespace saltus
