#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "saltus/analysis/hill/hill_stability.hpp"
#include "saltus/kernel/tape.hpp"
#include "tests/analysis/hill/hill_models.hpp"
#include "tests/analysis/hill/hill_reference.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

using std::numbers::pi;
using Point = std::vector<double>;

double relative(double a, double b) { return a == b ? 0.0 : std::abs(a - b) / std::max(std::abs(a), std::abs(b)); }

// ---- closed forms --------------------------------------------------------------------------------------------------

/// Zeros on (0, t] of the solution that starts at (y, v), for a constant stiffness.
long zeros_of_constant(double k, double t, double y, double v) {
  if (k <= 0.0) {
    const Eigen::Vector2d end = constant_stiffness(k, t) * Eigen::Vector2d(y, v);
    const double start = y != 0.0 ? y : v;
    return start * end[0] <= 0.0 ? 1 : 0;
  }
  const double w = std::sqrt(k);
  const double phase = std::atan2(w * y, v);  // y ∝ sin(w t + phase); Leine 2012, eq. 91
  return static_cast<long>(std::floor((w * t + phase) / pi)) - static_cast<long>(std::floor(phase / pi));
}

struct ClosedForm {
  Eigen::Matrix2d phi;
  long zeros;
};

/// Meissner's equation: quarter, half, quarter of the period with the stiffnesses alpha ± 2 beta.
ClosedForm closed_meissner(double alpha, double beta) {
  Eigen::Vector2d y2(0.0, 1.0);
  ClosedForm form{Eigen::Matrix2d::Identity(), 0};
  for (const auto& [k, t] : {std::pair(alpha + 2 * beta, pi / 4), std::pair(alpha - 2 * beta, pi / 2),
                             std::pair(alpha + 2 * beta, pi / 4)}) {
    form.zeros += zeros_of_constant(k, t, y2[0], y2[1]);
    y2 = constant_stiffness(k, t) * y2;
    form.phi = constant_stiffness(k, t) * form.phi;
  }
  return form;
}

/// Theorem 2 of Leine 2012 as it is printed.
double theorem_2(double trace, long n) {
  const double sign = n % 2 == 0 ? 1.0 : -1.0;
  if (n == 0 && trace >= 2.0) return 0.0;
  if (std::abs(trace) <= 2.0) return 1.0;
  const double lambda = (std::abs(trace) + std::sqrt(trace * trace - 4.0)) / 2.0;
  return std::pow(lambda, -1.0 / static_cast<double>(sign * trace > 2.0 ? n : n + 1));
}

TEST(Hill, WithoutExcitationEverythingIsSinesAndCosines) {
  for (double alpha = -8.0; alpha <= 32.0; alpha += 0.37) {
    const HillSolution solution = mathieu().solve(Point{alpha, 0.0});
    ASSERT_TRUE(solution.converged);
    EXPECT_CLOSE(solution.monodromy, constant_stiffness(alpha, pi), rounding(200));  // worst measured: 60 eps
    EXPECT_EQ(solution.zeros, alpha > 0.0 ? static_cast<long>(std::floor(std::sqrt(alpha))) : 0) << alpha;
    EXPECT_CLOSE(stability_of(solution).critical_restitution, alpha > 0.0 ? 1.0 : 0.0, exact);
  }
}

/// Constant stiffnesses one after the other, over the times between the ends.
ClosedForm closed_pieces(const std::vector<double>& ends, const std::vector<double>& stiffnesses) {
  Eigen::Vector2d y2(0.0, 1.0);
  ClosedForm form{Eigen::Matrix2d::Identity(), 0};
  for (std::size_t i = 0; i < stiffnesses.size(); ++i) {
    const double t = ends[i + 1] - ends[i];
    form.zeros += zeros_of_constant(stiffnesses[i], t, y2[0], y2[1]);
    y2 = constant_stiffness(stiffnesses[i], t) * y2;
    form.phi = constant_stiffness(stiffnesses[i], t) * form.phi;
  }
  return form;
}

