#pragma once

#include <optional>
#include <string>
#include <vector>

#include "saltus/analysis/hill/hill_chart.hpp"
#include "saltus/analysis/hill/hill_motion.hpp"
#include "saltus/driver/range.hpp"
#include "saltus/driver/request.hpp"

namespace saltus {

constexpr long largest_block = 1001;  // rows of Hill's determinant

/// `saltus hill`: the critical restitution at one point, or over two parameters.
struct HillRequest : Request, WhileRunning {
  RunOptions options;             // rtol and atol are those of the motions of `verify`
  std::vector<std::string> vary;  // none, or two ranges: the chart
  bool chart = false;             // the chart over alpha and beta in the window of Leine 2012, if `vary` is empty
  bool approximations = false;    // in the chart; at one point they are always there
  long block = 5;                 // rows of Hill's determinant
  bool verify = false;            // follow the motion below and above the critical restitution
};

/// The approximations beside the exact values.
struct HillApproximations {
  HillFourier fourier;
  HillAveraging averaging;
  long block = 0;
  HillStability determinant;                  // of the block
  std::optional<HillStability> second_order;  // of the block, to second order in the harmonics; none at even resonances
  long extrapolated_block = 0;
  HillStability extrapolated;  // from this block and the one of half its rows
};

/// What the event-driven engine found.
struct HillVerification {
  HillGrowth growth;
  double predicted = 0.0;  // growth per period by Theorem 2
};

struct HillPoint {
  HillEquation::Numbers numbers;
  HillSolution solution;
  HillStability stability;
  HillMap map;
  HillVerdict verdict = HillVerdict::marginal;
  HillApproximations approximations;
  std::vector<double> switching_instants;
  std::vector<HillVerification> verification;
  std::vector<double> t;  // over one period
  std::vector<Eigen::Matrix2d> solutions;  // y₁, y₂ there
};

struct HillResult {
  PreparedModel prepared;
  HillRequest request;
  std::optional<HillPoint> point;  // either this
  std::vector<VariedRange> ranges;  // or these two
  HillChart chart;

  const std::vector<Diagnostic>& warnings() const { return prepared.warnings; }
};

/// Throws Error(usage) if the model has no [hill], or what is asked for cannot be.
HillResult run(const HillRequest& request);

/// Why not all of it could be computed, or that a verification failed; empty if all is well.
std::string stop_message(const HillResult& result);
ExitCode exit_code(const HillResult& result);

}  // namespace saltus
