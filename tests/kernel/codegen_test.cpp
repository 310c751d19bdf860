#include "saltus/kernel/codegen.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "saltus/kernel/tape.hpp"
#include "tests/kernel/random_expr.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

constexpr unsigned widths[] = {1, 2, 4, 8};

/// Equal bits, or both not a number.
bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

std::size_t differences(const std::vector<double>& a, const std::vector<double>& b) {
  std::size_t count = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) count += same(a[i], b[i]) ? 0 : 1;
  return count;
}

std::vector<double> native(Kernel kernel, const test::RandomInputs<double>& in, std::size_t size) {
  std::vector<double> out(size, -77.0);
  kernel(in.t.data(), in.x.data(), in.p.data(), in.mode.data(), in.X.data(), out.data());
  return out;
}

std::vector<double> interpreted(const Program& program, const test::RandomInputs<double>& in, unsigned width) {
  std::vector<double> out(program.outputs.size() * width, -77.0);
  const Tape<double> tape(program);
  for (unsigned lane = 0; lane < width; ++lane)
    tape.run_lane({in.t.data(), in.x.data(), in.p.data(), in.mode.data(), in.X.data()}, out.data(), width, lane);
  return out;
}

/// Programs of random expressions, named by their seed.
std::vector<NamedProgram> random_programs(std::uint64_t first_seed, std::size_t count) {
  std::vector<NamedProgram> programs;
  for (std::uint64_t seed = first_seed; seed < first_seed + count; ++seed) {
    Graph graph;
    programs.push_back({std::to_string(seed), lower(test::RandomExprs(graph, seed).take(12, 40), test::random_input)});
  }
  return programs;
}

/// Both sorts of inputs through every program; `draw` makes the inputs.
template <class Draw>
std::size_t differences_from_tape(const std::vector<NamedProgram>& programs, const NativeCode& code, Draw draw) {
  std::mt19937_64 random(99);
  std::size_t count = 0;
  for (const NamedProgram& named : programs) {
    test::RandomInputs<double> in(code.width());
    for (int round = 0; round < 20; ++round) {
      in.fill([&] { return draw(random); });
      const std::size_t size = named.program.outputs.size() * code.width();
      count += differences(native(code.kernel(named.name), in, size), interpreted(named.program, in, code.width()));
    }
  }
  return count;
}

TEST(NativeCode, GivesTheBitsOfTheInterpreterInEveryLaneAtEveryWidth) {
  const std::vector<NamedProgram> programs = random_programs(0, 8);
  for (const unsigned width : widths) {
    const NativeCode code(programs, {}, width);
    EXPECT_CLOSE(differences_from_tape(programs, code, test::tame), 0, exact) << width << " lanes";
    EXPECT_CLOSE(differences_from_tape(programs, code, test::wild), 0, exact) << width << " lanes";
  }
}

TEST(NativeCode, ForTheOldestProcessorGivesTheSameBits) {
  const std::vector<NamedProgram> programs = random_programs(50, 4);
  for (const unsigned width : {1U, 4U}) {
    const NativeCode code(programs, {}, width, Processor::oldest);
    EXPECT_CLOSE(differences_from_tape(programs, code, test::tame), 0, exact) << width << " lanes";
    EXPECT_CLOSE(differences_from_tape(programs, code, test::wild), 0, exact) << width << " lanes";
  }
}

TEST(NativeCode, HasRightSinesOfHugeArgumentsBesideSmallOnes) {
  Graph g;
  const Expr outputs[] = {sin(g.symbol("x0")), cos(g.symbol("x0")), sin(g.symbol("x1"))};
  const NamedProgram named = {"sines", lower(outputs, test::random_input)};
  const NativeCode code({&named, 1}, {}, 4);
  test::RandomInputs<double> in(4);
  in.x = {0.5, 1e12, -1e22, 1e300, 1.0, 2.0, 3.0, 4.0, 0.0, 0.0, 0.0, 0.0};
  const std::vector<double> out = native(code.kernel("sines"), in, 12);
  for (std::size_t lane = 0; lane < 4; ++lane) {
    // Both to one unit in the last place.
    EXPECT_CLOSE(out[lane], std::sin(in.x[lane]), rounding(2));
    EXPECT_CLOSE(out[4 + lane], std::cos(in.x[lane]), rounding(2));
    EXPECT_CLOSE(out[8 + lane], std::sin(in.x[4 + lane]), rounding(2));
  }
  EXPECT_CLOSE(differences(out, interpreted(named.program, in, 4)), 0, exact);
}