TEST(Hill, NarrowWindowsAreMetWhateverTheirWidth) {
  std::mt19937 random(20261);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (int count = 0; count < 15; ++count) {
    const double width = pi * std::pow(10.0, -9.0 + 7.0 * unit(random));
    const double middle = 0.05 + 3.0 * unit(random);
    const double kick = 0.5 + 20.0 * unit(random);  // ∫ g over the window
    const double alpha = 9.0 * unit(random);
    const double high = kick / width;
    const auto text = [](double x) { return fmt::format("{:.17g}", x); };
    const HillEquation equation(*hill_model("if(abs(t - " + text(middle) + ") < " + text(0.5 * width) + ", " +
                                            text(high) + ", " + text(alpha) + ")"));
    const HillSolution solution = equation.solve(Point{1.0, 0.0});
    ASSERT_TRUE(solution.converged) << "width " << width;
    const ClosedForm closed =
        closed_pieces({0.0, middle - 0.5 * width, middle + 0.5 * width, pi}, {alpha, high, alpha});
    EXPECT_EQ(solution.zeros, closed.zeros) << "width " << width << " at " << middle;
    // The instants are numbers with an eps, and the kick is theirs.
    const double tolerance = 1e-10 + 40.0 * kick * 2.2e-16 * middle / width;
    EXPECT_LT((solution.monodromy - closed.phi).cwiseAbs().maxCoeff(), tolerance * (1.0 + kick)) << "width " << width;
  }
}

TEST(Hill, ZerosAreThoseOfTheClosedFormForRandomPiecesHoweverStiff) {
  std::mt19937 random(20262);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (int count = 0; count < 10; ++count) {
    const double t1 = pi * (0.1 + 0.3 * unit(random)), t2 = pi * (0.5 + 0.4 * unit(random));
    std::vector<double> k;
    for (int i = 0; i < 3; ++i) k.push_back((unit(random) < 0.3 ? -1.0 : 1.0) * std::pow(10.0, 6.0 * unit(random)));
    for (double& each : k)
      if (each < 0.0) each = std::max(each, -30.0);  // grows by e^17 at most
    const auto text = [](double x) { return fmt::format("{:.17g}", x); };
    const HillEquation equation(*hill_model("if(t < " + text(t1) + ", " + text(k[0]) + ", if(t < " + text(t2) + ", " +
                                            text(k[1]) + ", " + text(k[2]) + "))"));
    const HillSolution solution = equation.solve(Point{1.0, 0.0});
    ASSERT_TRUE(solution.converged);
    EXPECT_EQ(solution.zeros, closed_pieces({0.0, t1, t2, pi}, k).zeros) << k[0] << " " << k[1] << " " << k[2];
  }
}

TEST(Hill, AHighNarrowHillBetweenTheNodesOfCoarseStepsIsSeenByItsBound) {
  // Without the bound no node of the first steps lies on it, and halving them changes nothing.
  const std::string hill = "alpha + 1e5*exp(-((t - 1.2345)/1e-3)^2)";
  const HillSolution solution = HillEquation(*hill_model(hill)).solve(Point{1.0, 0.0});
  // The same with steps that end beside it; e^−225 of it is left out.
  const HillSolution cut =
      HillEquation(*hill_model("if(abs(t - 1.2345) < 1.5e-2, " + hill + ", alpha)")).solve(Point{1.0, 0.0});
  ASSERT_TRUE(solution.converged);
  ASSERT_TRUE(cut.converged);
  EXPECT_EQ(solution.zeros, cut.zeros);
  EXPECT_CLOSE(solution.monodromy, cut.monodromy, rounding(1e6));
  EXPECT_GT(std::abs(cut.monodromy(1, 0)), 5.0);  // 0 without it
}

