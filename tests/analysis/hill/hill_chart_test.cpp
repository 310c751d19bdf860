#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "saltus/analysis/hill/hill_chart.hpp"
#include "saltus/analysis/hill/hill_stability.hpp"
#include "tests/analysis/hill/hill_models.hpp"

namespace saltus {
namespace {

using std::numbers::pi;
using Point = std::vector<double>;

TEST(HillChart, CountsAsUnstableWhatGrowsWithItsDamping) {
  const HillGrid grid{.nx = 21, .ny = 11, .parameters = [](std::size_t ix, std::size_t iy) {
                        return Point{0.2 * static_cast<double>(ix), 0.2 * static_cast<double>(iy)};
                      }};
  const HillEquation equation(*hill_model("alpha + 2*beta*cos(2*t)", "pi", "0.6"));
  const HillChart chart = hill_chart(equation, grid, 1);
  std::size_t unstable = 0, beyond_two = 0;
  for (std::size_t k = 0; k < chart.m1.size(); ++k) {
    // |λ₁| = e^{aT/2} where |Δ| = 2 cosh(aT/2).
    EXPECT_EQ(chart.is_unstable(k), std::abs(chart.discriminant[k]) > 2.0 * std::cosh(0.3 * pi));
    unstable += chart.is_unstable(k) ? 1 : 0;
    beyond_two += std::abs(chart.discriminant[k]) > 2.0 ? 1 : 0;
  }
  EXPECT_GT(unstable, 0U);
  EXPECT_GT(beyond_two, unstable);
  for (const DomainLabel& label : domain_labels(chart)) EXPECT_TRUE(chart.is_unstable(label.iy * chart.nx + label.ix));
}

TEST(HillChart, LabelsStandInTheMiddleOfTheirDomains) {
  const HillGrid grid{.nx = 81, .ny = 49, .parameters = [](std::size_t ix, std::size_t iy) {
                        return Point{-8.0 + 0.5 * static_cast<double>(ix), 0.25 * static_cast<double>(iy)};
                      }};
  const HillChart chart = hill_chart(mathieu(), grid, 1);
  const std::vector<DomainLabel> labels = domain_labels(chart);
  ASSERT_EQ(labels.size(), 6U);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    EXPECT_EQ(labels[i].m1, static_cast<long>(i));  // m₁ = k in the k-th instability domain: Leine 2012, Fig. 4
    EXPECT_EQ(chart.m1[labels[i].iy * chart.nx + labels[i].ix], static_cast<double>(i));
  }
}

TEST(HillChart, LanesAndThreadsChangeNoBit) {
  const HillEquation wide(*hill_model("if(sin(t - beta/20) > alpha/40, alpha + 2*beta*cos(2*t), alpha)", "2*pi"), 4);
  const HillGrid grid{.nx = 37, .ny = 19, .parameters = [](std::size_t ix, std::size_t iy) {
                        return Point{-8.0 + static_cast<double>(ix), 0.6 * static_cast<double>(iy)};
                      }};
  const HillChart one = hill_chart(wide, grid, 1);
  const HillChart three = hill_chart(wide, grid, 3);
  EXPECT_EQ(one.discriminant, three.discriminant);
  EXPECT_EQ(one.zeros, three.zeros);
  EXPECT_EQ(one.critical_restitution, three.critical_restitution);
  EXPECT_EQ(one.not_converged, 0U);
  for (std::size_t iy = 0; iy < grid.ny; iy += 3)
    for (std::size_t ix = 0; ix < grid.nx; ++ix) {
      const HillStability alone = stability_of(wide.solve(grid.parameters(ix, iy)));
      EXPECT_EQ(one.discriminant[iy * grid.nx + ix], alone.discriminant);
      EXPECT_EQ(one.critical_restitution[iy * grid.nx + ix], alone.critical_restitution);
    }
}

TEST(HillChart, AnInterruptedChartKeepsItsRowsAndSaysThatItIsAPart) {
  const HillGrid grid{.nx = 5, .ny = 40, .parameters = [](std::size_t ix, std::size_t iy) {
                        return Point{static_cast<double>(ix), 0.1 * static_cast<double>(iy)};
                      }};
  int asked = 0;
  const HillChart part = hill_chart(mathieu(), grid, 1, [&] { return ++asked == 3; });
  EXPECT_FALSE(part.complete);
  const auto known = std::count_if(part.discriminant.begin(), part.discriminant.end(), [](double d) { return d == d; });
  EXPECT_EQ(known, 15);
}

}  // namespace
}  // namespace saltus
