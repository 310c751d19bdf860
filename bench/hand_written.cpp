#include "hand_written.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "dop853_lanes.hpp"
#include "eigen_field.hpp"
#include "field_lanes.hpp"
#include "peer_problem.hpp"

namespace bench {
namespace {

using namespace peers;

template <class S>
struct FieldCase {
  TriplePendulum<double> system = fig3a<double>();
  Column<S> x;
  Columns6<S> X{};
  FieldSlopes<S> slopes;

  FieldCase() {
    const auto start = start_beside_attractor<double>();
    for (int k = 0; k < 3; ++k) x.q[k] = broadcast<S>(start.q[k]), x.v[k] = broadcast<S>(start.v[k]);
    for (int k = 0; k < 3; ++k) X[k].q[k] = X[k + 3].v[k] = broadcast<S>(1);
  }
};

template <class S>
double hand_field(double t) {
  static FieldCase<S> at;
  field_with_tangent(at.system, at.x, at.X, broadcast<S>(t), at.slopes);
  return lane(at.slopes.columns[5][2], 0);
}

Column<double> column_of_start(int k, int count) {
  Column<double> x = start_beside_attractor<double>();
  x.q[0] += 1e-3 * k / count;
  return x;
}

template <class Flow>
HandFlow timed(double rtol, int trajectories, int periods) {
  std::vector<Column<double>> starts;
  for (int k = 0; k < trajectories; ++k) starts.push_back(column_of_start(k, trajectories));
  const FlowOptions options{.rtol = rtol, .atol = rtol, .periods = periods};
  Flow flow(fig3a<double>(), options);
  const double begin = processor_time();
  const auto runs = flow(starts);
  const double microseconds = (processor_time() - begin) / trajectories / periods;
  double error = 0;
  for (int k = 0; k < 10; ++k) error = std::max(error, std::abs(runs[0].first_impacts[k] - reference_impacts[k]));
  Flow alone(fig3a<double>(), options);
  alone({starts[0]});
  return {microseconds, error, static_cast<double>(alone.attempts()) / periods};
}

template <int W>
using Batch = ImpactFlow<double, Lanes<W>, Lanes<W>, 0>;
template <int W>
using BatchTangent = ImpactFlow<double, Lanes<W>, Lanes<W>, 6>;
using Single = ImpactFlow<double, double, double, 0>;
using SingleTangent = ImpactFlow<double, double, Lanes<8>, 1>;  // the columns across the register

}  // namespace

double eigen_field_tangent(double t) {
  static const EigenField field(fig3a<double>());
  static const Column<double> start = start_beside_attractor<double>();
  static const TangentMatrix X = TangentMatrix::Identity();
  static TangentMatrix X_dot;
  const Eigen::Vector3d q(start.q[0] + 1e-6 * t, start.q[1], start.q[2]);  // keeps the sines inside the loop
  const EigenSlopes slopes = field(q, Eigen::Vector3d(start.v.data()), X, t);
  X_dot = slopes.X_dot;
  return X_dot(5, 5);
}

double hand_field_tangent_1(double t) { return hand_field<double>(t); }
double hand_field_tangent_4(double t) { return hand_field<Lanes<4>>(t); }
double hand_field_tangent_8(double t) { return hand_field<Lanes<8>>(t); }

HandFlow hand_flow(unsigned width, Carried carried, double rtol, int trajectories, int periods) {
  const bool tangent = carried == Carried::tangent;
  switch (width) {
    case 1: return (tangent ? timed<SingleTangent> : timed<Single>)(rtol, trajectories, periods);
    case 4: return (tangent ? timed<BatchTangent<4>> : timed<Batch<4>>)(rtol, trajectories, periods);
    case 8: return (tangent ? timed<BatchTangent<8>> : timed<Batch<8>>)(rtol, trajectories, periods);
    default: throw std::invalid_argument("hand_flow: 1, 4 or 8 lanes");
  }
}

void neighbouring_start(int k, int count, double x[6]) { put_column(column_of_start(k, count), x); }

double reference_impact(int k) { return reference_impacts[static_cast<std::size_t>(k)]; }

}  // namespace bench