TEST(Hill, AZeroAtTheEndOfThePeriodCounts) {
  for (long k = 1; k <= 40; ++k) {
    const auto alpha = static_cast<double>(k * k);  // y₂ = sin(kt)/k is zero at π
    EXPECT_EQ(mathieu().solve(Point{alpha, 0.0}).zeros, k);
    EXPECT_EQ(mathieu().solve(Point{alpha * (1.0 + 1e-10), 0.0}).zeros, k);
    EXPECT_EQ(mathieu().solve(Point{alpha * (1.0 - 1e-10), 0.0}).zeros, k - 1);
    // The cone D₂ is empty there, theta_c = −π/2, and the map (38) has one piece.
    const HillMap map = poincare_map(mathieu().solve(Point{alpha, 0.0}), 0.5);
    EXPECT_CLOSE(map.theta_c, -pi / 2, exact);
  }
}

TEST(Hill, MeissnersEquationHasItsClosedForm) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> alphas(-4.0, 30.0);
  std::uniform_real_distribution<double> betas(0.0, 8.0);
  for (int trial = 0; trial < 300; ++trial) {
    const double alpha = alphas(random);
    const double beta = betas(random);
    const HillSolution solution = meissner().solve(Point{alpha, beta});
    const ClosedForm exact = closed_meissner(alpha, beta);
    ASSERT_TRUE(solution.converged);
    EXPECT_CLOSE(solution.monodromy, exact.phi, rounding(2000));  // worst measured: 300 eps
    EXPECT_EQ(solution.zeros, exact.zeros) << alpha << " " << beta;
    const HillStability stability = stability_of(solution);
    EXPECT_LE(relative(stability.critical_restitution, theorem_2(exact.phi.trace(), exact.zeros)), 1e-10)
        << alpha << " " << beta;
  }
}

TEST(Hill, TheTraceOfMeissnersEquationIsThatOfItsExampleFile) {
  for (const auto& [alpha, beta] : {std::pair(1.0, 0.3), std::pair(4.0, 1.5), std::pair(9.0, 1.0)}) {
    const double a = std::sqrt(alpha + 2 * beta);
    const double b = std::sqrt(alpha - 2 * beta);
    const double trace =
        2 * std::cos(a * pi / 2) * std::cos(b * pi / 2) - (a / b + b / a) * std::sin(a * pi / 2) * std::sin(b * pi / 2);
    EXPECT_CLOSE(stability_of(meissner().solve(Point{alpha, beta})).discriminant, trace, rounding(100));
  }
}

TEST(Hill, SwitchingInstantsAreFoundToTheLastDigitAlsoInPairsBetweenSamples) {
  const std::vector<double> instants = meissner().switching_instants(Point{1.0, 0.5});
  ASSERT_EQ(instants.size(), 2U);
  EXPECT_CLOSE(instants[0], pi / 4, rounding(2));
  EXPECT_CLOSE(instants[1], 3 * pi / 4, rounding(2));
  // cos 2t > −1 + d holds but for a dip of the width √(2d): two changes of sign close together.
  const HillEquation dip(*hill_model("if(cos(2*t) > alpha - 1, 1, 1 + beta)"));
  for (const double d : {1e-2, 1e-6, 1e-10}) {
    const std::vector<double> pair = dip.switching_instants(Point{d, 5.0});
    ASSERT_EQ(pair.size(), 2U) << d;
    const double half_width = 0.5 * std::acos(1.0 - d);
    EXPECT_NEAR(pair[0], pi / 2 - half_width, 1e-16 / std::sqrt(d) + 4e-16);  // the root of cos is that ill-conditioned
    EXPECT_NEAR(pair[1], pi / 2 + half_width, 1e-16 / std::sqrt(d) + 4e-16);
  }
}

// ---- thirty digits -------------------------------------------------------------------------------------------------

