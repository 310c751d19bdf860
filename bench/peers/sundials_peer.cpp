// SUNDIALS: CVODE with Adams' methods and ARKODE with an explicit Runge-Kutta pair, impacts by their own rootfinding.
#include "sundials_solvers.hpp"

namespace {

using namespace peers;

template <class Solver, int Size>
ImpactLog run(double rtol, int periods) {
  Solver solver({fig3a<double>(), Size}, rtol);
  put_start(start_beside_attractor<double>(), solver.data(), Size);
  std::array<double, 6> log_growth{};
  return run_periods(solver, periods, log_growth);
}

}  // namespace

int main() {
  std::puts("CVODE, first ten impacts:");
  print_first_impacts(run<Cvode, state_size>);
  std::puts("ARKODE, first ten impacts:");
  print_first_impacts(run<Arkode, state_size>);
  measure_at_equal_error("ARKODE ERK, trajectory only", run<Arkode, state_size>, 50);
  measure_at_equal_error("CVODE Adams, trajectory only", run<Cvode, state_size>, 50);
  measure_at_equal_error("ARKODE ERK, with tangent", run<Arkode, full_size>, 50);
  measure_at_equal_error("CVODE Adams, with tangent", run<Cvode, full_size>, 50);
}
