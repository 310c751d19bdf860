// Which contacts stay closed, and what happens where their gaps make no sense.

#include "saltus/flow/closing.hpp"

#include <numbers>

#include "tests/support/flow_support.hpp"

namespace saltus {
namespace {

using test::count_of;
using test::Motion;

constexpr FlowMethod both_methods[] = {FlowMethod::runge_kutta, FlowMethod::exact};

FlowResult moved(const std::string& text, FlowMethod method, double T) {
  Motion m = Motion::of(text);
  m.options.method = method;
  return m.until(T);
}

/// Unit masses along a line with these forces and gaps.
std::string line_of(std::size_t count, const std::string& force, const std::vector<std::string>& gaps,
                    const std::string& rest) {
  std::string names;
  std::string masses;
  std::string forces;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string comma = i > 0 ? ", " : "";
    const std::string q = "q" + std::to_string(i);
    names += comma + "\"" + q + "\"";
    std::string row;
    for (std::size_t j = 0; j < count; ++j) row += std::string(j > 0 ? ", " : "") + (i == j ? "\"1\"" : "\"0\"");
    masses += comma + "[" + row + "]";
    std::string own = force;
    for (std::size_t at = own.find('@'); at != std::string::npos; at = own.find('@')) own.replace(at, 1, q);
    forces += comma + "\"" + own + "\"";
  }
  std::string text = "[mechanics]\ncoordinates = [" + names + "]\nmass = [" + masses + "]\nforce = [" + forces + "]\n";
  for (std::size_t i = 0; i < gaps.size(); ++i)
    text += "[[contact]]\nname = \"c" + std::to_string(i) + "\"\ngap = \"" + gaps[i] + "\"\n" + rest;
  return text;
}

TEST(Closing, OfAStackOfEighteenBodiesCarriesTheirWeights) {
  constexpr std::size_t count = 18;
  std::vector<std::string> gaps = {"q0"};
  for (std::size_t i = 1; i < count; ++i)
    gaps.push_back("q" + std::to_string(i) + " - q" + std::to_string(i - 1) + " - 1");
  std::string text = line_of(count, "-9.81", gaps, "restitution = 0.5\n") + "[initial]\n";
  for (std::size_t i = 1; i < count; ++i) text += "q" + std::to_string(i) + " = " + std::to_string(i) + "\n";
  Motion m = Motion::of(text);
  for (const FlowMethod method : both_methods) {
    m.options.method = method;
    const FlowResult result = m.until(2.0);
    ASSERT_EQ(result.outcome, Outcome::reached_end);
    EXPECT_CLOSE(count_of(result, EventKind::slide_start), count, exact);
    for (std::size_t i = 0; i < count; ++i)
      EXPECT_NEAR(result.end.x[static_cast<Eigen::Index>(i)], static_cast<double>(i), 1e-12);
  }
}

TEST(Closing, OfBallsThatMoveTogetherWithoutPressingLasts) {
  // Five equal pendulums touch and swing alike after the first struck them under Moreau's law: between the four no force and no
  // acceleration of a gap ever arises. At t = 3π/2 the first comes back with the speed −0.6 and meets the others again.
  std::vector<std::string> gaps;
  for (std::size_t i = 0; i < 4; ++i) gaps.push_back("q" + std::to_string(i + 1) + " - q" + std::to_string(i));
  const std::string text =
      line_of(5, "-@", gaps, "restitution = 1\n") + "[initial]\nq0 = -1\n[solver]\nimpact_law = \"moreau\"\n";
  for (const FlowMethod method : both_methods) {
    const FlowResult half = moved(text, method, 3.0);
    ASSERT_EQ(half.outcome, Outcome::reached_end);
    const double phase = std::sin(3.0 - std::numbers::pi / 2.0);
    EXPECT_NEAR(half.end.x[0], -0.6 * phase, 1e-9);
    for (Eigen::Index i = 1; i < 5; ++i) EXPECT_NEAR(half.end.x[i], 0.4 * phase, 1e-9);
    // The second meeting gives back the first state mirrored: ball 0 moves alone.
    const FlowResult whole = moved(text, method, 5.0);
    ASSERT_EQ(whole.outcome, Outcome::reached_end);
    EXPECT_NEAR(whole.end.x[0], -std::sin(5.0 - 1.5 * std::numbers::pi), 1e-8);
    for (Eigen::Index i = 1; i < 5; ++i) EXPECT_NEAR(whole.end.x[i], 0.0, 1e-8);
  }
}

TEST(Closing, IsDecidedAnewWhereAForceJumps) {
  // Pressed until t = 1, then lifted: x = (3 − 1)²/2. A contact does not pull.
  for (const std::string before : {"-1", "0"})
    for (const FlowMethod method : both_methods) {
      const FlowResult result =
          moved(line_of(1, "if(t < 1, " + before + ", 1)", {"q0"}, "restitution = 0.5\n"), method, 3.0);
      ASSERT_EQ(result.outcome, Outcome::reached_end);
      EXPECT_NEAR(result.end.x[0], 2.0, 1e-9) << before;
      EXPECT_FALSE(result.end.mode.is_closed(0)) << before;
      EXPECT_CLOSE(count_of(result, EventKind::slide_end), before == "0" ? 0U : 1U, exact) << before;
    }
}

TEST(Closing, OfATieIsDecidedByTheFirstDerivativeThatDoesNotVanish) {
  // The force t³ lifts the body that lies on the floor without any force; −t³ presses it.
  for (const FlowMethod method : both_methods) {
    const FlowResult lifted = moved(line_of(1, "t^3", {"q0"}, "restitution = 0.5\n"), method, 2.0);
    ASSERT_EQ(lifted.outcome, Outcome::reached_end);
    EXPECT_NEAR(lifted.end.x[0], 32.0 / 20.0, 1e-9);
    const FlowResult pressed = moved(line_of(1, "-t^3", {"q0"}, "restitution = 0.5\n"), method, 2.0);
    ASSERT_EQ(pressed.outcome, Outcome::reached_end);
    EXPECT_NEAR(pressed.end.x[0], 0.0, 1e-12);
    EXPECT_TRUE(pressed.end.mode.is_closed(0));
  }
}

// Two blocks that friction keeps together, one of them at the wall: forces that cancel at first leave rounding, whose sign is none, and
// they go where the force that is left takes them, −t/2 or t/2 for both.
TEST(Closing, OfAContactWithoutAnyForceIsNotDecidedByTheRoundingOfFriction) {
  for (const FlowMethod method : both_methods)
    for (const std::string limit : {"1.1875", "1.3"})
      for (const std::string mass : {"0.875", "0.7"})
        for (const double pull : {-0.5, 0.5}) {
          const std::string text = "[mechanics]\ncoordinates = [\"a\", \"b\"]\nmass = [[\"" + mass +
                                   "\", \"0\"], [\"0\", \"" + mass + "\"]]\nforce = [\"0.5 + " + std::to_string(pull) +
                                   "*t - " + limit + "*sign(a' - b')\", \"-0.5 + " + limit +
                                   "*sign(a' - b')\"]\n[[contact]]\nname = \"wall\"\ngap = \"a\"\nrestitution = 0.5\n";
          const FlowResult result = moved(text, method, 1.0);
          ASSERT_EQ(result.outcome, Outcome::reached_end) << text;
          const double x = pull > 0.0 ? pull / 12.0 / std::stod(mass) : 0.0;
          EXPECT_NEAR((result.end.x.head(2).array() - x).abs().maxCoeff(), 0.0, 1e-11) << text;
        }
}

// ---- obstacles that exclude each other -----------------------------------------------------------------------------

// Both contacts touch at the start, one approached, the other being left. −e γ⁻ of the one that is left would let it penetrate.
TEST(Moreau, GivesBackNothingToAContactThatIsBeingLeft) {
  // γ = (−1, 0.1) becomes (0.5, 0) by Λ = (1.5 + Λ₁, Λ₁): q₀' = 0.5, q₁' = q₀' with Λ₁ = q₁' + 0.9 = 1.4.
  const std::string text = line_of(2, "0", {"q0", "q1 - q0"}, "restitution = 0.5\n") +
                           "[initial]\n\"q0'\" = -1\n\"q1'\" = -0.9\n[solver]\nimpact_law = \"moreau\"\n";
  for (const FlowMethod method : both_methods) {
    const FlowResult result = moved(text, method, 2.0);
    ASSERT_EQ(result.outcome, Outcome::reached_end);
    EXPECT_NEAR((result.end.x - Vector{{1.0, 1.0, 0.5, 0.5}}).norm(), 0.0, 1e-12);
  }
}

// A body that touches the walls on both sides cannot be thrown back by one of them.
TEST(Moreau, EndsInWordsWhereNoVelocitiesGiveEachContactItsRestitution) {
  const std::string text = line_of(1, "0", {"q0", "-q0"}, "restitution = 0.5\n") +
                           "[initial]\n\"q0'\" = -1\n[solver]\nimpact_law = \"moreau\"\n";
  for (const FlowMethod method : both_methods) {
    const FlowResult result = moved(text, method, 2.0);
    EXPECT_EQ(result.outcome, Outcome::ambiguous_impact);
    EXPECT_TRUE(std::holds_alternative<NoRebound>(result.details));
  }
}

// Pushed at constant speed by the wall q0 = 0.5 t, and struck between it and q1 = 1 again and again until all rest against each other.
TEST(Closing, OfContactsThatAreStruckUntilTheyRestLasts) {
  const std::string text =
      "[mechanics]\ncoordinates = [\"q0\", \"q1\", \"q2\"]\n"
      "mass = [[\"1.069\", \"-0.234\", \"-0.439\"], [\"-0.234\", \"1.235\", \"0.006\"], [\"-0.439\", \"0.006\", "
      "\"0.97\"]]\n"
      "force = [\"-1.84\", \"0\", \"0\"]\n"
      "[[contact]]\nname = \"low\"\ngap = \"-q0 - q1 + 0.92 - 0.31*t\"\nrestitution = 0\n"
      "[[contact]]\nname = \"wall\"\ngap = \"q0 + 1.45 - 0.49*t\"\nrestitution = 0.5\n"
      "[[contact]]\nname = \"side\"\ngap = \"0.09 - q2\"\nrestitution = 0.12\n"
      "[[contact]]\nname = \"slope\"\ngap = \"q0 + 0.69*q1 + 0.7183\"\nrestitution = 0\n"
      "[initial]\nq0 = 0.03\nq1 = -0.07\nq2 = 0.09\n\"q0'\" = 0.64\n\"q1'\" = -0.89\n\"q2'\" = -0.55\n";
  for (const FlowMethod method : both_methods) {
    const FlowResult result = moved(text, method, 10.0);
    ASSERT_EQ(result.outcome, Outcome::reached_end);
    // On the wall and the low obstacle: q0 = 0.49 t − 1.45, q1 = 0.92 − 0.31 t − q0.
    EXPECT_NEAR((result.end.x.head(2) - Vector{{3.45, -5.63}}).norm(), 0.0, 1e-9);
    EXPECT_NEAR((result.end.x.segment(3, 2) - Vector{{0.49, -0.8}}).norm(), 0.0, 1e-9);
  }
}

TEST(Obstacles, ThatComeTogetherEndTheRunWhereTheyMeet) {
  // x ≥ t and x ≤ 2 leave no room from t = 2 on, whatever the restitution below 1 (elastic, the body becomes infinitely fast before)
  // and however many bodies are squeezed between.
  for (const std::string e : {"0", "0.5", "0.9"})
    for (const FlowMethod method : both_methods) {
      const FlowResult one = moved(
          line_of(1, "0", {"q0 - t", "2 - q0"}, "restitution = " + e + "\n") + "[initial]\nq0 = 1\n", method, 5.0);
      EXPECT_EQ(one.outcome, Outcome::obstacles_exclude) << e;
      EXPECT_NEAR(one.end.t.phase, 2.0, 1e-9) << e;
      EXPECT_EQ(one.contacts, (std::vector<std::size_t>{0, 1})) << e;
    }
  for (const FlowMethod method : both_methods) {
    const FlowResult two = moved(line_of(2, "0", {"q0 - t", "q1 - q0 - 0.5", "2 - q1"}, "restitution = 0\n") +
                                     "[initial]\nq0 = 0.5\nq1 = 1.25\n",
                                 method, 5.0);
    EXPECT_EQ(two.outcome, Outcome::obstacles_exclude);
    EXPECT_NEAR(two.end.t.phase, 1.5, 1e-9);
  }
}

TEST(Obstacles, ThatJustHoldABodyDoNotExcludeEachOther) {
  for (const FlowMethod method : both_methods) {
    const FlowResult result = moved(
        line_of(1, "0", {"q0", "1 - q0"}, "restitution = 0.5\n") + "[initial]\nq0 = 0.5\n\"q0'\" = 1\n", method, 50.0);
    EXPECT_EQ(result.outcome, Outcome::reached_end);
  }
}

// ---- gaps without sense --------------------------------------------------------------------------------------------

TEST(Gap, ThatIsNoNumberBeyondItsZeroIsMetThere) {
  // √x − 0.1 closes at x = 0.01, before x = 0 where it ends: t = √(2 · 0.99), and a step that leads beyond is not taken.
  const FlowResult result = moved(line_of(1, "-1", {"sqrt(q0) - 0.1"}, "restitution = 0.5\n") + "[initial]\nq0 = 1\n",
                                  FlowMethod::runge_kutta, 2.0);
  ASSERT_EQ(result.outcome, Outcome::reached_end);
  ASSERT_GE(count_of(result, EventKind::impact), 1U);
  EXPECT_NEAR(result.events.front().t, std::sqrt(2.0 * 0.99), 1e-9);
}

TEST(Gap, ThatIsNoNumberFromSomewhereOnEndsTheRunThere) {
  // Past the side of a round bump its height is the root of a negative number: at x = 1, t = 1, high above it.
  const std::string text = R"toml([mechanics]
coordinates = ["x", "y"]
mass = [["1", "0"], ["0", "1"]]
force = ["0", "0"]
[[contact]]
name = "bump"
gap = "y - sqrt(1 - x^2)"
restitution = 0.8
[initial]
y = 2
"x'" = 1
)toml";
  const FlowResult result = moved(text, FlowMethod::runge_kutta, 5.0);
  EXPECT_EQ(result.outcome, Outcome::gap_undefined);
  EXPECT_EQ(result.contacts, (std::vector<std::size_t>{0}));
  EXPECT_NEAR(result.end.t.phase, 1.0, 1e-9);
  EXPECT_LE(result.end.x[0], 1.0);
}

TEST(Gap, WithoutANormalWhereItClosesEndsInWordsOrIsStruckAsTheWallItIs) {
  // x³ ≥ 0 is x ≥ 0, but its derivative vanishes at the wall. Whatever is computed, the ball stays above the floor, and the run ends.
  const FlowResult result =
      moved(line_of(1, "-1", {"q0^3"}, "restitution = 0.5\n") + "[initial]\nq0 = 1\n", FlowMethod::runge_kutta, 5.0);
  EXPECT_EQ(result.outcome, Outcome::gap_undefined);
  ASSERT_TRUE(std::holds_alternative<GapFault>(result.details));
  EXPECT_EQ(std::get<GapFault>(result.details), GapFault::no_normal);
  EXPECT_GE(result.end.x[0], -1e-4);
}

}  // namespace
}  // namespace saltus