TEST(Hill, MathieusEquationAgreesWithThirtyDigitsInTheDomains0To5) {
  std::array<int, 6> seen{};
  for (const test::MathieuReference& reference : test::mathieu_reference) {
    const HillSolution solution = mathieu().solve(Point{reference.alpha, reference.beta});
    const HillStability stability = stability_of(solution);
    EXPECT_LE(relative(stability.discriminant, reference.discriminant), 1e-12);
    EXPECT_EQ(stability.zeros, reference.zeros);
    EXPECT_EQ(stability.m1.value_or(-1), reference.m1);
    EXPECT_LE(relative(stability.critical_restitution, reference.critical_restitution), 1e-10)
        << reference.alpha << " " << reference.beta;
    if (reference.m1 >= 0) ++seen.at(static_cast<std::size_t>(reference.m1));
  }
  for (const int count : seen) EXPECT_GE(count, 3);
}

TEST(Hill, WithinAMillionthOfABoundaryTheCriticalRestitutionKeepsSixDigits) {
  for (const test::MathieuReference& reference : test::mathieu_boundary) {
    const HillStability stability = stability_of(mathieu().solve(Point{reference.alpha, reference.beta}));
    EXPECT_EQ(stability.zeros, reference.zeros) << reference.alpha;
    EXPECT_EQ(stability.m1.value_or(-1), reference.m1) << reference.alpha;
    EXPECT_LE(relative(stability.critical_restitution, reference.critical_restitution), 1e-6) << reference.alpha;
    // Taken as Δ² − 4 = (y₁ − ẏ₂)² + 4 y₂ẏ₁ much more is left: worst measured 2e-13 at 1e-6, 6e-12 at 1e-9.
    EXPECT_LE(relative(stability.critical_restitution, reference.critical_restitution), 1e-10) << reference.alpha;
  }
}

// ---- identities ----------------------------------------------------------------------------------------------------

TEST(Hill, TheWronskianStaysOne) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> alphas(-8.0, 32.0);
  std::uniform_real_distribution<double> betas(0.0, 12.0);
  for (int trial = 0; trial < 200; ++trial) {
    const Point p = {alphas(random), betas(random)};
    for (const HillEquation* equation : {&mathieu(), &meissner()}) {
      const Eigen::Matrix2d phi = equation->solve(p).monodromy;
      const double terms = std::abs(phi(0, 0) * phi(1, 1)) + std::abs(phi(0, 1) * phi(1, 0));
      // Of a large Φ the two terms themselves are rounded: 1e-12 for terms up to 1, relative above. Worst measured: 2 eps.
      EXPECT_LE(std::abs(phi.determinant() - 1.0), 1e-12 * std::max(1.0, 0.01 * terms));
    }
  }
}

TEST(Hill, TheZerosDependOnWhereThePeriodIsCutButNeitherM1NorTheCriticalRestitution) {
  const HillEquation skew(*hill_model("alpha + 2*beta*cos(2*t) + 0.7*beta*sin(4*t + 1)"));
  int changes = 0;
  for (const auto& [alpha, beta] : {std::pair(1.0, 0.5), std::pair(4.0, 2.0), std::pair(9.5, 6.0), std::pair(-1.0, 3.0),
                                    std::pair(2.5, 0.4), std::pair(-2.0, 0.3)}) {
    for (const HillEquation* equation : {&mathieu(), &meissner(), &skew}) {
      const HillStability whole = stability_of(equation->solve(Point{alpha, beta}));
      for (double start = 0.1; start < pi; start += 0.3) {
        const HillStability cut = stability_of(equation->solve(Point{alpha, beta}, {.start = start}));
        EXPECT_LE(relative(cut.discriminant, whole.discriminant), 1e-11);
        EXPECT_EQ(cut.m1.value_or(-1), whole.m1.value_or(-1));
        EXPECT_NEAR(cut.impacts_per_period, whole.impacts_per_period, 1e-10);
        EXPECT_LE(relative(cut.critical_restitution, whole.critical_restitution), 1e-10);
        if (cut.zeros != whole.zeros) ++changes;
      }
    }
  }
  EXPECT_GT(changes, 10);
}

