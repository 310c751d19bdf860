// The table of what a contact or a switch may be doing, against itself and against motions that do it.

#include "saltus/flow/mode_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <set>

#include "saltus/flow/lost_directions.hpp"
#include "tests/support/flow_support.hpp"

namespace saltus::test {
namespace {

template <class Row, std::size_t states>
void expect_whole(const std::array<Row, states>& table) {
  std::set<std::string_view> names;
  for (const Row& row : table) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_GT(row.watched.count, 0u) << row.name << " could not end";
    // What is solved for is watched, and keeps something zero; what is free watches no multiplier and loses nothing.
    const bool watches_multiplier = std::any_of(row.watched.begin(), row.watched.end(), [](const Watched& each) {
      return Guard{each.kind, 0}.is_multiplier();
    });
    EXPECT_EQ(watches_multiplier, row.solved != Solved::nothing) << row.name;
    EXPECT_EQ(row.kept != Kept::nothing, row.solved != Solved::nothing) << row.name;
    EXPECT_GT(row.next.count, 0u) << row.name;
    std::set<decltype(row.state)> next;
    for (const auto& following : row.next) {
      EXPECT_NE(following.state, row.state);
      EXPECT_TRUE(next.insert(following.state).second) << row.name;
      EXPECT_LT(static_cast<std::size_t>(following.state), states);
      // An instant that leads from what is free to what is solved for, or back, is told of.
      const bool changes = (row_of(following.state).kept == Kept::nothing) != (row.kept == Kept::nothing);
      EXPECT_TRUE(!changes || following.told) << row.name;
    }
    // Every state is led to by another.
    EXPECT_TRUE(std::any_of(table.begin(), table.end(), [&](const Row& from) {
      return std::any_of(from.next.begin(), from.next.end(), [&](const auto& to) { return to.state == row.state; });
    })) << row.name;
  }
}

TEST(ModeTable, EveryStateHasANameOfItsOwnGuardsAWayInAndAWayOut) {
  expect_whole(contact_table);
  expect_whole(switch_table);
}

TEST(ModeTable, WhatLeadsThereAndBackAreTheBeginningAndTheEndOfOneThing) {
  for (const ContactRow& row : contact_table)
    for (const auto& to : row.next)
      EXPECT_EQ(to.told, row.solved == Solved::nothing ? EventKind::slide_start : EventKind::slide_end) << row.name;
  for (const SwitchRow& row : switch_table)
    for (const auto& to : row.next) {
      const bool before = row.solved != Solved::nothing;
      const bool after = row_of(to.state).solved != Solved::nothing;
      const auto expected = before && after ? std::optional<EventKind>()
                            : after         ? std::optional(EventKind::filippov_start)
                            : before        ? std::optional(EventKind::filippov_end)
                                            : std::optional(EventKind::switched);
      EXPECT_EQ(to.told, expected) << row.name << " to " << row_of(to.state).name;
    }
}

/// The state that kernels read so; nothing if there is none.
template <class Row, std::size_t states, std::size_t inputs>
std::optional<decltype(Row::state)> state_reading(const std::array<Row, states>& table,
                                                  const std::array<double, inputs>& read) {
  for (const Row& row : table)
    if (row.inputs == read) return row.state;
  return std::nullopt;
}

/// All modes of two contacts and two switches.
std::vector<Mode> all_modes() {
  std::vector<Mode> modes;
  for (const ContactRow& a : contact_table)
    for (const ContactRow& b : contact_table)
      for (const SwitchRow& c : switch_table)
        for (const SwitchRow& d : switch_table) modes.push_back({{a.state, b.state}, {c.state, d.state}});
  return modes;
}

TEST(ModeTable, KernelsReadAModeWhereTheLayoutSaysAndItCanBeReadBack) {
  const Layout layout{.n = 2, .contacts = 2, .switches = 2};
  for (const Mode& mode : all_modes()) {
    const std::vector<double> inputs = mode_inputs(mode);
    ASSERT_EQ(inputs.size(), layout.mode_size());
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(inputs[layout.contact_mask(i)] != 0.0, mode.is_closed(i));
      EXPECT_EQ(inputs[layout.elasticity(i)], 1.0);
      EXPECT_EQ(state_reading(contact_table, std::array{inputs[layout.contact_mask(i)]}), mode.contacts()[i]);
    }
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(inputs[layout.sign(k)], mode.side(k));
      EXPECT_EQ(inputs[layout.filippov_mask(k)] != 0.0, mode.slides_alone(k));
      // The kernels know nothing of what is held: HeldField asks them for its sides.
      const auto read =
          state_reading(switch_table, std::array{inputs[layout.sign(k)], inputs[layout.filippov_mask(k)]});
      EXPECT_TRUE(mode.is_held(k) || read == mode.switches()[k]);
    }
  }
  EXPECT_FALSE(state_reading(contact_table, std::array{2.0}));
  EXPECT_FALSE(state_reading(switch_table, std::array{0.0, 0.0}));
  EXPECT_FALSE(state_reading(switch_table, std::array{1.0, 1.0}));
}

