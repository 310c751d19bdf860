// Boost.odeint: dopri5 with error control, impacts found on its dense output and polished with true steps.
#include <boost/numeric/odeint.hpp>
#include <cstdlib>

#include "peer_problem.hpp"

namespace {

using namespace peers;
namespace odeint = boost::numeric::odeint;

template <int Size>
using State = std::array<double, Size>;

template <int Size>
struct Equations {
  const TriplePendulum<double>& system;
  void operator()(const State<Size>& y, State<Size>& dy, double t) const {
    right_side(system, t, y.data(), dy.data(), Size);
  }
};

/// The time within the last step at which the gap vanishes: bisection on the dense output.
template <class Stepper, int Size>
double contact_on_dense_output(const TriplePendulum<double>& system, const Stepper& stepper, State<Size>& y) {
  double low = stepper.previous_time(), high = stepper.current_time();
  while (high - low > 1e-6) {
    const double middle = 0.5 * (low + high);
    stepper.calc_state(middle, y);
    (gap_at(system, y.data()) > 0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

/// Newton on the length of a true step from (x, t); `end` is left on the barrier. Returns the time of contact.
template <int Size>
double land(const Equations<Size>& equations, const State<Size>& x, double t, double contact, State<Size>& end) {
  odeint::runge_kutta_dopri5<State<Size>> step;
  for (int i = 0; i < 4; ++i) {
    step.reset();  // it would start with the slope at its last end
    step.do_step(equations, x, t, end, contact - t);
    const double correction = -gap_at(equations.system, end.data()) / gap_rate_at(end.data());
    if (std::abs(correction) < 1e-14) break;
    contact += correction;
  }
  return contact;
}

template <int Size>
ImpactLog run(double rtol, int periods) {
  const auto system = fig3a<double>();
  const Equations<Size> equations{system};
  const double end_time = periods * system.period();
  auto stepper = odeint::make_dense_output(rtol, rtol, odeint::runge_kutta_dopri5<State<Size>>());
  State<Size> y, before;
  put_start(start_beside_attractor<double>(), y.data(), Size);
  stepper.initialize(y, 0.0, 0.02);
  ImpactLog log;
  double next_qr = system.period();
  std::array<double, 6> log_growth{};
  while (stepper.current_time() < end_time) {
    stepper.do_step(equations);
    if (gap_at(system, stepper.current_state().data()) < 0) {
      const double guess = contact_on_dense_output<decltype(stepper), Size>(system, stepper, y);
      before = stepper.previous_state();
      const double contact = land<Size>(equations, before, stepper.previous_time(), guess, y);
      log.add(contact);
      strike(system, contact, y.data(), Size);
      stepper.initialize(y, contact, stepper.current_time_step());
    }
    if (Size == full_size && stepper.current_time() > next_qr) {
      y = stepper.current_state();
      orthonormalise_in(y.data(), log_growth);
      stepper.initialize(y, stepper.current_time(), stepper.current_time_step());
      next_qr += system.period();
    }
  }
  return log;
}

}  // namespace

/// `odeint_peer count PERIODS`: one run with the tangent at rtol 1e-9, for an instruction counter.
int main(int argc, char** argv) {
  if (argc == 3 && argv[1][0] == 'c') {
    std::printf("%ld impacts\n", run<full_size>(1e-9, std::atoi(argv[2])).count);
    return 0;
  }
  std::puts("Boost.odeint, first ten impacts:");
  print_first_impacts(run<state_size>);
  measure_at_equal_error("odeint dopri5, trajectory only", run<state_size>, 200);
  measure_at_equal_error("odeint dopri5, with tangent", run<full_size>, 200);
}
