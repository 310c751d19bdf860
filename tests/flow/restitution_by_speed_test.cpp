// Restitution that depends on the speed of approach: closed forms, the identities of an impact, its tangent, and where there is none.

#include <cmath>
#include <functional>
#include <random>

#include "tests/support/flow_support.hpp"

namespace saltus {
namespace {

using test::Carries;
using test::count_of;
using test::Motion;

std::string ball_with(const std::string& restitution) {
  return R"toml([parameters]
g = 1
c = 0.05
[mechanics]
coordinates = ["x"]
mass  = [["2"]]
force = ["-2*g"]
[[contact]]
name = "floor"
gap = "x"
restitution = ")toml" +
         restitution + R"toml("
[initial]
x = 2
)toml";
}

class RestitutionBySpeed : public test::OnEveryRoad {};
INSTANTIATE_TEST_SUITE_P(Roads, RestitutionBySpeed, test::every_road, test::name_of_road);

TEST_P(RestitutionBySpeed, IsThatOfEachImpactOfABall) {
  const FlowResult result = of(ball_with("0.9 - c*approach")).until(12.0);
  double u = 2.0;  // √(2 g x) before the first impact
  double t = 2.0;
  std::size_t impacts = 0;
  for (const Event& event : result.events) {
    if (event.kind != EventKind::impact) continue;
    EXPECT_NEAR(event.t, t, 1e-9);
    EXPECT_NEAR(event.gamma_minus, -u, 1e-9);
    u *= 0.9 - 0.05 * u;
    EXPECT_NEAR(event.gamma_plus, u, 1e-9);
    t += 2.0 * u;
    ++impacts;
  }
  EXPECT_GE(impacts, 5U);
  EXPECT_LE(result.ledger.energy_residual, 1e-14);
}

TEST_P(RestitutionBySpeed, OutsideZeroAndOneEndsTheMotionInWords) {
  const FlowResult above = of(ball_with("0.6 + 0.3*approach")).until(12.0);
  EXPECT_EQ(above.outcome, Outcome::left_domain);
  ASSERT_TRUE(std::holds_alternative<NoRestitution>(above.details));
  EXPECT_CLOSE(std::get<NoRestitution>(above.details).speed, 2.0, rounding(100));
  EXPECT_CLOSE(std::get<NoRestitution>(above.details).restitution, 1.2, rounding(100));
  EXPECT_EQ(above.contacts, std::vector<std::size_t>{0});
  const FlowResult below = of(ball_with("0.9 - 0.5*approach")).until(12.0);
  EXPECT_EQ(below.outcome, Outcome::left_domain);
  EXPECT_EQ(of(ball_with("max(0, 0.9 - 0.5*approach)")).until(12.0).outcome, Outcome::reached_end);
}

TEST_P(RestitutionBySpeed, OfOneAtRestInProportionToTheSpeedNeverEndsAChatter) {
  // 1 − e = c w: speeds fall as 1/(c k), so that the times of flight have no finite sum.
  const FlowResult result = of(ball_with("1 - c*approach")).until(200.0);  // 40 ln(k) = 200
  EXPECT_EQ(result.outcome, Outcome::reached_end);
  EXPECT_EQ(count_of(result, EventKind::chatter), 0U);
  EXPECT_GT(count_of(result, EventKind::impact), 500U);
}

TEST(RestitutionLaw, NamesAParameterCalledApproachByItself) {
  const Motion m = Motion::of("[parameters]\napproach = 0.25\n" + ball_with("approach").substr(13));
  EXPECT_FALSE(m.model().contacts[0].by_speed);
  const FlowResult result = m.until(3.0);
  EXPECT_NEAR(result.events.front().gamma_plus, 0.5, 1e-9);
}

// ---- the tangent ---------------------------------------------------------------------------------------------------

/// A curved floor that moves, a leaning wall, masses that are coupled; nothing of it special.
std::string corner_with(const std::string& floor, const std::string& wall, const std::string& law = "sequential") {
  return R"toml([parameters]
a = 0.6
c = 0.2
omega = 1.7
[mechanics]
coordinates = ["x", "y"]
mass  = [["2 + y^2", "0.3"], ["0.3", "1"]]
force = ["-x - 0.3*x'", "-1 - 0.1*y'*x"]
[[contact]]
name = "floor"
gap = "y + x^2/8 - 0.1*sin(omega*t)"
restitution = ")toml" +
         floor + R"toml("
[[contact]]
name = "wall"
gap = "1.2 - x + x*y/4"
restitution = ")toml" +
         wall + R"toml("
[forcing]
period = "2*pi/omega"
[solver]
impact_law = ")toml" +
         law + R"toml("
[initial]
y = 1
"x'" = 1.4
)toml";
}

