// Runs the hand-written programs: checks them against each other and prints their times per forcing period.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <vector>

#include "dop853_lanes.hpp"
#include "eigen_field.hpp"
#include "field_lanes.hpp"
#include "peer_problem.hpp"

namespace {

using namespace peers;

using Reference = ImpactFlow<long double, long double, long double, 0>;
using Single = ImpactFlow<double, double, double, 0>;
using SingleTangent = ImpactFlow<double, double, Lanes<8>, 1>;
template <int W>
using Batch = ImpactFlow<double, Lanes<W>, Lanes<W>, 0>;
template <int W>
using BatchTangent = ImpactFlow<double, Lanes<W>, Lanes<W>, 6>;

std::array<double, 10> computed_reference() {
  const auto system = fig3a<long double>();
  const auto run =
      Reference(system, {.rtol = 1e-16, .atol = 1e-16, .periods = 4})({start_beside_attractor<long double>()}).front();
  std::array<double, 10> times;
  for (int k = 0; k < 10; ++k) times[k] = static_cast<double>(run.first_impacts[k]);
  return times;
}

template <class R>
double worst_difference(const std::array<R, 10>& a, const std::array<double, 10>& b) {
  double worst = 0;
  for (int k = 0; k < 10; ++k) worst = std::max(worst, std::abs(static_cast<double>(a[k]) - b[k]));
  return worst;
}

/// `count` starts beside the one of fig3a, so that the lanes drift apart in time and step size.
std::vector<Column<double>> neighbouring_starts(int count) {
  const Column<double> x = start_beside_attractor<double>();
  std::vector<Column<double>> starts(count, x);
  for (int k = 0; k < count; ++k) starts[k].q[0] += 1e-3 * k / count;
  return starts;
}

/// Microseconds per forcing period and trajectory, the best of three runs.
template <class Flow>
double time_per_period(double rtol, int trajectories, int periods) {
  const auto starts = neighbouring_starts(trajectories);
  double best = 1e300;
  for (int repeat = 0; repeat < 3; ++repeat) {
    Flow flow(fig3a<double>(), {.rtol = rtol, .atol = rtol, .periods = periods});
    const double begin = processor_time();
    flow(starts);
    best = std::min(best, (processor_time() - begin) / trajectories / periods);
  }
  return best;
}

template <class Flow>
void report(const char* name, double rtol, int trajectories, const std::array<double, 10>& reference) {
  constexpr int periods = 200;
  const auto start = start_beside_attractor<double>();
  Flow flow(fig3a<double>(), {.rtol = rtol, .atol = rtol, .periods = periods});
  const auto run = flow({start}).front();
  std::printf("%-34s %8.2f us/period   impact error %.1e   %.1f attempts/period\n", name,
              time_per_period<Flow>(rtol, trajectories, periods), worst_difference(run.first_impacts, reference),
              double(flow.attempts()) / periods);
}

void print_spectrum(const char* name, const TriplePendulum<double>& system, const Column<double>& start, int transient,
                    int periods) {
  BatchTangent<4> settle(system, {.periods = transient}), measure(system, {.periods = periods});
  const auto run = measure({settle({start}).front().end}).front();
  std::printf("%s spectrum in bits:", name);
  for (const double growth : run.log_growth)
    std::printf(" %.4f", growth / (periods * system.period() * std::numbers::ln2));
  std::printf("   (%ld impacts in %d periods)\n", run.impacts, periods);
}

double component(const Column<double>& x, int i) { return i < 3 ? x.q[i] : x.v[i - 3]; }
double& component(Column<double>& x, int i) { return i < 3 ? x.q[i] : x.v[i - 3]; }

/// Worst difference between column `column` of the tangent over one period and the central difference of the flow.
double difference_error(const Column<double>& start, int column, double step) {
  const FlowOptions options{.rtol = 1e-13, .atol = 1e-13, .periods = 1, .tangent = TangentUse::raw};
  Column<double> right = start, left = start;
  component(right, column) += step;
  component(left, column) -= step;
  const auto runs = BatchTangent<4>(fig3a<double>(), options)({start, right, left});
  double worst = 0;
  for (int i = 0; i < 6; ++i) {
    const double difference = (component(runs[1].end, i) - component(runs[2].end, i)) / (2 * step);
    worst = std::max(worst, std::abs(difference - component(runs[0].tangent[column], i)));
  }
  return worst;
}

void print_difference_check() {
  const auto start = start_beside_attractor<double>();
  std::puts("central differences of the flow over one period against the tangent (the error falls by 4):");
  for (int column = 0; column < 6; ++column) {
    const double coarse = difference_error(start, column, 2e-4), fine = difference_error(start, column, 1e-4);
    std::printf("  column %d: %.2e %.2e, ratio %.3f\n", column, coarse, fine, coarse / fine);
  }
}

void print_sincos_error() {
  double worst = 0;
  for (int k = -400000; k <= 400000; ++k) {
    const double x = k * 0.0123456789;
    const auto [s, c] = sincos(Lanes<4>{x, x, x, x});
    const auto ulps = [](double y, long double exact) {
      return std::abs(double((y - exact) / (std::nextafter(std::abs(double(exact)), 2.0) - std::abs(double(exact)))));
    };
    worst = std::max(
        {worst, ulps(s[0], std::sin(static_cast<long double>(x))), ulps(c[1], std::cos(static_cast<long double>(x)))});
  }
  std::printf("sin, cos for |x| < 5000: worst error %.2f ulp\n", worst);
}

/// Nanoseconds per trajectory and call, the best of five.
template <class Call>
double time_per_call(const Call& call, int trajectories) {
  constexpr int calls = 200000;
  double best = 1e300;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const double begin = processor_time();
    for (int i = 0; i < calls; ++i) call(i * 1e-6);
    best = std::min(best, 1e3 * (processor_time() - begin) / calls / trajectories);
  }
  return best;
}

