#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "saltus/analysis/branches/branch_stage.hpp"
#include "saltus/analysis/branches/orbit_branch.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {

CorrectedOrbit nearby_orbit(const OrbitSystem& system, const PlannedOrbit& guess, const ContinuationOptions& options) {
  const Index v = static_cast<Index>(guess.varied.size());
  if (v == 0) return {{}, 0.0, "no parameter is varied"};
  const HybridOrbit problem(system, guess, Vector::Ones(v));
  const Vector start = problem.unknowns(guess);
  const Vector held = options.family ? along_curve(problem, start) : parameter_direction(problem);
  const Correction found = corrected(problem, start, held, options, 30);
  const auto without = [&](std::string why) {
    return CorrectedOrbit{
        {}, found.residual, std::move(why), problem.orbit(found.y).x.front(), problem.return_state(found.y)};
  };
  constexpr std::array words = {"", "too many iterations", "the corrections grow", "the Jacobian is singular",
                                "the motion leaves its domain"};
  constexpr double no_length = 1e-6;
  if (!found.converged() && guess.plan.periods == 0 && problem.path_length(found.y) < no_length)
    return without("Newton's iteration falls into an equilibrium, which is no orbit");
  const bool grazes = !found.converged() && std::abs(smallest_brink(problem, found.y)) < no_length;
  if (grazes)
    return without(
        "an impact has next to no speed there, or a slide no length: begin beside this value of the parameter");
  if (!found.converged()) return without(words[static_cast<std::size_t>(found.outcome)]);
  // Both solve the equations of an orbit without forcing, with any duration, or with any state.
  if (guess.plan.periods == 0 && problem.path_length(found.y) < 1e-8)
    return without("the motion stands still: it is an equilibrium, not an orbit");
  const std::string contradiction = problem.contradiction(found.y);
  if (!contradiction.empty()) return without(fmt::format("it lost its sequence of events: {}", contradiction));
  const auto jet = problem.jet(found.y);
  if (!jet) return without("the motion does not reach its end");  // interrupted
  return {problem.orbit(found.y), jet->residual.cwiseAbs().maxCoeff(), ""};
}

}  // namespace saltus