TEST(Hill, AnotherUnitOfTimeChangesNothing) {
  const HillEquation slow(*hill_model("(alpha + 2*beta*cos(2*pi*t/10))*(pi/10)^2", "10"));
  for (const auto& [alpha, beta] :
       {std::pair(1.0, 0.5), std::pair(4.0, 2.0), std::pair(9.5, 6.0), std::pair(2.5, 0.4)}) {
    const HillStability a = stability_of(mathieu().solve(Point{alpha, beta}));
    const HillStability b = stability_of(slow.solve(Point{alpha, beta}));
    EXPECT_LE(relative(a.critical_restitution, b.critical_restitution), 1e-12);
    EXPECT_EQ(a.zeros, b.zeros);
  }
}

TEST(Hill, TheAngleIsTheIntegralWhoseWholeTurnsAreTheZeros) {
  // Leine 2012, eq. 18, by the trapezoidal rule on y₁² + y₂² and Richardson's extrapolation.
  for (const auto& [alpha, beta] :
       {std::pair(1.0, 0.5), std::pair(4.0, 2.0), std::pair(9.5, 6.0), std::pair(-1.0, 3.0)}) {
    const auto integral = [&](int intervals) {
      std::vector<double> times;
      for (int i = 0; i <= intervals; ++i) times.push_back(pi * i / intervals);
      const auto phi = mathieu().fundamental_matrices(Point{alpha, beta}, times);
      double sum = 0.0;
      for (int i = 0; i <= intervals; ++i) {
        const auto& row = phi[static_cast<std::size_t>(i)].row(0);
        sum += (i == 0 || i == intervals ? 0.5 : 1.0) / row.squaredNorm();
      }
      return sum * pi / intervals;
    };
    const double coarse = integral(4000);
    const double fine = integral(8000);
    const HillSolution solution = mathieu().solve(Point{alpha, beta});
    EXPECT_NEAR(solution.angle, fine + (fine - coarse) / 3.0, 1e-7);
    EXPECT_EQ(solution.zeros, static_cast<long>(std::floor(solution.angle / pi)));
  }
}

TEST(Hill, AnEvenStiffnessHasEqualDiagonalAndASkewOneHasNot) {
  const HillEquation skew(*hill_model("alpha + 2*beta*cos(2*t) + 0.7*beta*sin(4*t)"));
  const Eigen::Matrix2d even = mathieu().solve(Point{1.3, 0.7}).monodromy;
  const Eigen::Matrix2d odd = skew.solve(Point{1.3, 0.7}).monodromy;
  EXPECT_CLOSE(even(0, 0), even(1, 1), rounding(50));
  EXPECT_GT(std::abs(odd(0, 0) - odd(1, 1)), 0.1);  // Δ = 2 y₁(π) would be wrong
}

// ---- the map of a period -------------------------------------------------------------------------------------------

TEST(Hill, ThePeriodMapMultipliesItsEigenvectorsByTheMultiplierAndTheImpacts) {
  const double restitution = 0.7;
  for (const test::MathieuReference& reference : test::mathieu_reference) {
    if (reference.m1 < 0) continue;
    const HillSolution solution = mathieu().solve(Point{reference.alpha, reference.beta});
    const HillMap map = poincare_map(solution, restitution);
    ASSERT_EQ(map.directions.size(), 2U);
    const double size = map.phi.norm();
    for (const HillDirection& direction : map.directions) {
      const double factor = std::abs(direction.multiplier) * std::pow(restitution, reference.m1);
      EXPECT_CLOSE(map(direction.v), factor * direction.v, rounding(2000, size));
      EXPECT_EQ(map.cone_of(direction.v), direction.cone);  // eq. 42
      // The fixed points of the map Q of q = y₁ + y₂ tan θ are the multipliers: eqs. 40, 41.
      const double q = map.phi(0, 0) + map.phi(0, 1) * std::tan(direction.angle);
      EXPECT_LE(relative(q, direction.multiplier), 1e-6);  // tan near π/2 loses digits; measured 1e-9
      EXPECT_LE(relative(hill_angle_map(reference.discriminant, direction.multiplier), direction.multiplier),
                1e-12 * size * size);
    }
  }
}