struct Laws {
  std::string floor, wall;
};

class RestitutionLaws : public testing::TestWithParam<Laws> {};

INSTANTIATE_TEST_SUITE_P(Laws, RestitutionLaws,
                         testing::Values(Laws{"a - c*approach", "0.5 + 0.1*approach"},
                                         Laws{"1 - 0.4*approach^0.2", "a*exp(-approach)"},
                                         Laws{"min(1, (c/approach)^0.25)", "a/(1 + approach)"},
                                         Laws{"a - 0.1*sqrt(approach)", "0.7"}));

TEST_P(RestitutionLaws, HaveATangentThatAgreesWithDifferencesAtSecondOrder) {
  const Motion m = Motion::of(corner_with(GetParam().floor, GetParam().wall),
                              {.varied = {"a", "c", "omega"}, .options = test::tight()});
  const FlowResult result = m.until(3.5);
  EXPECT_EQ(count_of(result, EventKind::impact), 2U) << test::sequence_of(result);  // one on each
  test::expect_tangent(m, 3.5, {.h = 2e-4});
}

TEST_P(RestitutionLaws, ContractPhaseVolumeByETimesTheSlopeOfTheRebound) {
  const Motion m = Motion::of(corner_with(GetParam().floor, GetParam().wall), {.options = test::tight()});
  const Mechanism mechanism = m.mechanism();
  std::mt19937 random(20261);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const Layout& layout = m.layout();
  for (int count = 0; count < 200; ++count) {
    Vector x(4);
    x << unit(random), unit(random), unit(random), unit(random);
    for (std::size_t i = 0; i < 2; ++i) {
      const ContactValue at = mechanism.contact(0.3, x, Mode(layout));
      const auto row = static_cast<Eigen::Index>(i);
      const double w = -at.gamma[row];
      if (w < 0.05 || at.restitution[row] > 1.0 || at.restitution[row] < 0.0) continue;
      std::vector<char> struck(2, 0);
      struck[i] = 1;
      const Jump jump = followed_by(no_jump(layout, x), mechanism, 0.3, struck, {1, 1});
      const Vector jet = mechanism.jets(0.3, x, Mode(layout)).row(row).transpose();
      const EventJet event{jet.head(4),
                           jet[4],
                           jet.tail(0),
                           jump.dR_dx,
                           jump.dR_dt,
                           jump.dR_dp,
                           mechanism.field(0.3, x, Mode(layout)).rate,
                           mechanism.field(0.3, jump.x, Mode(layout)).rate};
      const double det = carried_over(event, Matrix::Identity(4, 4)).determinant();
      EXPECT_NEAR(std::abs(det), std::exp(jump.log_contraction), 1e-11);
      // e² alone, as if the restitution did not change with the speed, is another number.
      const double e = at.restitution[row];
      if (std::abs(at.rebound_slope[row] - e) > 1e-6) { EXPECT_GT(std::abs(std::abs(det) - e * e), 1e-9); }
    }
  }
}

