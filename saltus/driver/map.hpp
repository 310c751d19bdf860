#pragma once

#include <string>
#include <vector>

#include "saltus/driver/grid.hpp"

namespace saltus {

/// What a map shows at each pair of values.
struct Measure {
  enum class Kind { lyapunov, period, verdict, impacts, sliding };
  Kind kind = Kind::lyapunov;
  std::size_t exponent = 1;  // of lyapunov: 1 is the largest
};

/// lyapunov, lyapunov2, lyapunov3, …, period, verdict, impacts, sliding. Throws Error(usage) for others.
Measure measure_named(const std::string& name);
std::string name_of(const Measure& measure);

/// `saltus map`: one number for each pair of values of two parameters or initial values.
struct MapRequest : SweepRequest {
  Measure measure;
};

/// Where a point's numbers stand: `columns` exponents, as many errors, then the rest.
struct MapNumbers {
  std::size_t columns = 0;
  std::size_t verdict() const { return 2 * columns; }
  std::size_t period() const { return 2 * columns + 1; }
  std::size_t impacts() const { return 2 * columns + 2; }
  std::size_t sliding() const { return 2 * columns + 3; }
  std::size_t outcome() const { return 2 * columns + 4; }
  std::size_t size() const { return 2 * columns + 5; }
};

struct MapResult {
  PreparedModel prepared;
  MapRequest request;
  FlowOptions options;
  Recipe recipe;
  MapNumbers layout;
  GridNumbers numbers;
  std::size_t failed = 0;      // motions that could not be followed
  std::size_t no_motion = 0;   // points at which none starts: inside an obstacle, a parameter out of range

  const std::vector<Diagnostic>& warnings() const { return prepared.warnings; }
};

MapResult run(const MapRequest& request);
std::string stop_message(const MapResult& result);
ExitCode exit_code(const MapResult& result);
}  // namespace saltus