TEST(Hill, TheAngleMapQFollowsEveryState) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> angles(-pi / 2, pi / 2);
  for (const auto& [alpha, beta] : {std::pair(1.0, 0.5), std::pair(2.5, 0.5), std::pair(4.0, 2.0)}) {
    const HillMap map = poincare_map(mathieu().solve(Point{alpha, beta}), 0.6);
    const double trace = map.phi.trace();
    for (int trial = 0; trial < 50; ++trial) {
      const double theta = angles(random);
      const Eigen::Vector2d x(std::cos(theta), std::sin(theta));
      const Eigen::Vector2d next = map(x);
      EXPECT_GE(next[0], 0.0);  // the map keeps x ≥ 0: the cone was chosen rightly
      const double q = map.phi(0, 0) + map.phi(0, 1) * x[1] / x[0];
      const double q_next = map.phi(0, 0) + map.phi(0, 1) * next[1] / next[0];
      EXPECT_NEAR(q_next, hill_angle_map(trace, q), 1e-10 * (1.0 + std::abs(q_next)) * (1.0 + std::abs(1.0 / q)));
    }
  }
}

TEST(Hill, DampingActsThroughTheTransformedEquation) {
  const HillEquation damped(*hill_model("alpha + 2*beta*cos(2*t)", "pi", "0.3"));
  const HillEquation shifted(*hill_model("alpha - 0.3^2/4 + 2*beta*cos(2*t)"));
  for (const auto& [alpha, beta] :
       {std::pair(1.0, 0.5), std::pair(4.0, 2.0), std::pair(-0.5, 0.2), std::pair(2.5, 0.5)}) {
    const HillSolution with = damped.solve(Point{alpha, beta});
    const HillStability stability = stability_of(with);
    const HillStability without = stability_of(shifted.solve(Point{alpha, beta}));
    EXPECT_CLOSE(stability.log_growth, without.log_growth - 0.15 * pi, rounding(50));
    EXPECT_EQ(stability.m1.value_or(-1), without.m1.value_or(-1));
    // ε^{m₁} |λ₁| e^{−aT/2} = 1 at the critical restitution, unless every restitution is stable.
    if (stability.m1.value_or(0) > 0 && stability.critical_restitution < 1.0) {
      EXPECT_CLOSE(growth_per_period(stability, stability.critical_restitution), 1.0, rounding(20));
    }
    // The map of (x, ẋ) has the determinant e^{−aT}.
    const HillMap map = poincare_map(with, 1.0);
    EXPECT_CLOSE(map.phi.determinant(), std::exp(-0.3 * pi), rounding(100, map.phi.squaredNorm()));
  }
}

