#include "tests/support/tolerance.hpp"

#include <cmath>
#include <complex>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace {

using saltus::test::central_difference;

constexpr double eps = std::numeric_limits<double>::epsilon();

template <class A, class B, class T>
testing::AssertionResult judged(const A& a, const B& b, const T& tolerance) {
  return saltus::test::close("a", "b", "tolerance", a, b, tolerance);
}

/// Sets SALTUS_TOLERANCE_SCALE for one scope; without a value it is unset.
class ToleranceScale {
 public:
  explicit ToleranceScale(const char* value) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~ToleranceScale() { set(before_ ? before_->c_str() : nullptr); }
  ToleranceScale(const ToleranceScale&) = delete;
  ToleranceScale& operator=(const ToleranceScale&) = delete;

 private:
  static constexpr const char* name = "SALTUS_TOLERANCE_SCALE";
  static void set(const char* value) { value != nullptr ? setenv(name, value, 1) : unsetenv(name); }
  std::optional<std::string> before_;
};

TEST(Tolerance, RoundingAcceptsKUnitsAndRefusesMore) {
  const ToleranceScale normal(nullptr);
  EXPECT_TRUE(judged(1.0 + 8 * eps, 1.0, saltus::test::rounding(8)));
  EXPECT_FALSE(judged(1.0 + 16 * eps, 1.0, saltus::test::rounding(8)));
}

TEST(Tolerance, RoundingIsRelativeToTheLargerSideOrToTheStatedScale) {
  const ToleranceScale normal(nullptr);
  EXPECT_TRUE(judged(1e6 * (1.0 + 4 * eps), 1e6, saltus::test::rounding(8)));
  EXPECT_FALSE(judged(4 * eps, 0.0, saltus::test::rounding(0.5)));
  EXPECT_TRUE(judged(4 * eps, 0.0, saltus::test::rounding(8, 1.0)));
  EXPECT_FALSE(judged(4 * eps, 0.0, saltus::test::rounding(2, 1.0)));
}

TEST(Tolerance, IntegrationIsGrowthTimesRtol) {
  const ToleranceScale normal(nullptr);
  EXPECT_TRUE(judged(2.0 + 1.9e-7, 2.0, saltus::test::integration(1e-10, 1000)));
  EXPECT_FALSE(judged(2.0 + 2.1e-7, 2.0, saltus::test::integration(1e-10, 1000)));
}

TEST(Tolerance, SamplingIsFourStandardErrors) {
  const ToleranceScale normal(nullptr);
  EXPECT_TRUE(judged(0.539, 0.5, saltus::test::sampling(0.01)));
  EXPECT_FALSE(judged(0.541, 0.5, saltus::test::sampling(0.01)));
}

TEST(Tolerance, PrintedIsHalfAUnitOfTheLastDigit) {
  const ToleranceScale normal(nullptr);
  EXPECT_TRUE(judged(0.30625, 0.3062, saltus::test::printed("0.3062")));
  EXPECT_TRUE(judged(0.30615, 0.3062, saltus::test::printed("0.3062")));
  EXPECT_FALSE(judged(0.30626, 0.3062, saltus::test::printed("0.3062")));
  EXPECT_TRUE(judged(-1249.0, -1.2e3, saltus::test::printed("-1.2e3")));
  EXPECT_FALSE(judged(-1251.0, -1.2e3, saltus::test::printed("-1.2e3")));
  EXPECT_TRUE(judged(12.4, 12.0, saltus::test::printed("12")));
}

TEST(Tolerance, PrintedRefusesAnExpectedNumberThatWasNotPrinted) {
  const ToleranceScale normal(nullptr);
  EXPECT_FALSE(judged(0.3062, 0.3063, saltus::test::printed("0.3062")));
}

TEST(Tolerance, ExactComparesCountsTextAndVectors) {
  const ToleranceScale normal(nullptr);
  EXPECT_TRUE(judged(std::size_t{3}, 3, saltus::test::exact));
  EXPECT_FALSE(judged(-1, std::numeric_limits<unsigned>::max(), saltus::test::exact));
  EXPECT_TRUE(judged(std::string("floor"), "floor", saltus::test::exact));
  EXPECT_FALSE(judged(std::vector{1.0, 2.0}, std::vector{1.0, 2.0 + 2 * eps}, saltus::test::exact));
}

TEST(Tolerance, VectorsAreComparedByTheirLargestEntryAndMustHaveOneLength) {
  const ToleranceScale normal(nullptr);
  const std::vector<double> a{1e3, 1e-3};
  EXPECT_TRUE(judged(std::vector{1e3, 1e-3 + 1e3 * eps}, a, saltus::test::rounding(2)));
  EXPECT_FALSE(judged(std::vector{1e3, 1e-3 + 4e3 * eps}, a, saltus::test::rounding(2)));
  EXPECT_FALSE(judged(std::vector{1e3}, a, saltus::test::rounding(1e9)));
  EXPECT_FALSE(judged(a, std::vector{1e3}, saltus::test::rounding(1e9)));
}