TEST(ModeTable, AModeWatchesWhatItsStatesDoAndWhatHoldsItTogetherOnce) {
  for (const Mode& mode : all_modes()) {
    std::size_t expected = 0;
    for (std::size_t i = 0; i < 2; ++i) expected += row_of(mode.contacts()[i]).watched.count;
    for (std::size_t k = 0; k < 2; ++k)
      if (!mode.is_held(k) || k == 0 || !mode.is_held(0)) expected += row_of(mode.switches()[k]).watched.count;
    const std::vector<Guard> guards = guards_of(mode);
    EXPECT_EQ(guards.size(), expected);
    EXPECT_EQ(mode.is_masked(),
              std::any_of(guards.begin(), guards.end(), [](const Guard& guard) { return guard.is_multiplier(); }));
    EXPECT_EQ(mode.is_masked(), mode.annihilates());
  }
}

TEST(ModeTable, ChangesOfAModeLeadWhereTheirNamesSay) {
  Mode mode(Layout{.n = 1, .contacts = 1, .switches = 1});
  EXPECT_EQ(mode.contacts().front(), ContactState::open);
  mode.close(0);
  EXPECT_TRUE(mode.is_closed(0));
  mode.open(0);
  EXPECT_FALSE(mode.any_closed());
  mode.pass(0, -1.0);
  EXPECT_EQ(mode.side(0), -1.0);
  mode.slide(0);
  EXPECT_TRUE(mode.slides_alone(0) && mode.slides_along(0) && !mode.is_held(0));
  mode.hold(0, 1);
  EXPECT_EQ(mode.switches().front(), SwitchState::held_once);
  EXPECT_TRUE(mode.slides_along(0) && !mode.slides_alone(0) && mode.any_held());
  mode.hold(0, 2);
  EXPECT_EQ(mode.switches().front(), SwitchState::held_twice);
  mode.pass(0, 1.0);
  EXPECT_EQ(mode, Mode(Layout{.n = 1, .contacts = 1, .switches = 1}));
}

// ---- motions ----------------------------------------------------------------------------------------------------------

int rank_of(const Matrix& tangent) {
  const Vector values = Eigen::JacobiSVD<Matrix>(tangent).singularValues();
  return static_cast<int>((values.array() > 1e-9 * std::max(values[0], 1e-300)).count());
}

struct Held {
  std::string name;
  std::string text;
  Mode mode;
  std::size_t lost;
};

std::string falling(const std::string& coordinates, const std::string& mass, const std::string& forces) {
  return "[mechanics]\ncoordinates = [" + coordinates + "]\nmass = [" + mass + "]\nforce = [" + forces + "]\n";
}
std::string states(const std::string& names, const std::string& rates, const std::string& initial) {
  return "[mechanics]\nstates = [" + names + "]\nrates = [" + rates + "]\n[initial]\n" + initial;
}
std::string plastic(const std::string& name, const std::string& gap) {
  return "[[contact]]\nname = \"" + name + "\"\ngap = \"" + gap + "\"\nrestitution = 0\n";
}

std::size_t lost_in(const Motion& motion, const FlowPoint& at) {
  return lost_directions(motion.mechanism(), at.t.phase, at.x, at.mode);
}

class TangentOfAMode : public OnEveryRoad {
 protected:
  /// The tangent at the end has as many directions as are not lost by the mode there, which are these.
  static void expect_lost(const std::string& name, const Motion& motion, const FlowResult& result, std::size_t lost) {
    ASSERT_EQ(result.outcome, Outcome::reached_end) << name;
    const Matrix& X = result.end.tangent;
    EXPECT_EQ(lost_in(motion, result.end), lost) << name;
    EXPECT_EQ(rank_of(X), static_cast<int>(X.rows()) - static_cast<int>(lost)) << name << "\n" << X;
  }
};
INSTANTIATE_TEST_SUITE_P(Roads, TangentOfAMode, every_road, name_of_road);

