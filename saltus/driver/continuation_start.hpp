#pragma once

#include <memory>
#include <string>
#include <vector>

#include "saltus/driver/continuation.hpp"

namespace saltus {

/// There is no orbit to begin with. The state where the search for it ended is kept.
struct NoFirstOrbit {
  std::string message;
  Vector x;
  double parameter;
  long returns;
};

/// Everything that is needed to find and follow orbits.
struct Workshop {
  std::unique_ptr<ObservedQuantity> observed;
  std::shared_ptr<const Kernels> kernels;
  std::unique_ptr<ParameterRates> rates;
  std::unique_ptr<OrbitSystem> system;
  BranchOptions options;
  std::vector<std::string> components;
};

/// The orbit near a start with the sequence of events of the motion from it. Throws NoFirstOrbit.
PlannedOrbit read_orbit(const Workshop& shop, const std::vector<double>& varied, const StoredOrbit& start,
                        const std::string& where);

/// Whether an orbit of a file, segment by segment, is one at the values that the parameters have now; and the one near it that is. Throws NoFirstOrbit.
bool is_solution(const Workshop& shop, const PlannedOrbit& orbit);
PlannedOrbit solved_anew(const Workshop& shop, const PlannedOrbit& stored, const std::string& label, long returns);

/// The attractor that the motion from the initial state goes to. Throws NoFirstOrbit.
PlannedOrbit orbit_of_motion(const ContinueResult& result, const Workshop& shop);

}  // namespace saltus
