#include "saltus/kernel/program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "saltus/expr/differentiate.hpp"
#include "saltus/kernel/tape.hpp"
#include "tests/kernel/random_expr.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

/// x, y, z, w, … are components of the state in the order of the alphabet.
std::optional<InputRef> letter(const std::string& name) {
  if (name.size() != 1) return std::nullopt;
  return InputRef{Slot::state, static_cast<std::uint32_t>(name[0] - 'a')};
}

struct Lowered : testing::Test {
  Graph g;
  Expr a = g.symbol("a"), b = g.symbol("b"), c = g.symbol("c"), d = g.symbol("d"), x = g.symbol("x");

  static Program program(const std::vector<Expr>& outputs) { return lower(outputs, letter); }
  static std::ptrdiff_t count(const Program& p, Code code) {
    return std::count_if(p.code.begin(), p.code.end(), [&](const Instruction& i) { return i.code == code; });
  }
};

TEST_F(Lowered, ASumOfProductsIsAChainOfFusedMultiplyAdds) {
  const Program p = program({a * b + c * d + x});
  EXPECT_CLOSE(p.code.size(), 2, exact);
  EXPECT_CLOSE(count(p, Code::fma), 2, exact);
}

TEST_F(Lowered, ADifferenceAndItsNegativeAreOneInstruction) {
  const Program p = program({sin(a - b), (b - a) * c});
  EXPECT_CLOSE(count(p, Code::sub), 1, exact);
  EXPECT_CLOSE(count(p, Code::add), 0, exact);
}

TEST_F(Lowered, AProductUsedInSumsAndElsewhereIsComputedOnce) {
  const Program p = program({a * b, a * b + c, a * b + d});
  EXPECT_CLOSE(count(p, Code::mul), 1, exact);
  EXPECT_CLOSE(count(p, Code::add), 2, exact);
  EXPECT_CLOSE(p.code.size(), 3, exact);
}

TEST_F(Lowered, WhatSeveralProductsHaveInCommonIsMultipliedOnce) {
  const Program p = program({a * b * c, a * b * d, a * b * x});
  EXPECT_CLOSE(count(p, Code::mul), 4, exact);
}

TEST_F(Lowered, AProductDividesOnce) {
  const Program p = program({x * a / (b * pow(c, 2) * d)});
  EXPECT_CLOSE(count(p, Code::div), 1, exact);
}

TEST_F(Lowered, AReciprocalUsedByManyIsDividedOnce) {
  const Program p = program({a / x, b / x, c / x, d / x});
  EXPECT_CLOSE(count(p, Code::div), 1, exact);
  EXPECT_CLOSE(count(p, Code::mul), 4, exact);
}

TEST_F(Lowered, AQuotientByAnExponentialLessOneKeepsItsDigitsWhereBothVanish) {
  // x/(eˣ − 1) = 1 − x/2 + x²/12 − …, as rates of ion channels have it, with its derivative; and the same from above.
  const Expr rate = x / (apply(Op::exp, x) - 1.0), other = x / (1.0 - apply(Op::exp, -1.0 * x));
  const Program p = program({rate, differentiate(rate, x), other, differentiate(other, x)});
  const Tape<double> tape(p);
  for (const double at : {1e-3, -1e-5, 3e-8, 1e-10, -2.0, 5.0, 60.0, -60.0, 900.0, -900.0}) {
    const bool near = std::abs(at) < 0.1;
    const double g = near ? 1.0 - at / 2.0 + at * at / 12.0 : at / std::expm1(at);
    const double slope = near ? -0.5 + at / 6.0 : (1.0 - g * std::exp(at)) / std::expm1(at);
    const std::vector<double> state(26, at);
    double found[4];
    tape(nullptr, state.data(), nullptr, nullptr, nullptr, found);
    EXPECT_NEAR(found[0], g, 1e-14 * (1.0 + std::abs(g)));
    EXPECT_NEAR(found[2], g + at, 1e-14 * (1.0 + std::abs(g + at)));
    if (std::abs(at) > 700.0) continue;  // eˣ is no number
    EXPECT_NEAR(found[1], slope, 1e-9 + 1e-14 / std::abs(at));
    EXPECT_NEAR(found[3], slope + 1.0, 1e-9 + 1e-14 / std::abs(at));
  }
}

TEST_F(Lowered, AWholePowerIsAChainOfProducts) {
  const Program p = program({pow(x, 7)});  // x², x³, x⁶, x⁷
  EXPECT_CLOSE(p.code.size(), 4, exact);
  EXPECT_CLOSE(count(p, Code::mul), 4, exact);
}