TEST(NativeCode, StoresOutputsThatAreInputsOrConstants) {
  Graph g;
  const Expr outputs[] = {g.symbol("x1"), g.constant(-2.5), g.symbol("x1"), -g.symbol("t"), g.truth(true)};
  const NamedProgram named = {"copies", lower(outputs, test::random_input)};
  for (const unsigned width : widths) {
    test::RandomInputs<double> in(width);
    std::mt19937_64 random(3);
    in.fill([&] { return test::tame(random); });
    const NativeCode code({&named, 1}, {}, width);
    const std::vector<double> out = native(code.kernel("copies"), in, 5UL * width);
    EXPECT_CLOSE(out[0], in.x[width], exact);
    EXPECT_CLOSE(out[width], -2.5, exact);
    EXPECT_CLOSE(out[3UL * width], -in.t[0], exact);
    EXPECT_CLOSE(out[5UL * width - 1], 1.0, exact);
    EXPECT_CLOSE(differences(out, interpreted(named.program, in, width)), 0, exact);
  }
}

TEST(NativeCode, OfALongProgramGivesTheBitsOfTheInterpreterAcrossItsBlocks) {
  // Inputs that are first needed in one block and again in a later one, results of the first block that the last one uses, sines that
  // leave for the interpreter from anywhere, and more copies of an input than a block holds.
  Graph g;
  std::vector<Expr> outputs;
  Expr far = 0.5 * g.symbol("x0") + g.symbol("p1");
  for (int i = 0; i < 1500; ++i) {
    const Expr near = (0.5 + 1e-3 * i) * g.symbol(i % 2 == 0 ? "x1" : "X1") - far;
    outputs.push_back(i % 100 == 99 ? sin(near) : near * near + g.symbol("x2"));
    if (i % 7 == 0) far = hold(0.25 * far - 0.3 * outputs.back());
  }
  for (int i = 0; i < 700; ++i) outputs.push_back(g.symbol("x2"));
  const std::vector<NamedProgram> programs = {{"long", lower(outputs, test::random_input)}};
  ASSERT_GT(programs[0].program.code.size(), 3000U);
  for (const unsigned width : {1U, 4U})
    for (const Effort effort : {Effort::fast_code, Effort::fast_compilation}) {
      const NativeCode code(programs, {}, width, Processor::host, effort);
      EXPECT_CLOSE(differences_from_tape(programs, code, test::tame), 0, exact) << width << " lanes";
      EXPECT_CLOSE(differences_from_tape(programs, code, test::wild), 0, exact) << width << " lanes";
    }
}

/// The streams of a loop: three of `count` elements, two scalars, one stored output and two sums.
struct LoopData {
  std::vector<double> streams[3];
  std::vector<double> scalars;
  std::vector<double> out[2];
  std::vector<double> sums;

  LoopData(std::size_t count, std::size_t width, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto numbers = [&](std::size_t size) {
      std::vector<double> made(size);
      for (double& number : made) number = test::tame(random);
      return made;
    };
    for (auto& stream : streams) stream = numbers(count * width);
    scalars = numbers(2 * width);
    sums = numbers(2 * width);
    out[0].resize(count * width);
    out[1].resize(count * width);
  }

  /// One lane of it, as if it were alone.
  LoopData lane(std::size_t width, std::size_t which) const {
    LoopData one = *this;
    const auto pick = [&](std::vector<double>& all) {
      for (std::size_t i = 0; i * width < all.size(); ++i) all[i] = all[i * width + which];
      all.resize(all.size() / width);
    };
    for (auto& stream : one.streams) pick(stream);
    for (auto& output : one.out) pick(output);
    pick(one.scalars);
    pick(one.sums);
    return one;
  }

  template <class Loop>
  void run(const Loop& loop, std::size_t count) {
    const double* const in[] = {streams[0].data(), streams[1].data(), streams[2].data()};
    double* const outputs[] = {out[0].data(), streams[0].data()};  // the second in place
    loop(in, scalars.data(), outputs, sums.data(), count);
  }
};

NamedLoop stage_loop(Graph& g) {
  const Expr y = g.symbol("x0");
  const Expr k1 = g.symbol("x1");
  const Expr k2 = g.symbol("x2");
  const Expr h = g.symbol("p0");
  const Expr e = h * (0.25 * k1 - 1.5 * k2) / (1e-3 + apply(Op::abs, y) * g.symbol("p1"));
  const Expr stored[] = {y + h * (0.3 * k1 + 0.7 * k2), sin(y) + apply(Op::exp, k1)};
  const Expr added[] = {e * e, apply(Op::max, k1, k2)};
  return {"stage", lower_loop(stored, added, test::random_input)};
}

