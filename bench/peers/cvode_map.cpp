// The map of sweep_bench by CVODE: the largest exponent over (q1, omega), 64 × 64 points from rest, 100 periods each, one column
// of the tangent, hand-written equations and saltation. Sampled: every EVERY-th point in both directions.
//   cvode_map [EVERY [PERIODS [RTOL]]]
//   cvode_map count PERIODS      one run of fig3a with the whole tangent at rtol 1e-9, for an instruction counter
// It knows no sliding: a motion with more than 200 impacts in one period, or one that has fallen through the barrier because a
// flight was too short to be seen, is given up and counted.
#include <cstdlib>

#include "sundials_solvers.hpp"

namespace {

constexpr int with_one_column = 12;
constexpr int most_impacts_per_period = 200;

/// ln of the growth of the column over all periods, or nothing.
bool exponent(const peers::TriplePendulum<double>& system, int periods, double rtol, double& log_growth) {
  using namespace peers;
  Cvode solver({system, with_one_column}, rtol);
  double* const y = solver.data();
  put_start(start_at_rest(system), y, with_one_column);
  solver.restart(0.0);
  double t = 0;
  for (int k = 1; k <= periods; ++k) {
    int impacts = 0;
    while (solver.advance(k * system.period(), t) == Arrival::contact) {
      if (++impacts > most_impacts_per_period) return false;
      strike(system, t, y, with_one_column);
      solver.restart(t);
    }
    if (gap_at(system, y) < -1e-6) return false;
    double square = 0;
    for (int i = 6; i < 12; ++i) square += y[i] * y[i];
    for (int i = 6; i < 12; ++i) y[i] /= std::sqrt(square);
    log_growth += 0.5 * std::log(square);
    solver.restart(t);
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace peers;
  if (argc == 3 && argv[1][0] == 'c') {
    Cvode solver({fig3a<double>(), full_size}, 1e-9);
    put_start(start_beside_attractor<double>(), solver.data(), full_size);
    std::array<double, 6> log_growth{};
    std::printf("%ld impacts\n", run_periods(solver, std::atoi(argv[2]), log_growth).count);
    return 0;
  }
  const int every = argc > 1 ? std::atoi(argv[1]) : 16;
  const int periods = argc > 2 ? std::atoi(argv[2]) : 100;
  const double rtol = argc > 3 ? std::atof(argv[3]) : 1e-9;
  double elapsed = 0, sum = 0;
  int followed = 0, given_up = 0;
  for (int j = 0; j < 64; j += every)
    for (int i = 0; i < 64; i += every) {
      const auto system = identical_rods<double>(0.1, 0.2 + i / 63.0, 0.8 + 0.8 * j / 63.0, 2.6, 0.9);
      double log_growth = 0;
      const double begin = processor_time();
      const bool whole = exponent(system, periods, rtol, log_growth);
      if (!whole) {
        ++given_up;
        continue;
      }
      elapsed += processor_time() - begin;
      ++followed;
      sum += log_growth / (periods * system.period());
    }
  const double each = elapsed / followed / periods;
  std::printf(
      "CVODE Adams, rtol %.0e: %d motions of %d periods, mean exponent %.5f, %d given up in accumulating impacts\n",
      rtol, followed, periods, sum / followed, given_up);
  std::printf("%.1f us/period and motion; 4096 motions of 100 periods: %.0f s\n", each, each * 0.4096);
}
