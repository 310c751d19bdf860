#include "saltus/kernel/enclosure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "saltus/kernel/codegen.hpp"
#include "saltus/kernel/tape.hpp"
#include "tests/kernel/random_expr.hpp"

namespace saltus {
namespace {

/// All symbols of RandomExprs as states: everything has a radius.
std::optional<InputRef> as_state(const std::string& name) {
  static const std::array<std::string, 9> names = {"t", "x0", "x1", "x2", "p0", "p1", "m0", "X0", "X1"};
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return InputRef{Slot::state, static_cast<std::uint32_t>(found - names.begin())};
}

std::vector<EnclosedOutput> all_of(const Program& program) {
  std::vector<EnclosedOutput> outputs;
  for (std::size_t k = 0; k < program.outputs.size(); ++k) outputs.push_back({k});
  return outputs;
}

/// A function of one state over the box c ± r: what its enclosure says.
struct Bounds {
  double lower, upper;
};
Bounds bounds_of(const Program& program, double c, double r) {
  const Program enclosure = enclosure_of(program, all_of(program));
  const double x[] = {c, r};
  double out[2];
  Tape<double>{enclosure}(nullptr, x, nullptr, nullptr, nullptr, out);
  return {out[0] - out[1], out[0] + out[1]};
}
Program of_one(const Expr& e) {
  const Expr outputs[] = {e};
  return lower(outputs, [](const std::string&) { return InputRef{Slot::state, 0}; });
}

TEST(Enclosure, HoldsTheValuesAtAllPointsOfRandomBoxesForRandomExpressionsOfAllOperations) {
  long outside = 0;
  long known = 0;
  long points = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Graph graph;
    const Program program = lower(test::RandomExprs(graph, seed).take(20, 60), as_state);
    const Tape<double> enclosure(enclosure_of(program, all_of(program)));
    const Tape<long double> reference(program);
    std::mt19937_64 random(seed + 77);
    for (int box = 0; box < 12; ++box) {
      // From boxes of rounding to boxes that hold half of the domain.
      const double scale = std::pow(10.0, -1.1 * box);
      std::vector<double> x(18);
      for (std::size_t i = 0; i < 9; ++i) {
        x[2 * i + 1] = 0.5 * scale * std::abs(test::tame(random));
        x[2 * i] = (1.0 - x[2 * i + 1]) * test::tame(random);
      }
      std::vector<double> out(2 * program.outputs.size());
      enclosure(nullptr, x.data(), nullptr, nullptr, nullptr, out.data());
      for (int point = 0; point < 20; ++point) {
        std::vector<long double> at(9);
        for (std::size_t i = 0; i < 9; ++i) {
          // Inside and, as near as long double can tell it from outside, at corners.
          const double where = point < 10 ? test::tame(random) : (random() % 2 == 0 ? 0.999 : -0.999);
          at[i] = static_cast<long double>(x[2 * i]) + static_cast<long double>(where) * x[2 * i + 1];
        }
        std::vector<long double> value(program.outputs.size());
        reference(nullptr, at.data(), nullptr, nullptr, nullptr, value.data());
        for (std::size_t k = 0; k < value.size(); ++k) {
          ++points;
          if (!std::isfinite(out[2 * k + 1]) || !std::isfinite(out[2 * k])) continue;
          ++known;
          if (std::abs(value[k] - out[2 * k]) > out[2 * k + 1]) ++outside;
        }
      }
    }
  }
  EXPECT_EQ(outside, 0);
  EXPECT_GT(known, points * 9 / 10);  // and is not silent
}

TEST(Enclosure, IsAsNarrowAsTheBoxWhereTheBoxIsNarrow) {
  Graph g;
  const Expr x = g.symbol("x");
  for (const Expr& f :
       {sin(x), cos(x), x * x, 1.0 / x, sqrt(x), apply(Op::exp, x), apply(Op::log, x), apply(Op::tan, x),
        apply(Op::asin, x), apply(Op::acos, x), apply(Op::atan, x), apply(Op::sinh, x), apply(Op::cosh, x),
        apply(Op::tanh, x), pow(x, g.constant(2.5)), apply(Op::abs, x), apply(Op::atan2, x, 1.0 - x)}) {
    const Program program = of_one(f);
    const Bounds narrow = bounds_of(program, 0.7, 1e-5);
    const double slope = (bounds_of(program, 0.7 + 1e-6, 0.0).lower - bounds_of(program, 0.7, 0.0).lower) / 1e-6;
    // Twice as much as the slope would need at most (atan2: the circle around the box).
    EXPECT_LE(narrow.upper - narrow.lower, 2.01 * 2e-5 * std::abs(slope) + 1e-14);
    EXPECT_GE(narrow.upper - narrow.lower, 0.999 * 2e-5 * std::abs(slope));
  }
}

TEST(Enclosure, KnowsNothingAcrossPolesCutsAndBordersOfADomain) {
  Graph g;
  const Expr x = g.symbol("x");
  EXPECT_FALSE(std::isfinite(bounds_of(of_one(1.0 / x), 0.1, 0.2).upper));
  EXPECT_FALSE(std::isfinite(bounds_of(of_one(apply(Op::tan, x)), 1.5, 0.2).upper));
  EXPECT_FALSE(std::isfinite(bounds_of(of_one(apply(Op::log, x)), 0.1, 0.2).upper));
  EXPECT_TRUE(std::isnan(bounds_of(of_one(sqrt(x)), -1.0, 0.2).upper));
  EXPECT_GT(bounds_of(of_one(apply(Op::atan2, x, g.constant(-1.0))), 0.1, 0.2).upper, 3.14159);
  EXPECT_LT(bounds_of(of_one(apply(Op::atan2, x, g.constant(-1.0))), 0.1, 0.2).lower, -3.0);
}

TEST(Enclosure, SquaresAreNeverNegative) {
  Graph g;
  const Expr x = g.symbol("x");
  EXPECT_GE(bounds_of(of_one(x * x), 0.1, 1.0).lower, -1e-11);
  EXPECT_GE(bounds_of(of_one(pow(x, 6)), 0.1, 1.0).lower, -1e-11);
  EXPECT_GE(bounds_of(of_one(3.0 + x * x), 0.1, 1.0).lower, 3.0 - 1e-11);
}

TEST(Enclosure, ADerivativeIsTheWholeLineWhereItsFunctionMayHaveAKink) {
  Graph g;
  const Expr x = g.symbol("x");
  const Expr outputs[] = {apply(Op::abs, x) + x,
                          3.0 * x};  // the second stands for a derivative that does not know of the kink
  const Program program = lower(outputs, [](const std::string&) { return InputRef{Slot::state, 0}; });
  using Open = EnclosedOutput::Open;
  const EnclosedOutput wanted[] = {{1, Open::at_jumps, 0}, {1, Open::at_jumps_and_kinks, 0}};
  const Tape<double> enclosure(enclosure_of(program, wanted));
  double out[4];
  const double across[] = {0.5, 0.6};
  enclosure(nullptr, across, nullptr, nullptr, nullptr, out);
  EXPECT_NEAR(out[1], 1.8, 1e-11);
  EXPECT_TRUE(std::isinf(out[3]));
  const double beside[] = {0.5, 0.4};
  enclosure(nullptr, beside, nullptr, nullptr, nullptr, out);
  EXPECT_NEAR(out[3], 1.2, 1e-11);
}

TEST(Enclosure, ParametersHaveNoRadius) {
  Graph g;
  const Expr outputs[] = {sin(g.symbol("p")) / 3.0};
  const Program program = lower(outputs, [](const std::string&) { return InputRef{Slot::parameter, 0}; });
  double out[2];
  const double p = 0.4;
  Tape<double>{enclosure_of(program, all_of(program))}(nullptr, nullptr, &p, nullptr, nullptr, out);
  double plain = 0.0;
  Tape<double>{program}(nullptr, nullptr, &p, nullptr, nullptr, &plain);
  EXPECT_EQ(out[0], plain);
  EXPECT_EQ(out[1], 0.0);
}

TEST(Enclosure, NativeCodeOfEveryWidthGivesTheBitsOfTheInterpreter) {
  Graph graph;
  const Program program = lower(test::RandomExprs(graph, 5).take(12, 40), as_state);
  const Program enclosure = enclosure_of(program, all_of(program));
  std::mt19937_64 random(3);
  for (const unsigned width : {1U, 8U}) {
    const std::vector<NamedProgram> programs = {{"bounds", enclosure}};
    const NativeCode code(programs, {}, width);
    std::vector<double> x(18 * width);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = (i / width) % 2 == 1 ? 0.1 : 0.9 * test::tame(random);
    std::vector<double> native(enclosure.outputs.size() * width);
    std::vector<double> tape(native.size());
    code.kernel("bounds")(nullptr, x.data(), nullptr, nullptr, nullptr, native.data());
    for (std::size_t lane = 0; lane < width; ++lane)
      Tape<double>{enclosure}.run_lane({nullptr, x.data(), nullptr, nullptr, nullptr}, tape.data(), width, lane);
    for (std::size_t k = 0; k < native.size(); ++k)
      EXPECT_TRUE(native[k] == tape[k] || (std::isnan(native[k]) && std::isnan(tape[k]))) << k;
  }
}

}  // namespace
}  // namespace saltus