TEST(NativeLoop, GivesTheBitsOfTheInterpreterForAnyNumberOfElementsInEveryLaneAtEveryWidth) {
  Graph g;
  const NamedLoop named = stage_loop(g);
  const LoopTape<double> tape(named.loop);
  for (const unsigned width : widths) {
    const NativeCode code({}, {&named, 1}, width);
    for (const std::size_t count : {0UL, 1UL, 3UL, 4UL, 7UL, 8UL, 42UL}) {
      const LoopData start(count, width, count + width);
      LoopData wide = start;
      wide.run(code.loop("stage"), count);
      for (std::size_t lane = 0; lane < width; ++lane) {
        LoopData alone = start.lane(width, lane);
        alone.run(tape, count);
        const LoopData got = wide.lane(width, lane);
        EXPECT_CLOSE(differences(got.out[0], alone.out[0]), 0, exact);
        EXPECT_CLOSE(differences(got.streams[0], alone.streams[0]), 0, exact);
        EXPECT_CLOSE(differences(got.sums, alone.sums), 0, exact) << width << " lanes, " << count << " elements";
      }
    }
  }
}

TEST(NativeLoop, FindsInARecordWhatOtherLoopsHavePutThere) {
  Graph g;
  const auto stream = [&](int j) { return g.symbol("x" + std::to_string(j)); };
  // Slots 0, 1, 2 of the records are streams 1, 2, 3; three loops fill them, the last reads them all.
  std::vector<NamedLoop> loops;
  for (std::uint32_t slot = 0; slot < 3; ++slot) {
    const Expr filled[] = {(slot + 2.0) * stream(0) + 0.5};
    loops.push_back({"fill" + std::to_string(slot), lower_loop(filled, {}, test::random_input)});
    loops.back().loop.records = {1, 3, 0, slot};
  }
  const Expr total[] = {stream(0) + 3.0 * stream(1) - 5.0 * stream(2) + 7.0 * stream(3)};
  loops.push_back({"read", lower_loop(total, {}, test::random_input)});
  loops.back().loop.records = {1, 3, 1, 0};
  for (const unsigned width : widths) {
    const NativeCode code({}, loops, width);
    for (const std::size_t count : {0UL, 1UL, 3UL, 4UL, 7UL, 8UL, 42UL}) {
      std::vector<double> x(count * width);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(1.0 + static_cast<double>(i));
      std::vector<double> records((count + 8) * 3 * width, 1e300);
      std::vector<double> out(count * width, -1.0);
      const double* const in[] = {x.data(), records.data()};
      double* const to_records[] = {records.data()};
      double* const to_out[] = {out.data(), records.data()};
      for (const char* fill : {"fill2", "fill0", "fill1"}) code.loop(fill)(in, nullptr, to_records, nullptr, count);
      code.loop("read")(in, nullptr, to_out, nullptr, count);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double wanted = x[i] + 3.0 * (2.0 * x[i] + 0.5) - 5.0 * (3.0 * x[i] + 0.5) + 7.0 * (4.0 * x[i] + 0.5);
        EXPECT_CLOSE(out[i], wanted, rounding(16, 10.0)) << width << " lanes, element " << i << " of " << count;
      }
    }
  }
}

TEST(NativeCode, KeepsItsFunctionsWhenMoved) {
  const std::vector<NamedProgram> programs = random_programs(80, 1);
  NativeCode first(programs, {}, 2);
  const Kernel kernel = first.kernel("80");
  const NativeCode second = std::move(first);
  EXPECT_EQ(second.kernel("80"), kernel);
  EXPECT_CLOSE(differences_from_tape(programs, second, test::tame), 0, exact);
}

TEST(NativeCode, RefusesAWidthThatDoesNotExist) {
  const std::vector<NamedProgram> programs = random_programs(80, 1);
  EXPECT_THROW(NativeCode(programs, {}, 3), Error);
}

TEST(NativeCode, NamesTheFunctionThatWasNotCompiled) {
  const std::vector<NamedProgram> programs = random_programs(80, 1);
  const NativeCode code(programs, {}, 1);
  EXPECT_THROW(code.kernel("field"), Error);
}

[[noreturn]] void load_from_nowhere() {
  setenv("SALTUS_CODEGEN", "/nowhere/saltus_codegen.so", 1);
  try {
    host();
  } catch (const Error& error) {
    std::fputs(error.what(), stderr);
    std::exit(static_cast<int>(error.code()));
  }
  std::exit(0);
}

TEST(NativeCodeDeathTest, SaysWhereTheCodeGeneratorWasSought) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own: this one may have loaded it
  EXPECT_EXIT(load_from_nowhere(), testing::ExitedWithCode(4), "/nowhere/saltus_codegen.so: no such file");
}

TEST(Host, HasARegisterOfAtLeastTwoLanes) {
  const HostInfo info = host();
  EXPECT_TRUE(info.lanes == 2 || info.lanes == 4 || info.lanes == 8);
  EXPECT_EQ(info.llvm_version.rfind("19.", 0), 0U);
  EXPECT_FALSE(info.cpu.empty());
}

}  // namespace
}  // namespace saltus
