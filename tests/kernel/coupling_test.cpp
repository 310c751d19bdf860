// Forces of many contacts: what they cost, and that they are the right ones.
#include "saltus/kernel/coupling.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <string>

#include "saltus/kernel/inputs.hpp"
#include "saltus/kernel/lowered.hpp"
#include "saltus/kernel/tape.hpp"

namespace saltus {
namespace {

Equations equations_of_many(const std::string& text) {
  const ModelReading reading = read_model("many.toml", text);
  EXPECT_TRUE(reading.model) << rendered(reading.diagnostics);
  return equations_of(*reading.model);
}

std::size_t instructions_of(const std::string& text) {
  std::size_t all = 0;
  for (const NamedProgram& named : lowered(equations_of_many(text))) all += named.program.code.size();
  return all;
}

/// A particle in the plane between walls in all directions.
std::string many_walls(int count) {
  std::string text =
      "[mechanics]\ncoordinates = [\"x\", \"y\"]\nmass = [[\"1\", \"0\"], [\"0\", \"2\"]]\nforce = [\"-x\", \"-1\"]\n";
  for (int i = 0; i < count; ++i)
    text += fmt::format("[[contact]]\nname = \"w{}\"\ngap = \"{:.4f}*x + {:.4f}*y + {}\"\nrestitution = 0.5\n", i,
                        std::cos(i), std::sin(i), i + 3);
  return text;
}

/// A chain of masses with a stop between each and the next: each contact touches its neighbours only.
std::string chain_of_stops(int count) {
  std::string names;
  std::string mass;
  std::string force;
  std::string contacts;
  for (int i = 0; i <= count; ++i) {
    names += fmt::format("\"x{}\", ", i);
    std::string row;
    for (int j = 0; j <= count; ++j) row += i == j ? "\"1\", " : "\"0\", ";
    mass += fmt::format("[{}],", row);
    force += fmt::format("\"-x{}\", ", i);
    if (i > 0)
      contacts += fmt::format("[[contact]]\nname = \"c{0}\"\ngap = \"x{0} - x{1} + 1\"\nrestitution = 0.5\n", i, i - 1);
  }
  return fmt::format("[mechanics]\ncoordinates = [{}]\nmass = [{}]\nforce = [{}]\n{}", names, mass, force, contacts);
}

/// Steps of friction at many speeds.
std::string many_switches(int count) {
  std::string force;
  for (int i = 0; i < count; ++i) force += fmt::format(" - sign(x' - {})", i);
  return fmt::format("[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\nforce = [\"-x{}\"]\n", force);
}

TEST(Coupling, InstructionsGrowNoFasterThanTheSquareOfTheNumberOfContacts) {
  for (const int m : {16, 32}) EXPECT_LE(instructions_of(many_walls(2 * m)), 4 * instructions_of(many_walls(m))) << m;
  EXPECT_LE(instructions_of(many_walls(64)), 20'000U);
  // By elimination of a full matrix they would be 87,000 products for the forces alone. Here they even grow like their number.
  EXPECT_LE(instructions_of(many_walls(64)), 5 * instructions_of(many_walls(32)) / 2);
  EXPECT_GE(instructions_of(many_walls(64)),
            64U * 20U);  // a mask, a place, a gap with its rates and a normal of each at least
}

TEST(Coupling, InstructionsGrowNoFasterThanTheSquareOfTheNumberOfSwitches) {
  for (const int m : {25, 50})
    EXPECT_LE(instructions_of(many_switches(2 * m)), 4 * instructions_of(many_switches(m))) << m;
}

TEST(Coupling, InstructionsGrowLikeTheNumberOfContactsAndSwitchesWhereThereAreMany) {
  EXPECT_LE(instructions_of(many_walls(600)), 21 * instructions_of(many_walls(300)) / 10);
  EXPECT_LE(instructions_of(many_switches(600)), 21 * instructions_of(many_switches(300)) / 10);
}

TEST(Coupling, MoreInstructionsThanMayBeCompiledAreRefusedInWords) {
  const Equations equations = equations_of_many(many_walls(4));
  const std::size_t all = instructions_of(many_walls(4));
  EXPECT_NO_THROW(lowered(equations, all));
  try {
    lowered(equations, all - 1);
    FAIL() << "no refusal";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::model);
    const std::string said = error.what();
    EXPECT_NE(said.find(fmt::format("too large to be compiled: {} instructions", all)), std::string::npos) << said;
    EXPECT_NE(said.find(fmt::format("expected at most {}", all - 1)), std::string::npos) << said;
  }
}

TEST(Coupling, ContactsThatTouchTheirNeighboursOnlyAreEliminatedAsTheyStand) {
  const auto sliding = [](int m) {
    return lower(equations_of_many(chain_of_stops(m)).outputs("sliding"), input_of).code.size();
  };
  EXPECT_LE(sliding(24), 5 * sliding(12) / 2);
}

TEST(Coupling, AnEliminationCountsWhatItFills) {
  // Arrows: with the full row last nothing is filled in, with the full row first everything is.
  constexpr std::size_t size = 10;
  std::vector<std::vector<bool>> last(size, std::vector<bool>(size));
  std::vector<std::vector<bool>> first = last;
  for (std::size_t i = 0; i < size; ++i) {
    last[i][i] = last[size - 1][i] = last[i][size - 1] = true;
    first[i][i] = first[0][i] = first[i][0] = true;
  }
  EXPECT_EQ(elimination_cost(last, 1000), 9U * 2U);
  std::size_t full = 0;
  for (std::size_t k = 1; k <= 9; ++k) full += k * (k + 1);
  EXPECT_EQ(elimination_cost(first, 1000), full);
  EXPECT_GT(elimination_cost(first, 20), 20U);
}

/// u of the active constraints by elimination with pivots, in long double; the others zero.
std::vector<double> expected(const std::vector<std::vector<double>>& rows,
                             const std::vector<std::vector<double>>& columns, const std::vector<std::size_t>& active,
                             const std::vector<double>& lack) {
  const std::size_t a = active.size();
  std::vector<std::vector<long double>> A(a, std::vector<long double>(a + 1, 0.0L));
  for (std::size_t i = 0; i < a; ++i) {
    for (std::size_t j = 0; j < a; ++j)
      for (std::size_t c = 0; c < rows[0].size(); ++c)
        A[i][j] += static_cast<long double>(rows[active[i]][c]) * columns[active[j]][c];
    A[i][a] = lack[active[i]];
  }
  for (std::size_t k = 0; k < a; ++k) {
    std::size_t best = k;
    for (std::size_t i = k; i < a; ++i)
      if (std::abs(A[i][k]) > std::abs(A[best][k])) best = i;
    std::swap(A[k], A[best]);
    for (std::size_t i = 0; i < a; ++i) {
      if (i == k) continue;
      const long double factor = A[i][k] / A[k][k];
      for (std::size_t j = k; j <= a; ++j) A[i][j] -= factor * A[k][j];
    }
  }
  std::vector<double> u(rows.size(), 0.0);
  for (std::size_t i = 0; i < a; ++i) u[active[i]] = static_cast<double>(A[i][a] / A[i][i]);
  return u;
}

class Places : public testing::Test {
 protected:
  static constexpr std::size_t m = 40;
  static constexpr std::size_t components = 3;