/// Models with a direction that nothing touches, each at last in one state, or in two that do not depend on each other.
std::vector<Held> held_models() {
  using enum ContactState;
  using enum SwitchState;
  const std::string ball = falling(R"("x", "y")", R"(["1", "0"], ["0", "1"])", R"("-x", "-1")");
  const std::string corner =
      falling(R"("x", "y", "z")", R"(["1", "0", "0"], ["0", "1", "0"], ["0", "0", "1"])", R"("-x", "-1", "-1")");
  const std::string relay = R"q("sign(u)", "-w")q";
  return {
      {"a flight", ball + plastic("floor", "y + 100"), {{open}, {}}, 0},
      {"a ball that lies", ball + plastic("floor", "y + 1"), {{closed}, {}}, 2},
      {"a ball in a corner", corner + plastic("floor", "y + 1") + plastic("wall", "z + 2"), {{closed, closed}, {}}, 4},
      {"the one side", states(R"("u", "w")", relay, "u = -1\n"), {{}, {minus}}, 0},
      {"the other side", states(R"("u", "w")", relay, "u = 1\n"), {{}, {plus}}, 0},
      {"a block that sticks",
       falling(R"("x")", R"(["1"])", R"q("-0.1*x - sign(x')")q") + "[initial]\n\"x'\" = 1\n",
       {{}, {slid}},
       1},
      {"two relays",
       states(R"("x", "y", "w")", R"q("-2*sign(x) + 52*sign(y)", "-52*sign(x) - 2*sign(y)", "-w")q",
              "x = 3\ny = 3\nw = 1\n"),
       {{}, {held_once, held_once}},
       2},
  };
}

TEST_P(TangentOfAMode, LosesAsManyDirectionsAsTheTableSays) {
  std::set<std::string_view> met;
  const bool steps = GetParam().method == FlowMethod::runge_kutta;
  for (const Held& held : held_models()) {
    if (held.mode.any_held() && !steps) continue;  // the closed form leaves what is held to steps
    const Motion motion = of(held.text);
    const FlowResult result = motion.until(4.0, Carries::state_and_tangent);
    const Mode& mode = result.end.mode;
    EXPECT_EQ(mode, held.mode) << held.name;
    expect_lost(held.name, motion, result, held.lost);
    for (const ContactState state : mode.contacts()) met.insert(row_of(state).name);
    for (const SwitchState state : mode.switches()) met.insert(row_of(state).name);
  }
  EXPECT_EQ(met.size() + (steps ? 1 : 2), contact_table.size() + switch_table.size()) << "held twice is met below";
}

// The force enters x after two differentiations and x' after one: x = x' = 0 are kept, x' by both of them.
TEST_P(TangentOfAMode, ThatHoldsByPlaceAndSpeedLosesTheTwoDirectionsThatThePlaceAloneWould) {
  if (GetParam().method == FlowMethod::exact) GTEST_SKIP() << "the closed form leaves what is held to steps";
  const Motion motion = of(R"toml(
[mechanics]
coordinates = ["x", "y"]
mass = [["1", "0"], ["0", "1"]]
force = ["-10*sign(x) - 3*sign(x')", "-y"]
[initial]
x = 1
y = 1
)toml");
  const FlowResult result = motion.until(6.0, Carries::state_and_tangent);
  EXPECT_THAT(result.end.mode.switches(),
              testing::UnorderedElementsAre(SwitchState::held_twice, SwitchState::held_once));
  expect_lost("held twice and once", motion, result, 2);
}

/// A body on the floor x = 0 beside another one, with these forces.
std::string on_the_floor(const std::string& forces, const std::string& initial) {
  return falling(R"("x", "y")", R"(["1", "0"], ["0", "1"])", forces) + plastic("floor", "x") + "[initial]\n" + initial;
}

// With x = x' = 0 kept by the floor a slide along x' + y' keeps y' = 0, and so does one along y', with which x' + ½ y' is zero.
TEST_P(TangentOfAMode, OfAContactAndASlideTogetherIsAcrossBoth) {
  const std::string one = R"q("-1", "-0.1*y - 0.5*sign(x' + y')")q";
  const std::string two = R"q("-1 - 0.2*sign(x' + 0.5*y')", "-0.5*sign(y') - 0.2*sign(x' + 0.5*y')")q";
  for (const std::string& forces : {one, two}) {
    const Motion falls = of(on_the_floor(forces, "x = 1\ny = 1\n"));
    expect_lost(forces, falls, falls.until(6.0, Carries::state_and_tangent), 3);
    // From a start in that mode: s is kept without a touch of x', so that a push of y' moves nothing.
    const Motion lies = of(on_the_floor(forces, "y = 1\n"));
    const FlowResult after = lies.until(1.0, Carries::state_and_tangent);
    expect_lost(forces, lies, after, 3);
    const Matrix expected = Vector::Unit(4, 1) * Vector::Unit(4, 1).transpose();
    EXPECT_LE((after.end.tangent - expected).cwiseAbs().maxCoeff(), 1e-12) << after.end.tangent;
  }
}

// A block that sticks to the ground, another one to it: y' - x' is kept without a touch of x'. Beside them something swings.
TEST_P(TangentOfAMode, OfTwoSlidesThatShareABodyIsAcrossBoth) {
  const Motion stack = of(falling(R"("x", "y", "u")", R"(["1", "0", "0"], ["0", "2", "0"], ["0", "0", "1"])",
                                  R"q("-0.3*x - sign(x') + 0.5*sign(y' - x')", "-0.2*y - 0.5*sign(y' - x')", "-u")q") +
                          "[initial]\nx = 1\ny = 0.5\nu = 1\n");
  const FlowResult result = stack.until(3.0, Carries::state_and_tangent);
  expect_lost("stack", stack, result, 2);
  EXPECT_LE(result.end.tangent.middleCols(3, 2).cwiseAbs().maxCoeff(), 1e-12) << result.end.tangent;
}

// The floor keeps x'. Of 3 x', y' - x' and y' the first is kept with it, and the third by the second.
TEST(LostDirections, AreTheRankOfWhatIsKept) {
  const Motion motion = Motion::of(on_the_floor(R"q("-1 - sign(3*x') - sign(y' - x')", "-sign(y')")q", "x = 1\n"));
  const Mechanism mechanism = motion.mechanism();
  const Vector x = Vector::Zero(4);
  Mode mode(motion.layout());
  EXPECT_EQ(lost_directions(mechanism, 0.0, x, mode), 0u);
  mode.close(0);
  EXPECT_EQ(lost_directions(mechanism, 0.0, x, mode), 2u);
  std::vector<std::size_t> with_one;
  Mode with_all = mode;
  ASSERT_EQ(motion.layout().switches, 3u);
  for (std::size_t k = 0; k < 3; ++k) {
    Mode with = mode;
    with.slide(k);
    with_all.slide(k);
    with_one.push_back(lost_directions(mechanism, 0.0, x, with));
  }
  EXPECT_THAT(with_one, testing::UnorderedElementsAre(2u, 3u, 3u));
  EXPECT_EQ(lost_directions(mechanism, 0.0, x, with_all), 3u);
  EXPECT_EQ(kept_gradients(mechanism, 0.0, x, with_all).rows(), 5);
}

// ---- what is told ----------------------------------------------------------------------------------------------------

/// Modes as they follow each other in a motion, and when.
class Changes : public PathFollower {
 public:
  void begin() override { seen_.clear(); }
  void follow(const PathPiece& piece) override {
    if (seen_.empty() || !(seen_.back().second == piece.mode)) seen_.emplace_back(piece.t, piece.mode);
  }
  const std::vector<std::pair<double, Mode>>& seen() const { return seen_; }

 private:
  std::vector<std::pair<double, Mode>> seen_;
};

template <class State>
std::size_t expect_told(const std::vector<State>& before, const std::vector<State>& after, double t,
                        const FlowResult& result) {
  std::size_t changes = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] == after[i]) continue;
    ++changes;
    const auto& row = row_of(before[i]);
    const bool follows =
        std::any_of(row.next.begin(), row.next.end(), [&](const auto& to) { return to.state == after[i]; });
    EXPECT_TRUE(follows) << row.name << " to " << row_of(after[i]).name;
    const auto told = row.told_of(after[i]);
    const bool found = std::any_of(result.events.begin(), result.events.end(), [&](const Event& event) {
      // A completed chatter closes at its end, which is told before it is reached.
      return event.kind == told && event.index == i && event.t >= t - 1e-9 && event.t <= t + 0.1;
    });
    EXPECT_TRUE(found || !told) << row.name << " to " << row_of(after[i]).name << " at " << t;
  }
  return changes;
}

TEST(ModeTable, EveryChangeOfAMotionIsOneThatTheTableKnowsAndIsToldOf) {
  std::size_t changes = 0;
  for (const auto& [example, case_name] : std::vector<std::pair<std::string, std::string>>{
           {"bouncing_ball", "plastic"}, {"vibrating_table", "resting"}, {"stick_slip", ""}, {"friction_belt", ""}}) {
    for (const FlowMethod method : {FlowMethod::runge_kutta, FlowMethod::automatic}) {
      MotionSetup with;
      with.case_name = case_name;
      with.options.method = method;
      const Motion motion = Motion::example(example, with);
      FlowRun run = motion.run_from({}, motion.start(), {0, 30.0}, Carries::state);
      Changes seen;
      run.follower = &seen;
      const FlowResult result = flow(motion.kernels(), motion.options, run);
      for (std::size_t i = 1; i < seen.seen().size(); ++i) {
        const auto& [t, after] = seen.seen()[i];
        const Mode& before = seen.seen()[i - 1].second;
        changes += expect_told(before.contacts(), after.contacts(), t, result);
        changes += expect_told(before.switches(), after.switches(), t, result);
      }
    }
  }
  EXPECT_GT(changes, 20u);
}

}  // namespace
}  // namespace saltus::test
