// When the impacts of a chatter accumulate, against sums of their flights one by one.

#include "saltus/flow/chatter.hpp"

#include <cmath>
#include <functional>

#include "tests/support/flow_support.hpp"

namespace saltus {
namespace {

using test::count_of;
using test::Motion;
using test::tight;

double accumulated_at(const FlowResult& result) {
  for (const Event& event : result.events)
    if (event.kind == EventKind::chatter) return event.t;
  return 0.0;
}

// ---- forces that change on the way --------------------------------------------------------------------------------

/// x″ = −1 − c x′ + A sin t above the floor x = 0, in closed form and in long double.
struct ShakenBall {
  long double c, A;
  std::function<long double(long double)> e;  // of the speed of approach

  long double particular(long double t) const {
    return -1.0L / c + A * (c * std::sin(t) - std::cos(t)) / (1.0L + c * c);
  }
  long double integral(long double t) const { return -t / c - A * (c * std::cos(t) + std::sin(t)) / (1.0L + c * c); }
  long double speed(long double t0, long double u, long double t) const {
    return particular(t) + (u - particular(t0)) * std::exp(-c * (t - t0));
  }
  long double height(long double t0, long double u, long double t) const {
    return integral(t) - integral(t0) - (u - particular(t0)) / c * std::expm1(-c * (t - t0));
  }
  /// The next impact: its time and its speed. Short flights by Taylor's series, in which nothing cancels.
  std::pair<long double, long double> flight(long double t0, long double u) const {
    const long double a = -1.0L - c * u + A * std::sin(t0);
    if (u > 1e-3L) {
      long double t = t0 - 2.0L * u / a;
      for (int count = 0; count < 40; ++count) t -= height(t0, u, t) / speed(t0, u, t);
      return {t, -speed(t0, u, t)};
    }
    constexpr int terms = 9;
    long double d[terms] = {0.0L, u, a};  // x and its derivatives
    const long double sines[] = {std::sin(t0), std::cos(t0), -std::sin(t0), -std::cos(t0)};
    for (int k = 3; k < terms; ++k) d[k] = -c * d[k - 1] + A * sines[(k - 2) % 4];
    long double tau = -2.0L * u / a;
    for (int count = 0; count < 20; ++count) {
      long double mean = 0.0L, slope = 0.0L, power = 1.0L;  // x/τ and its derivative
      for (int k = 1; k < terms; ++k) {
        power /= static_cast<long double>(k);
        mean += d[k] * power * std::pow(tau, static_cast<long double>(k - 1));
        if (k > 1)
          slope += d[k] * power * static_cast<long double>(k - 1) * std::pow(tau, static_cast<long double>(k - 2));
      }
      tau -= mean / slope;
    }
    long double w = 0.0L, power = 1.0L;
    for (int k = 1; k < terms; ++k) {
      w -= d[k] * power;
      power *= tau / static_cast<long double>(k);
    }
    return {t0 + tau, w};
  }
  /// From the floor at t0 with the speed u: the end of all flights, summed one by one. What is left in the end is below 1e-11 and known to
  /// the order of 1 − e, if that is a power of the speed.
  long double end_of(long double t0, long double u) const {
    while (u > 1e-13L) {
      const auto [t, w] = flight(t0, u);
      u = e(w) * w;
      t0 = t;
    }
    const long double slope = (e(u) * u - e(0.99L * u) * 0.99L * u) / (0.01L * u);
    return t0 + 2.0L * u / (1.0L - A * std::sin(t0)) / (1.0L - 2.0L * e(u) + slope);
  }
};

std::string shaken_ball(const std::string& restitution) {
  return R"toml([parameters]
c = 0.7
A = 0.6
[mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["-1 - c*x' + A*sin(t)"]
[[contact]]
name = "floor"
gap = "x"
restitution = ")toml" +
         restitution + R"toml("
[initial]
"x'" = 0.5
)toml";
}

TEST(ChatterTime, OfABallUnderForcesThatChangeIsThatOfItsFlightsOneByOne) {
  for (const double e : {0.2, 0.5, 0.8}) {
    const ShakenBall ball{0.7L, 0.6L, [&](long double) { return static_cast<long double>(e); }};
    const auto truth = static_cast<double>(ball.end_of(0.0L, 0.5L));
    for (const FlowMethod method : {FlowMethod::runge_kutta, FlowMethod::exact}) {
      Motion m = Motion::of(shaken_ball(std::to_string(e)));
      m.options.method = method;
      const FlowResult result = m.until(6.0);
      ASSERT_EQ(count_of(result, EventKind::chatter), 1U);
      // First order alone is wrong by 2e-9 to 3e-8 here.
      EXPECT_NEAR(accumulated_at(result), truth, 2e-10) << e;
    }
  }
}

struct SpeedLaw {
  std::string text;
  std::function<long double(long double)> e;
};

TEST(ChatterTime, OfARestitutionThatDependsOnTheSpeedIsThatOfItsFlightsOneByOne) {
  const std::vector<SpeedLaw> laws = {
      {"0.7 - 0.4*approach", [](long double w) { return 0.7L - 0.4L * w; }},
      {"0.3 + 0.9*approach", [](long double w) { return 0.3L + 0.9L * w; }},
      {"0.9*approach", [](long double w) { return 0.9L * w; }},
      {"0.8 - 0.3*sqrt(approach)", [](long double w) { return 0.8L - 0.3L * std::sqrt(w); }},
      {"1 - 0.4*approach^0.2", [](long double w) { return 1.0L - 0.4L * std::pow(w, 0.2L); }}};
  for (const SpeedLaw& law : laws) {
    const ShakenBall ball{0.7L, 0.6L, law.e};
    const auto truth = static_cast<double>(ball.end_of(0.0L, 0.5L));
    for (const FlowMethod method : {FlowMethod::runge_kutta, FlowMethod::exact}) {
      Motion m = Motion::of(shaken_ball(law.text));
      m.options.method = method;
      const FlowResult result = m.until(8.0);
      ASSERT_GE(count_of(result, EventKind::chatter), 1U) << law.text;
      EXPECT_NEAR(accumulated_at(result), truth, 3e-10) << law.text;
    }
  }
}

TEST(ChatterTime, IsNotAheadOfTheEndOfARun) {
  // A run that ends among the last impacts is not closed before its time: at its end the ball still flies.
  const ShakenBall ball{0.7L, 0.6L, [](long double) { return 0.8L; }};
  const auto end = static_cast<double>(ball.end_of(0.0L, 0.5L));
  const Motion m = Motion::of(shaken_ball("0.8"));
  for (const double before : {1e-3, 1e-5, 1e-6}) {
    const FlowResult result = m.until(end - before);
    EXPECT_EQ(count_of(result, EventKind::chatter), 0U) << before;
    EXPECT_FALSE(result.end.mode.is_closed(0)) << before;
    EXPECT_LE(std::abs(result.end.x[1]), before) << before;
  }
  const FlowResult beyond = m.until(end + 1e-3);
  EXPECT_TRUE(beyond.end.mode.is_closed(0));
}

// ---- friction between the bodies ----------------------------------------------------------------------------------

/// A mass pressed with F against a stop of its support, which dry friction N holds: every impact kicks the support, which slips and
/// sticks again before the next. All of it scales with the speed w of the impact.
struct KickedSupport {
  double N, F, e;