TEST_F(Lowered, APowerOfThreeHalvesIsARootAndAProduct) {
  const Program p = program({pow(x, g.constant(1.5))});
  EXPECT_CLOSE(count(p, Code::sqrt), 1, exact);
  EXPECT_CLOSE(count(p, Code::pow), 0, exact);
}

TEST_F(Lowered, SineAndCosineOfTheSameAngleStandTogether) {
  const Program p = program({cos(a - b), sin(b - a), sin(c)});
  EXPECT_CLOSE(count(p, Code::sine), 2, exact);
  for (std::size_t i = 0; i < p.code.size(); ++i) {
    if (p.code[i].code != Code::sine) continue;
    ASSERT_LT(i + 1, p.code.size());
    EXPECT_EQ(p.code[i + 1].code, Code::cosine);
    EXPECT_CLOSE(p.code[i + 1].a, p.code[i].a, exact);
  }
}

TEST_F(Lowered, AConditionAsOutputIsZeroOrOne) {
  const Tape<double> tape(program({greater(a, b), greater_equal(b, a)}));
  const std::vector<double> above = {2.0, 1.0};
  std::vector<double> out(2);
  tape(nullptr, above.data(), nullptr, nullptr, nullptr, out.data());
  EXPECT_CLOSE(out, (std::vector{1.0, 0.0}), exact);
}

TEST_F(Lowered, AnUnknownSymbolIsRefusedByName) {
  try {
    program({g.symbol("nobody")});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::fault);
    EXPECT_NE(std::string(error.what()).find("'nobody'"), std::string::npos);
  }
}

TEST_F(Lowered, TheListingNamesInputsAndResults) {
  EXPECT_CLOSE(listing(program({2.0 * a + x * x * x})),
               std::string("%0 = mul x[23] x[23]\n%1 = mul x[23] %0\n%2 = fma 2 x[0] %1\nout[0] = %2\n"), exact);
}

TEST_F(Lowered, ALoopListsWhatItStoresAndWhatItAddsUp) {
  const Expr stored[] = {a + b};
  const Expr added[] = {a * a};
  const LoopProgram loop = lower_loop(stored, added, letter);
  EXPECT_CLOSE(loop.stored, 1, exact);
  EXPECT_CLOSE(loop.accumulated(), 1, exact);
  EXPECT_NE(listing(loop).find("sum[0] += "), std::string::npos);
}

TEST_F(Lowered, NothingIsAProgramToo) { EXPECT_CLOSE(program({}).value_count(), 0, exact); }

TEST_F(Lowered, AnExpressionMayNestThousandsDeep) {
  Expr e = a;
  double expected = 0.5;
  for (int i = 0; i < 1900; ++i) {
    e = sin(e) * b;
    expected = std::sin(expected) * 1.25;
  }
  const Tape<double> tape(program({e}));
  const std::vector<double> state = {0.5, 1.25};
  double out = 0.0;
  tape(nullptr, state.data(), nullptr, nullptr, nullptr, &out);
  EXPECT_CLOSE(out, expected, rounding(10));  // a fixed point attracts, so errors do not grow; measured: 1 eps
}

TEST(Lowering, TheSameOutputsGiveTheSameProgramInAnyGraph) {
  Graph one;
  Graph two;
  two.symbol("something else");
  const auto first = lower(test::RandomExprs(one, 3).take(10, 200), test::random_input);
  const auto again = lower(test::RandomExprs(one, 3).take(10, 200), test::random_input);
  const auto other = lower(test::RandomExprs(two, 3).take(10, 200), test::random_input);
  EXPECT_TRUE(first == again);
  EXPECT_TRUE(first == other);
  EXPECT_CLOSE(hash_of(first), hash_of(other), exact);
}

TEST(Lowering, DifferentProgramsHaveDifferentHashes) {
  Graph graph;
  const auto first = lower(test::RandomExprs(graph, 3).take(10, 200), test::random_input);
  Program changed = first;
  changed.outputs.back() = 0;
  EXPECT_NE(hash_of(first), hash_of(changed));
  EXPECT_NE(hash_of(first), hash_of(lower(test::RandomExprs(graph, 4).take(10, 200), test::random_input)));
}

TEST(Lowering, EveryOperandIsComputedBeforeItsUse) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Graph graph;
    const Program p = lower(test::RandomExprs(graph, seed).take(8, 80), test::random_input);
    for (std::size_t i = 0; i < p.code.size(); ++i)
      for (const std::uint32_t operand : {p.code[i].a, p.code[i].b, p.code[i].c})
        ASSERT_LT(operand, std::max<std::size_t>(1, p.first_instruction() + i));
  }
}

}  // namespace
}  // namespace saltus
