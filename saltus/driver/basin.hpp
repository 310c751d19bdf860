#pragma once

#include <string>
#include <vector>

#include "saltus/analysis/motions/signature.hpp"
#include "saltus/driver/grid.hpp"
#include "saltus/driver/lyapunov.hpp"

namespace saltus {

/// `saltus basin`: which attractor each of a plane of initial states goes to.
struct BasinRequest : SweepRequest {
  LogBase base = LogBase::natural;  // of the spectra
};

/// One attractor that was met, with the share of the plane that goes there.
struct BasinAttractor {
  std::size_t points = 0;
  double share = 0.0;
  double error = 0.0;  // standard error of the share as that of `points` independent draws
  std::size_t first_point = 0;
  Vector x;            // initial state of that point
  Signature signature;
  LyapunovSpectrum spectrum;
};

struct BasinResult {
  PreparedModel prepared;
  BasinRequest request;
  FlowOptions options;
  Recipe recipe;
  std::string section;
  GridNumbers numbers;
  std::vector<BasinAttractor> attractors;  // the most visited first
  std::vector<std::size_t> order;          // AttractorList's numbers → places in `attractors`
  AttractorList list;
  std::size_t no_motion = 0;  // initial states inside an obstacle
  std::size_t failed = 0;     // motions that could not be followed
  std::size_t others = 0;     // motions to further attractors than are told apart

  const std::vector<Diagnostic>& warnings() const { return prepared.warnings; }
};

/// What a point's label says when it is no attractor.
enum class NoAttractor : int { no_motion = -1, failed = -2, other = -3, missing = -4 };

/// The place among the attractors of the one that the motion of a point goes to, or NoAttractor.
int label_of(const BasinResult& result, std::span<const double> numbers);

BasinResult run(const BasinRequest& request);
std::string stop_message(const BasinResult& result);
ExitCode exit_code(const BasinResult& result);
}  // namespace saltus