TEST(RestitutionLaw, DifferentiatedAsAConstantIsRejected) {
  // The same motion over one impact with the number that the law takes there: its tangent is not that of the law.
  const Motion law = Motion::of(ball_with("0.9 - 0.05*approach"), {.options = test::tight()});
  const Motion number = Motion::of(ball_with("0.8"), {.options = test::tight()});
  const FlowResult a = law.until(3.0, Carries::state_and_tangent);
  const FlowResult b = number.until(3.0, Carries::state_and_tangent);
  EXPECT_NEAR((a.end.x - b.end.x).norm(), 0.0, 1e-10);
  // det S = e (e + e′ w) = 0.8 · 0.7, not 0.8².
  EXPECT_NEAR(a.end.tangent.determinant(), 0.56, 1e-10);
  EXPECT_NEAR(b.end.tangent.determinant(), 0.64, 1e-10);
  EXPECT_NEAR(a.ledger.log_contraction, std::log(0.56), 1e-10);
  test::expect_tangent(law, 3.0, {.h = 1e-3});
}

// ---- several contacts ----------------------------------------------------------------------------------------------

std::string row_of_balls(const std::string& law) {
  return R"toml([mechanics]
coordinates = ["a", "b", "c"]
mass  = [["1", "0", "0"], ["0", "1", "0"], ["0", "0", "2"]]
force = ["0", "0", "0"]
[[contact]]
name = "ab"
gap = "b - a"
restitution = "0.9 - 0.3*approach"
[[contact]]
name = "bc"
gap = "c - b"
restitution = "0.5 + 0.2*approach"
[solver]
impact_law = ")toml" +
         law + R"toml("
[initial]
a = -1
"a'" = 1
)toml";
}

TEST(RestitutionLaw, OfImpactsOneAfterTheOtherIsThatOfTheSpeedsBetween) {
  const Motion m = Motion::of(row_of_balls("sequential"));
  const FlowResult result = m.until(1.5);
  ASSERT_EQ(result.outcome, Outcome::reached_end);
  double v[3] = {1.0, 0.0, 0.0};
  const double mass[3] = {1.0, 1.0, 2.0};
  const auto strike = [&](int i, double e) {
    const double w = v[i] - v[i + 1];
    const double impulse = (1.0 + e) * w / (1.0 / mass[i] + 1.0 / mass[i + 1]);
    v[i] -= impulse / mass[i];
    v[i + 1] += impulse / mass[i + 1];
  };
  for (bool more = true; more;) {
    more = false;
    const double first = v[0] - v[1], second = v[1] - v[2];
    if (first > 1e-12 && first >= second) {
      strike(0, 0.9 - 0.3 * first);
      more = true;
    } else if (second > 1e-12) {
      strike(1, 0.5 + 0.2 * second);
      more = true;
    }
  }
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(result.end.x[3 + i], v[i], 1e-11);
}

TEST(RestitutionLaw, OfContactsStruckTogetherIsThatOfTheSpeedOfEach) {
  const Motion m = Motion::of(R"toml([mechanics]
coordinates = ["y", "phi"]
mass  = [["1", "0"], ["0", "0.3"]]
force = ["-1", "0"]
[[contact]]
name = "left"
gap = "y - 0.5*phi"
restitution = "0.9 - 0.3*approach"
[[contact]]
name = "right"
gap = "2*(y + 0.4*phi)"
restitution = "0.2 + 0.1*approach"
[solver]
impact_law = "moreau"
[initial]
y = 0.5
)toml");
  const FlowResult result = m.until(1.05);
  ASSERT_EQ(count_of(result, EventKind::impact), 2U) << test::sequence_of(result);
  for (const Event& event : result.events) {
    const double w = event.index == 0 ? 1.0 : 2.0;
    const double e = event.index == 0 ? 0.9 - 0.3 * w : 0.2 + 0.1 * w;
    EXPECT_NEAR(event.gamma_minus, -w, 1e-10);
    EXPECT_NEAR(event.gamma_plus, e * w, 1e-10);
  }
  EXPECT_NEAR(result.ledger.log_contraction, std::log(0.6 * 0.3) + std::log(0.4 * 0.6), 1e-9);
}

}  // namespace
}  // namespace saltus
