// The Lyapunov spectrum of fig4ab by CVODE with hand-written variational equations, saltation and one QR per period.
#include <cstdlib>
#include <numbers>

#include "sundials_solvers.hpp"

int main(int argc, char** argv) {
  using namespace peers;
  const int periods = argc > 1 ? std::atoi(argv[1]) : 1000;
  const double rtol = argc > 2 ? std::atof(argv[2]) : 1e-10;
  constexpr int transient = 200;
  const auto system = fig4ab<double>();
  std::array<double, 6> unused{}, log_growth{};

  Cvode settle({system, state_size}, rtol);
  put_start(start_at_rest(system), settle.data(), state_size);
  run_periods(settle, transient, unused);

  Cvode measure({system, full_size}, rtol);
  put_start(column_at(settle.data()), measure.data(), full_size);
  const double begin = processor_time();
  const ImpactLog log = run_periods(measure, periods, log_growth);
  const double elapsed = processor_time() - begin;

  std::printf("fig4ab by CVODE, %d periods after %d, rtol %.0e, bits per unit time:", periods, transient, rtol);
  for (const double growth : log_growth) std::printf(" %.4f", growth / (periods * system.period() * std::numbers::ln2));
  std::printf("\n%ld impacts, %.3f s, %.1f us/period\n", log.count, elapsed * 1e-6, elapsed / periods);
}