  Places() {
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    ExprVector masks;
    ExprVector lack;
    std::vector<ExprVector> rows;
    std::vector<ExprVector> columns;
    for (std::size_t i = 0; i < m; ++i) {
      const auto at = static_cast<std::uint32_t>(i);
      masks.push_back(graph_.symbol(input_name({Slot::mode, at})));
      lack.push_back(masks.back() * graph_.symbol(input_name({Slot::state, at})));
      rows_.emplace_back();
      rows.emplace_back();
      columns.emplace_back();
      for (std::size_t c = 0; c < components; ++c) {
        rows_[i].push_back(number(random_));
        rows[i].push_back(graph_.constant(rows_[i][c]));
        columns[i].push_back(graph_.constant(static_cast<double>(c + 1) * rows_[i][c]));  // M⁻¹ = diag(1, 2, 3)
      }
    }
    const Coupling coupling(masks, rows, columns,
                            [&](std::size_t i, std::size_t j) { return dot(rows[i], columns[j]); });
    by_places_ = coupling.by_places();
    tape_.emplace(lower(coupling.solve(lack), input_of));
  }

  std::vector<double> solved(const std::vector<std::size_t>& active, const std::vector<double>& lack) {
    std::vector<double> mode(m, 0.0);
    for (const std::size_t i : active) mode[i] = 1.0;
    std::vector<double> u(m);
    (*tape_)(nullptr, lack.data(), nullptr, mode.data(), nullptr, u.data());
    return u;
  }

  Graph graph_;
  std::mt19937 random_{20261};
  std::vector<std::vector<double>> rows_;
  std::optional<Tape<double>> tape_;
  bool by_places_ = false;
};

TEST_F(Places, GiveTheForcesOfAnyContactsThatAreClosedTogether) {
  ASSERT_TRUE(by_places_);
  std::vector<std::vector<double>> columns = rows_;
  for (std::vector<double>& column : columns)
    for (std::size_t c = 0; c < components; ++c) column[c] *= static_cast<double>(c + 1);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  for (int count = 0; count < 300; ++count) {
    std::vector<std::size_t> active;
    std::vector<std::size_t> all(m);
    for (std::size_t i = 0; i < m; ++i) all[i] = i;
    std::shuffle(all.begin(), all.end(), random_);
    active.assign(all.begin(), all.begin() + count % (components + 1));
    std::sort(active.begin(), active.end());
    std::vector<double> lack(m);
    for (double& each : lack) each = number(random_);
    const std::vector<double> u = solved(active, lack);
    const std::vector<double> right = expected(rows_, columns, active, lack);
    // Conditions of random 3 × 3 matrices reach 1e5; worst of these 300 is below 1e-11 of the largest force.
    double size = 1.0;
    for (const double each : right) size = std::max(size, std::abs(each));
    for (std::size_t i = 0; i < m; ++i) EXPECT_NEAR(u[i], right[i], 1e-9 * size) << i;
  }
}

TEST_F(Places, SayNothingOfMoreContactsThanThereAreDirections) {
  const std::vector<double> u = solved({3, 8, 20, 31}, std::vector<double>(m, 1.0));
  EXPECT_TRUE(std::isnan(u[3]));
}

}  // namespace
}  // namespace saltus