TEST(Hill, WithoutTheStopDampingDecidesBetweenStableAndUnstable) {
  // g = 1 + cos 2t with damping 1: |Δ| > 2, but |λ₁| e^{−aT/2} = 0.43.
  const HillStability damped =
      stability_of(HillEquation(*hill_model("alpha + 2*beta*cos(2*t)", "pi", "1")).solve(Point{1.0, 0.5}));
  EXPECT_GT(std::abs(damped.discriminant), 2.0);
  EXPECT_NEAR(std::exp(damped.log_growth), 0.43, 0.005);
  EXPECT_EQ(verdict_without_stop(damped), HillFreeVerdict::stable);
  EXPECT_EQ(damped.critical_restitution, 1.0);
  EXPECT_EQ(verdict_for(damped, 1.0), HillVerdict::asymptotically_stable);
  const auto verdict = [](double alpha, double beta, const char* damping) {
    const HillEquation equation(*hill_model("alpha + 2*beta*cos(2*t)", "pi", damping));
    return verdict_without_stop(stability_of(equation.solve(Point{alpha, beta})));
  };
  EXPECT_EQ(verdict(1.0, 0.5, "0"), HillFreeVerdict::unstable);
  EXPECT_EQ(verdict(1.0, 0.5, "0.1"), HillFreeVerdict::unstable);
  EXPECT_EQ(verdict(2.5, 0.5, "0"), HillFreeVerdict::stable);
  EXPECT_EQ(verdict(2.5, 0.5, "-0.1"), HillFreeVerdict::unstable);
  EXPECT_EQ(verdict(1.0, 0.0, "0"), HillFreeVerdict::boundary);  // the tip of the first domain
  EXPECT_EQ(verdict(1.0, 0.0, "0.1"), HillFreeVerdict::stable);
}

TEST(Hill, VerdictsFollowTheGrowthPerPeriod) {
  const auto verdict = [](double alpha, double beta, double restitution) {
    return verdict_for(stability_of(mathieu().solve(Point{alpha, beta})), restitution);
  };
  EXPECT_EQ(verdict(1.0, 0.5, 0.46), HillVerdict::asymptotically_stable);
  EXPECT_EQ(verdict(1.0, 0.5, 0.47), HillVerdict::unstable);
  EXPECT_EQ(verdict(1.0, 0.5, 0.0), HillVerdict::asymptotically_stable);
  EXPECT_EQ(verdict(-0.5, 0.2, 0.0), HillVerdict::unstable);  // ε_c = 0: for every ε
  EXPECT_EQ(verdict(2.5, 0.5, 0.99), HillVerdict::asymptotically_stable);
  EXPECT_EQ(verdict(2.5, 0.5, 1.0), HillVerdict::marginal);
  EXPECT_EQ(verdict(0.0, 0.0, 0.5), HillVerdict::unstable);  // x = t: n = 0 and Δ = 2
}

// ---- a step --------------------------------------------------------------------------------------------------------

TEST(Hill, TheCompiledStepIsTheInterpretedOne) {
  const Tape<double> tape(mathieu().step_program());
  const Tape<long double> reference(mathieu().step_program());
  const double x[] = {0.2, 1.0, -0.3, 0.4, 2.0};
  const double p[] = {5.0, 3.0};
  const double t = 0.7;
  double out[6];
  tape(&t, x, p, nullptr, nullptr, out);
  const long double wide_p[] = {5.0L, 3.0L};
  const long double wide_t = t;
  long double wide[6];
  long double exact_x[5];
  std::copy(x, x + 5, exact_x);
  reference(&wide_t, exact_x, wide_p, nullptr, nullptr, wide);
  for (int i = 0; i < 4; ++i) EXPECT_CLOSE(out[i], static_cast<double>(wide[i]), rounding(20, 2.0));
}

TEST(Hill, AStepGainsOrderSixteen) {
  const Tape<long double> step(mathieu().step_program());
  const auto end = [&](int steps) {
    long double x[5] = {pi / 4 / steps, 1.0L, 0.0L, 0.0L, 1.0L};
    const long double p[] = {20.0L, 11.0L};
    long double out[6];
    for (int k = 0; k < steps; ++k) {
      const long double t = k * x[0];
      step(&t, x, p, nullptr, nullptr, out);
      std::copy(out, out + 4, x + 1);
    }
    return x[3];
  };
  // The tableau is rounded to double, so errors below 1e-16 say nothing.
  const long double limit = end(16);
  const auto ratio = static_cast<double>(std::abs(end(1) - limit) / std::abs(end(2) - limit));
  EXPECT_GT(std::log2(ratio), 14.0);
  EXPECT_LT(std::log2(ratio), 18.5);
}

}  // namespace
}  // namespace saltus