volatile double sink;

template <class S>
double time_of_field() {
  const auto system = fig3a<double>();
  const auto start = start_beside_attractor<double>();
  Column<S> x;
  Columns6<S> X{};
  FieldSlopes<S> slopes;
  for (int k = 0; k < 3; ++k) x.q[k] = broadcast<S>(start.q[k]), x.v[k] = broadcast<S>(start.v[k]);
  for (int k = 0; k < 3; ++k) X[k].q[k] = X[k + 3].v[k] = broadcast<S>(1);
  return time_per_call(
      [&](double t) {
        field_with_tangent(system, x, X, broadcast<S>(t), slopes);
        sink = lane(slopes.columns[5][2], 0);
      },
      width<S>);
}

double time_of_eigen_field() {
  const EigenField field(fig3a<double>());
  const auto start = start_beside_attractor<double>();
  Eigen::Vector3d q(start.q.data()), v(start.v.data());
  TangentMatrix X = TangentMatrix::Identity();
  return time_per_call(
      [&](double t) {
        q[0] += 1e-12;  // keeps the sines inside the loop
        const EigenSlopes slopes = field(q, v, X, t);
        sink = slopes.X_dot.sum();
      },
      1);
}

/// Worst difference of the two fields at the start of the timings, tangent included.
double difference_of_fields() {
  const auto start = start_beside_attractor<double>();
  std::array<double, full_size> y, dy;
  put_start(start, y.data(), full_size);
  right_side(fig3a<double>(), 0.7, y.data(), dy.data(), full_size);
  const EigenSlopes slopes = EigenField(fig3a<double>())(
      Eigen::Vector3d(start.q.data()), Eigen::Vector3d(start.v.data()), TangentMatrix::Identity(), 0.7);
  const double state = (slopes.vdot - Eigen::Map<const Eigen::Vector3d>(dy.data() + 3)).cwiseAbs().maxCoeff();
  return std::max(state, (slopes.X_dot - Eigen::Map<const TangentMatrix>(dy.data() + 6)).cwiseAbs().maxCoeff());
}

void print_fields() {
  std::printf("field with tangent: Eigen and hand-written differ by %.1e\n", difference_of_fields());
  std::printf("  Eigen %.1f ns, hand-written per trajectory: W = 1 %.1f ns, W = 4 %.1f ns, W = 8 %.1f ns\n",
              time_of_eigen_field(), time_of_field<double>(), time_of_field<Lanes<4>>(), time_of_field<Lanes<8>>());
}

}  // namespace

int main(int argc, char** argv) {
  const double rtol = argc > 1 ? std::atof(argv[1]) : 1e-9;
  print_sincos_error();
  const auto reference = computed_reference();
  std::puts("first ten impacts of fig3a (long double, rtol 1e-16):");
  for (const double t : reference) std::printf("  %.15f\n", t);
  std::printf("the constants of peer_problem.hpp differ by %.1e\n", worst_difference(reference, reference_impacts));
  print_difference_check();
  print_spectrum("fig3a", fig3a<double>(), start_beside_attractor<double>(), 200, 1000);
  print_spectrum("fig4ab", fig4ab<double>(), start_at_rest(fig4ab<double>()), 200, 1000);
  print_fields();
  std::printf("rtol = %.1e\n", rtol);
  report<Batch<8>>("8 lanes, trajectory only", rtol, 64, reference);
  report<Batch<4>>("4 lanes, trajectory only", rtol, 64, reference);
  report<Single>("single, trajectory only", rtol, 4, reference);
  report<BatchTangent<8>>("8 lanes, with tangent", rtol, 64, reference);
  report<BatchTangent<4>>("4 lanes, with tangent", rtol, 64, reference);
  report<SingleTangent>("single, with tangent", rtol, 4, reference);
}
