// Fewer sines, the same functions.

#include "saltus/kernel/angle_sums.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "saltus/expr/evaluate.hpp"
#include "saltus/kernel/inputs.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

std::size_t angles_in(const ExprVector& roots) {
  std::set<std::uint32_t> angles;
  for (const std::uint32_t id : reachable(roots)) {
    const Expr e = roots.front().graph().at(id);
    if (e.op() == Op::sin || e.op() == Op::cos) angles.insert(e.arg(0).id());
  }
  return angles.size();
}

class SharedSines : public testing::Test {
 protected:
  Expr symbol(const char* name) { return graph.symbol(name); }

  /// What is left of the roots' angles, after a check that the values are those of before.
  std::size_t left(ExprVector roots) {
    const ExprVector before = roots;
    share_sines(before, {&roots});
    const auto value = [](const std::string& name) { return name == "a" ? 0.7 : name == "b" ? -2.1 : 1.3; };
    for (std::size_t i = 0; i < roots.size(); ++i)
      EXPECT_CLOSE(evaluate(roots[i], value), evaluate(before[i], value), rounding(8, 1.0)) << i;
    return angles_in(roots);
  }

  Graph graph;
};

TEST_F(SharedSines, OfDifferencesOfAnglesThatStandAloneTooAreThoseOfTheAngles) {
  const Expr a = symbol("a");
  const Expr b = symbol("b");
  const Expr c = symbol("c");
  EXPECT_EQ(left({sin(a), cos(b), sin(c), cos(a - b), sin(a - c), cos(c - b), sin(a + b - c)}), 3U);
}

TEST_F(SharedSines, AreTakenWhereSeveralSumsHaveFewParts) {
  const Expr a = symbol("a");
  const Expr b = symbol("b");
  EXPECT_EQ(left({cos(a - b), sin(a + b), sin(a + b + 0.25)}), 2U);
  // One difference alone is one pair of sines, its parts would be two.
  EXPECT_EQ(left({cos(a - b), sin(a - b)}), 1U);
}

TEST_F(SharedSines, LeaveAnglesAloneThatHoldSinesThemselves) {
  const Expr a = symbol("a");
  const Expr b = symbol("b");
  EXPECT_EQ(left({sin(a), sin(b), sin(a + sin(b)), cos(a - b)}), 3U);
}

TEST_F(SharedSines, AreNotThoseOfTime) {
  const auto input = [&](Slot slot, std::uint32_t i) { return graph.symbol(input_name({slot, i})); };
  const Expr a = input(Slot::parameter, 0) * input(Slot::time, 0);
  const Expr b = input(Slot::parameter, 1);
  const Expr psi = input(Slot::state, 0);
  EXPECT_EQ(left({sin(a), sin(b), sin(a + b)}), 3U);
  EXPECT_EQ(left({sin(a), sin(psi), sin(a + psi)}), 2U);
}

TEST_F(SharedSines, AreDecidedByTheMotionAlone) {
  const Expr a = symbol("a");
  const Expr b = symbol("b");
  ExprVector motion = {cos(a - b)};
  ExprVector shown = {sin(a), sin(b), cos(a - b)};
  const ExprVector decides = motion;
  share_sines(decides, {&motion, &shown});
  EXPECT_EQ(angles_in(motion), 1U);
  EXPECT_EQ(angles_in(shown), 3U);
}

}  // namespace
}  // namespace saltus
