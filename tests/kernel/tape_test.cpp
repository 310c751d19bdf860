#include "saltus/kernel/tape.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "saltus/expr/evaluate.hpp"
#include "tests/kernel/random_expr.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

template <class Real>
std::vector<Real> run(const Program& program, const test::RandomInputs<Real>& in) {
  std::vector<Real> out(program.outputs.size());
  Tape<Real>{program}(in.t.data(), in.x.data(), in.p.data(), in.mode.data(), in.X.data(), out.data());
  return out;
}

/// The program and the inputs of a random case.
struct RandomCase {
  Graph graph;
  std::vector<Expr> outputs;
  Program program;
  test::RandomInputs<double> in{1};

  explicit RandomCase(std::uint64_t seed) {
    outputs = test::RandomExprs(graph, seed).take(20, 60);
    program = lower(outputs, test::random_input);
    std::mt19937_64 random(seed + 1000);
    in.fill([&] { return test::tame(random); });
  }
};

TEST(Tape, AgreesWithTheExpressionsOnRandomGraphsOfAllOperations) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const RandomCase c(seed);
    const auto expected = evaluate(c.outputs, [&](const std::string& name) { return c.in.at(name); });
    // Two orders of rounding through nested functions of slope ≤ 3; worst of 6000 numbers measured: 12 eps.
    EXPECT_CLOSE(run(c.program, c.in), expected, rounding(100, 1.0)) << "seed " << seed;
  }
}

TEST(Tape, InLongDoubleIsTheLimitOfTheDoubleOne) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const RandomCase c(seed);
    test::RandomInputs<long double> wide{1};
    wide.t.assign(c.in.t.begin(), c.in.t.end());
    wide.x.assign(c.in.x.begin(), c.in.x.end());
    wide.p.assign(c.in.p.begin(), c.in.p.end());
    wide.mode.assign(c.in.mode.begin(), c.in.mode.end());
    wide.X.assign(c.in.X.begin(), c.in.X.end());
    EXPECT_CLOSE(run(c.program, c.in), run(c.program, wide), rounding(100, 1.0)) << "seed " << seed;
  }
}

TEST(Tape, AThirdInLongDoubleHasMoreDigitsThanInDouble) {
  Graph g;
  const Expr outputs[] = {1.0 / g.symbol("x0")};
  const std::vector<long double> x = {3.0L};
  long double out = 0.0L;
  Tape<long double>{lower(outputs, test::random_input)}(nullptr, x.data(), nullptr, nullptr, nullptr, &out);
  EXPECT_CLOSE(out, 1.0L / 3.0L, exact);
  EXPECT_NE(out, static_cast<long double>(1.0 / 3.0));
}

TEST(Tape, TheSmallerAndTheLargerOfANumberAndNoNumberAreNoNumber) {
  Graph g;
  const Expr a = g.symbol("x0");
  const Expr b = g.symbol("x1");
  const Expr outputs[] = {apply(Op::min, a, b), apply(Op::max, a, b)};
  const Tape<double> tape(lower(outputs, test::random_input));
  for (const std::vector<double>& x : {std::vector{1.0, std::nan("")}, std::vector{std::nan(""), 1.0}}) {
    std::vector<double> out(2);
    tape(nullptr, x.data(), nullptr, nullptr, nullptr, out.data());
    EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[1]));
  }
}

TEST(Tape, TheSignIsOneMinusOneOrZero) {
  Graph g;
  const Expr outputs[] = {apply(Op::sign, g.symbol("x0"))};
  const Tape<double> tape(lower(outputs, test::random_input));
  for (const double x : {3.0, -0.25, 0.0}) {
    double out = 2.0;
    tape(nullptr, &x, nullptr, nullptr, nullptr, &out);
    EXPECT_CLOSE(out, x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0, exact);
  }
}

TEST(Tape, ALaneOfAWideArrayIsReadAndWrittenInItsPlace) {
  const RandomCase c(7);
  test::RandomInputs<double> wide{4};
  std::mt19937_64 random(5);
  wide.fill([&] { return test::tame(random); });
  for (std::size_t i = 0; i < c.in.x.size(); ++i) wide.x[i * 4 + 2] = c.in.x[i];
  for (std::size_t i = 0; i < c.in.p.size(); ++i) wide.p[i * 4 + 2] = c.in.p[i];
  for (std::size_t i = 0; i < c.in.X.size(); ++i) wide.X[i * 4 + 2] = c.in.X[i];
  wide.t[2] = c.in.t[0];
  wide.mode[2] = c.in.mode[0];
  std::vector<double> out(4 * c.outputs.size(), 7.0);
  const KernelInputs<double> in = {wide.t.data(), wide.x.data(), wide.p.data(), wide.mode.data(), wide.X.data()};
  Tape<double>{c.program}.run_lane(in, out.data(), 4, 2);
  const std::vector<double> expected = run(c.program, c.in);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_CLOSE(out[i * 4 + 2], expected[i], exact);
    EXPECT_CLOSE(out[i * 4 + 1], 7.0, exact);
  }
}

TEST(LoopTape, StoresEachElementAndAddsUpInOrder) {
  Graph g;
  const Expr y = g.symbol("x0");
  const Expr k = g.symbol("x1");
  const Expr h = g.symbol("p0");
  const Expr stored[] = {y + h * k};
  const Expr added[] = {k * k, y};
  const LoopTape<double> loop(lower_loop(stored, added, test::random_input));
  const std::vector<double> ys = {1e16, 1.0, -1e16};
  const std::vector<double> ks = {2.0, 3.0, 4.0};
  const double* const streams[] = {ys.data(), ks.data()};
  const double half = 0.5;
  std::vector<double> out(3);
  double* const outputs[] = {out.data()};
  std::vector<double> sums = {100.0, 0.0};
  loop(streams, &half, outputs, sums.data(), 3);
  EXPECT_CLOSE(out, (std::vector{1e16 + 1.0, 2.5, -1e16 + 2.0}), exact);
  EXPECT_CLOSE(sums, (std::vector{129.0, (1e16 + 1.0) - 1e16}), exact);
}

}  // namespace
}  // namespace saltus