TEST(Tolerance, ComplexNumbersAreComparedInThePlane) {
  const ToleranceScale normal(nullptr);
  using namespace std::complex_literals;
  EXPECT_TRUE(judged(3.0 + 4.0i, 3.0 + (4.0 + 4 * eps) * 1.0i, saltus::test::rounding(1)));
  EXPECT_FALSE(judged(3.0 + 4.0i, 3.0 - 4.0i, saltus::test::rounding(1e3)));
}

TEST(Tolerance, NotANumberIsNeverClose) {
  const ToleranceScale normal(nullptr);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(judged(nan, 1.0, saltus::test::rounding(1e300)));
  EXPECT_FALSE(judged(nan, nan, saltus::test::rounding(1e300)));
  EXPECT_FALSE(judged(std::vector{nan, 1.0}, std::vector{1.0, 1.0}, saltus::test::rounding(1e300)));
  EXPECT_FALSE(judged(std::vector{1.0, nan}, std::vector{1.0, 1.0}, saltus::test::sampling(1e300)));
}

TEST(Tolerance, EqualInfinitiesAreCloseAndOppositeOnesAreNot) {
  const ToleranceScale normal(nullptr);
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(judged(inf, inf, saltus::test::rounding(1)));
  EXPECT_FALSE(judged(inf, -inf, saltus::test::sampling(1.0)));
}

TEST(Tolerance, DifferenceAcceptsTheDerivativeOfTheSineAndRefusesOneWrongInTheSixthDigit) {
  const ToleranceScale normal(nullptr);
  const auto slope = central_difference([](double x) { return std::sin(x); }, 0.7);
  // The error h²/6 cos x falls by exactly 4 up to h⁴ terms; rounding eps/h is 1e-6 of it at h = 1e-3.
  EXPECT_TRUE(judged(slope, std::cos(0.7), saltus::test::difference(1e-3)));
  EXPECT_FALSE(judged(slope, std::cos(0.7) * (1.0 + 1e-6), saltus::test::difference(1e-3)));
  EXPECT_FALSE(judged(slope, -std::cos(0.7), saltus::test::difference(1e-3)));
}

TEST(Tolerance, DifferenceOfAParabolaIsExactAndNeedsTheNoiseStated) {
  const ToleranceScale normal(nullptr);
  const auto slope = central_difference([](double x) { return x * x; }, 0.3);
  EXPECT_TRUE(judged(slope, 0.6, saltus::test::difference(1e-3, 1e-12)));
  EXPECT_FALSE(judged(slope, 0.6 + 1e-6, saltus::test::difference(1e-3, 1e-12)));
}

TEST(Tolerance, ScaleZeroMakesEveryComparisonFailAndPrintsTheResidual) {
  const ToleranceScale zero("0");
  EXPECT_FALSE(judged(3, 3, saltus::test::exact));
  EXPECT_FALSE(judged(0.3062, 0.3062, saltus::test::printed("0.3062")));
  EXPECT_FALSE(judged(central_difference([](double x) { return std::sin(x); }, 0.7), std::cos(0.7),
                      saltus::test::difference(1e-3)));
  const testing::AssertionResult result = judged(1.0 + 4 * eps, 1.0, saltus::test::rounding(10));
  EXPECT_FALSE(result);
  EXPECT_NE(std::string(result.message()).find("residual 8.88178e-16"), std::string::npos) << result.message();
  EXPECT_NE(std::string(result.message()).find("rounding(10)"), std::string::npos) << result.message();
}

TEST(Tolerance, ScaleTenWidensEveryTolerance) {
  const ToleranceScale ten("10");
  EXPECT_TRUE(judged(1.0 + 80 * eps, 1.0, saltus::test::rounding(8)));
  EXPECT_FALSE(judged(1.0 + 81 * eps, 1.0, saltus::test::rounding(8)));
}

TEST(Tolerance, TheKindsAreFoundByNameInsideTheMacro) {
  const std::vector<double> x{1.0, 2.0};
  EXPECT_CLOSE(x, (std::vector{1.0, 2.0 + 2 * eps}), rounding(1));
  EXPECT_CLOSE(x.size(), 2, exact);
  EXPECT_CLOSE(0.30621, 0.3062, printed("0.3062"));
  ASSERT_CLOSE(central_difference([](double s) { return std::exp(s); }, 0.0), 1.0, difference(1e-3));
}

}  // namespace