  double kick() const { return (1.0 + e) / 6.0; }
  double slip_time() const { return kick() / ((N + F) / 5.0); }
  double slip_pressing() const { return (N + 6.0 * F) / 5.0; }
  double speed_after_slip() const { return e - slip_pressing() * slip_time(); }
  double gap_after_slip() const { return slip_time() * (e - 0.5 * slip_pressing() * slip_time()); }
  double ratio() const { return std::sqrt(speed_after_slip() * speed_after_slip() + 2.0 * F * gap_after_slip()); }
  double flight() const { return slip_time() + (speed_after_slip() + ratio()) / F; }
  /// From rest, half a unit away from the stop.
  double accumulation() const { return std::sqrt(1.0 / F) * 1.0 + std::sqrt(F) * flight() / (1.0 - ratio()); }
};

std::string kicked_support(const KickedSupport& of, const std::string& force) {
  return "[parameters]\nN = " + std::to_string(of.N) + "\nF = " + std::to_string(of.F) +
         "\ne = " + std::to_string(of.e) + R"toml(
[mechanics]
coordinates = ["s", "x"]
mass  = [["6", "1"], ["1", "1"]]
force = ["-N*sign(s')", ")toml" +
         force + R"toml("]
[[contact]]
name = "stop"
gap = "0.5 - x"
restitution = "e"
)toml";
}

TEST(ChatterTime, WithFrictionBetweenTheBodiesHasTheRatioThatFrictionGivesIt) {
  for (const KickedSupport& of : {KickedSupport{5.0, 1.0, 0.8}, KickedSupport{3.0, 2.0, 0.5}}) {
    ASSERT_GT(of.speed_after_slip() + of.ratio(), 0.0);
    for (const FlowMethod method : {FlowMethod::runge_kutta, FlowMethod::automatic}) {
      Motion m = Motion::of(kicked_support(of, "F"));
      m.options.method = method;
      const FlowResult result = m.until(6.0);
      ASSERT_EQ(result.outcome, Outcome::reached_end);
      ASSERT_EQ(count_of(result, EventKind::chatter), 1U);
      EXPECT_NEAR(accumulated_at(result), of.accumulation(), 1e-9);
      EXPECT_TRUE(result.end.mode.is_closed(0));
      // By e alone, as if nothing slipped, it would be elsewhere.
      EXPECT_GT(std::abs(std::sqrt(1.0 / of.F) * (1.0 + 2.0 * of.e / (1.0 - of.e)) - of.accumulation()), 0.1);
    }
  }
}

TEST(ChatterTime, OfAnElectrostaticDeviceWithStickSlipIsThatOfAFinerComputation) {
  // chatter_time_with_friction: a moving mass on a support with dry friction (COCO's tutorial on hybrid periodic orbits).
  const Motion m = Motion::of(R"toml([parameters]
V = 1
c = 0.04
n = 3.17
w = 0.92
e = 0.8
[mechanics]
coordinates = ["s", "x"]
mass = [["6", "1"], ["1", "1"]]
force = ["-5*n*sign(s')", "V^2*sin(w*t)^2/(1-x)^2 - c*x' - x"]
[[contact]]
name = "stop"
gap = "0.5 - x"
restitution = "e"
[forcing]
period = "pi/w"
[initial]
x = 0.25
)toml");
  const FlowResult result = m.until(m.period());
  ASSERT_EQ(result.outcome, Outcome::reached_end);
  EXPECT_NEAR(accumulated_at(result), 2.3758956583, 1e-9);
}

TEST(ChatterTangent, WithFrictionBetweenTheBodiesIsThatOfDifferences) {
  const Motion m =
      Motion::of(kicked_support({5.0, 1.0, 0.8}, "F - 0.1*x' + 0.3*s"), {.varied = {"F", "e"}, .options = tight()});
  const Matrix X = m.until(6.0, test::Carries::state_and_tangent).end.tangent;
  Matrix D(X.rows(), X.cols());
  constexpr double h = 1e-4;
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    const auto end = [&](double by) {
      const Vector dx = j < 4 ? Vector(Vector::Unit(4, j) * by) : Vector(Vector::Zero(4));
      const FlowResult result =
          m.until(6.0, dx, static_cast<std::size_t>(std::max<Eigen::Index>(j - 4, 0)), j < 4 ? 0.0 : by);
      EXPECT_EQ(count_of(result, EventKind::chatter), 1U);
      return result.end.x;
    };
    D.col(j) = (end(h) - end(-h)) / (2.0 * h);
  }
  EXPECT_LE(test::largest(D - X), 1e-4 * test::largest(X)) << "X\n" << X << "\nD\n" << D;
}

// ---- what the flights are ------------------------------------------------------------------------------------------

TEST(ChatterTime, OfTheTriplePendulumDoesNotDependOnWhereItIsCompleted) {
  // A tighter tolerance completes later: the two times agree to the looser one.
  const auto time = [](double rtol) {
    Motion m = Motion::example("triple_pendulum_barrier", {.case_name = "fig3b"});
    m.options.rtol = rtol;
    m.options.atol = 0.01 * rtol;
    return accumulated_at(m.flow_from({}, Vector{{0.7, 0.8, 0.9, 0.0, 0.0, 0.0}}, {0, 3.0}));
  };
  // First order is wrong by 1e-8. The gap, a sum of size 3, is rounded to 4e-16: at rebounds of 1e-5 that is 4e-11 in each impact's time.
  EXPECT_NEAR(time(1e-10), 1.39497814541, 3e-10);
  EXPECT_NEAR(time(1e-12), 1.39497814541, 3e-10);
}

}  // namespace
}  // namespace saltus
