// One event: the identities of its saltation matrix, and proof that the tempting mistakes are seen.

#include "saltus/flow/saltation.hpp"

#include <functional>

#include "saltus/numerics/decompositions.hpp"
#include "tests/support/identities.hpp"
#include "tests/support/oracles.hpp"

namespace saltus {
namespace {

using test::Carries;
using test::Index;
using test::Motion;
using test::tight;

double largest(const Matrix& m) { return test::largest(m); }

/// All impacts of a run as jets, in free motion before and after.
std::vector<EventJet> impacts_of(const Motion& motion, const FlowResult& result) {
  std::vector<EventJet> jets;
  const double period = motion.period();
  for (const Event& event : result.events) {
    if (event.kind != EventKind::impact) continue;
    const double t = period > 0.0 ? std::fmod(event.t, period) : event.t;
    jets.push_back(test::gap_jet(motion, t, event.x_minus, event.index, Mode(motion.layout()), Mode(motion.layout())));
  }
  return jets;
}

TEST(Saltation, ContractsPhaseVolumeByESquaredForAnyMassesForcesAndWallMotion) {
  for (const auto& [name, e, T] : {std::tuple{"triple_pendulum_torque", 0.8, 60.0},
                                   {"impact_pair", 0.7, 60.0},
                                   {"triple_pendulum_barrier", 0.9, 40.0},
                                   {"impact_oscillator", 0.8, 60.0}}) {
    const Motion m = Motion::example(name);
    const auto jets = impacts_of(m, m.until(T));
    EXPECT_GT(jets.size(), 5U) << name;
    // A 6 × 6 determinant with entries up to 1e3; worst measured 3e4 eps in the triple pendulum.
    for (const EventJet& at : jets) EXPECT_CLOSE(LuFactors(saltation(at)).determinant(), e * e, rounding(1e6)) << name;
    // Without the jump term the determinant is −e for one contact.
    for (const EventJet& at : jets)
      EXPECT_GT(std::abs(LuFactors(test::without_jump_term(at)).determinant() - e * e), 1e-3) << name;
  }
}

TEST(Saltation, CarriesTheFieldToTheFieldWhenNothingDependsOnTime) {
  const Motion m = Motion::example("double_pendulum_wall");
  const auto jets = impacts_of(m, m.until(20.0));
  EXPECT_GT(jets.size(), 20U);
  for (const EventJet& at : jets) {
    EXPECT_CLOSE(saltation(at) * at.F_minus, at.F_plus, rounding(1e4));
    EXPECT_GT(largest(test::without_jump_term(at) * at.F_minus - at.F_plus), 1e-6);
    EXPECT_GT(largest(test::with_F_plus_for_F_minus(at) * at.F_minus - at.F_plus), 1e-6);
  }
}

TEST(Saltation, IsSymplecticInMomentaForElasticImpacts) {
  const Motion m = Motion::example("double_pendulum_wall", {.case_name = "wall_only"});
  const FlowResult result = m.until(20.0);
  const Matrix J = test::symplectic_unit(2);
  int count = 0;
  for (const Event& event : result.events) {
    const EventJet at = test::gap_jet(m, event.t, event.x_minus, event.index, Mode(m.layout()), Mode(m.layout()));
    const Matrix before = test::to_canonical(m, event.t, event.x_minus);
    const Matrix after = test::to_canonical(m, event.t, event.x_plus);
    const auto canonical = [&](const Matrix& S) { return Matrix(after * S * LuFactors(before).inverse()); };
    const Matrix S = canonical(saltation(at));
    const double size = largest(S) * largest(S);
    EXPECT_CLOSE(S.transpose() * J * S, J, rounding(1e3, size));
    const Matrix wrong = canonical(test::without_jump_term(at));
    EXPECT_GT(largest(wrong.transpose() * J * wrong - J), 1e-6);
    ++count;
  }
  EXPECT_GE(count, 10);
}

TEST(Energy, OfEveryImpactIsLostAsTheLawSays) {
  // ΔE = −½ (1 − e²) (γ⁻)² / (nᵀM⁻¹n) − Λ ∂h/∂t, also for moving walls.
  for (const auto& [name, case_name, T] : {std::tuple{"vibrating_table", "chaos", 60.0},
                                           {"impact_pair", "chaos", 60.0},
                                           {"double_pendulum_wall", "", 20.0},
                                           {"triple_pendulum_barrier", "fig3a", 40.0}}) {
    const Motion m = Motion::example(name, {.case_name = case_name});
    const Mechanism mechanism = m.mechanism();
    const FlowResult result = m.until(T);
    int count = 0;
    for (const Event& event : result.events) {
      if (event.kind != EventKind::impact) continue;
      ++count;
      const double t = m.period() > 0.0 ? std::fmod(event.t, m.period()) : event.t;
      const Mode free(m.layout());
      const Index i = static_cast<Index>(event.index);
      const ContactValue at = mechanism.contact(t, event.x_minus, free);
      const double e = at.restitution[i];
      const double h_t = mechanism.jets(t, event.x_minus)(i, static_cast<Index>(m.layout().N()));
      const double before = mechanism.energy(t, event.x_minus, free).first;
      const double after = mechanism.energy(t, event.x_plus, free).first;
      const double law = -0.5 * (1 - e * e) * std::pow(event.gamma_minus, 2) / at.delassus(i, i) - event.impulse * h_t;
      EXPECT_CLOSE(after - before, law, rounding(1e4, before + after)) << name;
      EXPECT_CLOSE(event.gamma_plus, -e * event.gamma_minus, rounding(1e4, 1.0)) << name;
    }
    EXPECT_GT(count, 5) << name;
  }
}

// ---- one event in a run: X = X₂ S X₁ with the right S, and not with a wrong one -----------------------------------

enum class Passage { gap, switched };
enum class End { later, at_once };  // at once: later motion forgets what the jump term did
struct Single {
  std::string name;
  std::function<Motion()> motion;
  EventKind kind;
  Passage passage;
  double T;
  End end = End::later;
};

class OneEvent : public testing::TestWithParam<Single> {};

/// The first event of a kind.
Event first_of(const FlowResult& run, EventKind kind) {
  const auto place = std::find_if(run.events.begin(), run.events.end(), [&](const Event& e) { return e.kind == kind; });
  if (place == run.events.end()) throw std::runtime_error("the event is not met");
  return *place;
}

/// X₂ (S X₁ + R_p …) + the columns that parameters have of the motion behind the event.
Matrix composed(const Matrix& X2, const Matrix& carried) {
  const Index N = X2.rows();
  Matrix X = X2.leftCols(N) * carried;
  X.rightCols(X2.cols() - N) += X2.rightCols(X2.cols() - N);
  return X;
}

TEST_P(OneEvent, IsCarriedOverByTheRightSaltationMatrixAndByNoOtherInStatesAndParameters) {
  const Single& c = GetParam();
  const Motion m = c.motion();
  const Event event = first_of(m.until(c.T), c.kind);
  const double t = event.t;
  const double end = c.end == End::at_once ? t + 1e-9 : c.T;
  const FlowResult whole = m.until(end, Carries::state_and_tangent);
  ASSERT_EQ(whole.outcome, Outcome::reached_end);
  const FlowResult before = m.until(t - 1e-9, Carries::state_and_tangent);
  const Mode after = m.until(t + 1e-6).end.mode;
  const FlowResult rest = m.flow_from({0, t}, event.x_plus, {0, end}, Carries::state_and_tangent);
  ASSERT_EQ(rest.outcome, Outcome::reached_end);
  const EventJet at = c.passage == Passage::switched
                          ? test::switch_jet(m, t, event.x_minus, event.index, before.end.mode, after)
                          : test::gap_jet(m, t, event.x_minus, event.index, before.end.mode, after);
  const Matrix& X1 = before.end.tangent;
  Matrix X2 = rest.end.tangent;
  if (c.end == End::at_once) X2 = Matrix::Identity(X1.rows(), X1.cols());
  const Index N = X1.rows();
  ASSERT_GT(X1.cols(), N);
  // States and parameters apart: each has its own size.
  const auto error = [&](const Matrix& carried, bool of_parameters) {
    const Matrix difference = composed(X2, carried) - whole.end.tangent;
    const Index count = X1.cols() - N;
    return of_parameters ? largest(difference.rightCols(count)) / largest(whole.end.tangent.rightCols(count))
                         : largest(difference.leftCols(N)) / largest(whole.end.tangent.leftCols(N));
  };
  for (const bool of_parameters : {false, true}) {
    // The tangent before is taken 1e-9 early.
    EXPECT_LE(error(carried_over(at, X1), of_parameters), 1e-7 * test::tolerance_scale()) << of_parameters;
    EXPECT_FALSE(error(test::carried_without_jump_term(at, X1), of_parameters) <= 1e-3) << of_parameters;
    // Not a number where F⁺ runs along the surface.
    EXPECT_FALSE(error(test::carried_with_F_plus_for_F_minus(at, X1), of_parameters) <= 1e-3) << of_parameters;
  }
  EXPECT_CLOSE(Matrix(carried_over(at, X1).leftCols(N)), Matrix(saltation(at) * X1.leftCols(N)), rounding(1e4));
}

/// A block falls on a curved floor beside a leaning wall.
constexpr const char* curved_floor_text = R"toml([parameters]
e = 0.5
k = 0.5
bend = 0.125
[mechanics]
coordinates = ["x", "y"]
mass  = [["1", "0"], ["0", "1"]]
force = ["-k*x", "-1"]
[[contact]]
name = "floor"
gap = "y + bend*x^2"
restitution = "e"
[[contact]]
name = "wall"
gap = "1 - x + x*y/2"
restitution = "e"
[initial]
y = 0.02
"x'" = 0.9
)toml";

INSTANTIATE_TEST_SUITE_P(
    Kinds, OneEvent,
    testing::Values(
        Single{"impact",
               [] { return Motion::example("double_pendulum_wall", {.varied = {"l1", "e_wall"}, .options = tight()}); },
               EventKind::impact, Passage::gap, 0.9},
        Single{"moving_obstacle",
               [] {
                 return Motion::example("vibrating_table",
                                        {.set = {{"z'", "1"}}, .varied = {"A", "e"}, .options = tight()});
               },
               EventKind::impact, Passage::gap, 4.0},
        Single{"plastic_impact_and_slide_start",
               [] {
                 return Motion::example("triple_pendulum_barrier",
                                        {.case_name = "fig4ef", .varied = {"c1", "eta"}, .options = tight()});
               },
               EventKind::impact, Passage::gap, 2.0},
        Single{"impact_while_sliding",
               [] {
                 return Motion::of(curved_floor_text, {.set = {{"x", "0"}, {"y", "0"}, {"x'", "1.2"}, {"y'", "0"}},
                                                       .varied = {"e", "k", "bend"},
                                                       .options = tight()});
               },
               EventKind::impact, Passage::gap, 1.5},
        Single{"discontinuous_force",
               [] { return Motion::of(test::step_force_text, {.varied = {"place", "push"}, .options = tight()}); },
               EventKind::switched, Passage::switched, 1.5},
        Single{"filippov_entry",
               [] {
                 return Motion::example(
                     "friction_belt",
                     {.set = {{"x", "1.5"}, {"x'", "0.1"}}, .varied = {"delta", "k"}, .options = tight()});
               },
               EventKind::filippov_start, Passage::switched, 8.0, End::at_once}),
    [](const auto& tested) { return tested.param.name; });

// A single impact of a chatter says little: what the last of them does is below the tolerance that ended it. So all of them,
// from the first fall to the sliding, with the right saltation matrix or with a wrong one at each.
TEST(CompletedChatter, IsTheProductOfItsImpactsWithTheRightSaltationMatricesAndWithNoOthers) {
  const Motion m = Motion::of(curved_floor_text, {.varied = {"e", "k", "bend"}, .options = tight()});
  const FlowResult run = m.until(1.0);
  const Event completed = first_of(run, EventKind::chatter);
  const double last = completed.t;
  const double end = last + 1e-3;  // a run that ends before `last` does not complete it
  std::vector<Event> impacts;
  for (const Event& event : run.events)
    if (event.kind == EventKind::impact && event.t <= last) impacts.push_back(event);
  ASSERT_GT(impacts.size(), 10U);
  const Mode free(m.layout());
  const Mode sliding = m.until(end).end.mode;
  ASSERT_TRUE(sliding.is_closed(0));
  using Carrying = std::function<Matrix(const EventJet&, const Matrix&)>;
  const auto product = [&](const Carrying& carried) {
    Matrix X = Matrix::Identity(4, 7);
    double t = 0.0;
    Vector x = m.start();
    for (std::size_t k = 0; k < impacts.size(); ++k) {
      const Event& impact = impacts[k];
      const double before = impact.t - 1e-8 * (impact.t - t);
      X = composed(m.flow_from({0, t}, x, {0, before}, Carries::state_and_tangent).end.tangent, X);
      const bool ends = k + 1 == impacts.size();
      X = carried(test::gap_jet(m, impact.t, impact.x_minus, 0, free, ends ? sliding : free, ends), X);
      t = impact.t;
      x = ends ? completed.x_plus : impact.x_plus;
    }
    return composed(m.flow_from({0, t}, x, {0, end}, Carries::state_and_tangent).end.tangent, X);
  };
  const Matrix truth = m.until(end, Carries::state_and_tangent).end.tangent;
  const auto error = [&](const Carrying& carried, Index first, Index count) {
    const Matrix X = product(carried);
    return largest(X.middleCols(first, count) - truth.middleCols(first, count)) /
           largest(truth.middleCols(first, count));
  };
  for (const auto& [first, count] : {std::pair<Index, Index>{0, 4}, {4, 3}}) {
    // The last flights are 1e-11 high: their own rounding is 1e-5 of them. Measured: 1e-6 to 4e-5.
    EXPECT_LE(error(carried_over, first, count), 2e-4 * test::tolerance_scale());
    EXPECT_GT(error(test::carried_without_jump_term, first, count), 1e-3);
    EXPECT_GT(error(test::carried_with_F_plus_for_F_minus, first, count), 1e-3);
  }
}

/// Where a contact is let go at λ = 0, or a Filippov weight reaches 0, the fields before and after agree: there is no
/// jump term to drop, and any other S than the identity is wrong.
struct Release {
  std::string name, case_name;
  EventKind kind;
  double T;
  std::vector<std::string> varied;
};

class EndOfSliding : public testing::TestWithParam<Release> {};

TEST_P(EndOfSliding, LeavesFieldAndTangentContinuous) {
  const Release& c = GetParam();
  const Motion m = Motion::example(c.name, {.case_name = c.case_name, .varied = c.varied, .options = tight()});
  const Event event = first_of(m.until(c.T), c.kind);
  const double period = m.period();
  const double t = period > 0.0 ? std::fmod(event.t, period) : event.t;
  const FlowResult before = m.until(event.t - 1e-9, Carries::state_and_tangent);
  const FlowResult after = m.until(event.t + 1e-9, Carries::state_and_tangent);
  ASSERT_FALSE(before.end.mode == after.end.mode);
  const Mechanism mechanism = m.mechanism();
  const Vector F_minus = mechanism.field(t, event.x_minus, before.end.mode).rate;
  const Vector F_plus = mechanism.field(t, event.x_minus, after.end.mode).rate;
  EXPECT_CLOSE(F_plus, F_minus, rounding(1e5));
  EXPECT_CLOSE(after.end.tangent, before.end.tangent, integration(1e-7, 1.0));
  // However soon behind it a run ends, where the gap that opens is still below its own rounding: nothing else happens.
  for (const double later : {1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5}) {
    const FlowResult ended = m.until(event.t + later, Carries::state_and_tangent);
    EXPECT_EQ(ended.outcome, Outcome::reached_end) << later;
    EXPECT_EQ(ended.events.back().kind, c.kind) << later;
    EXPECT_CLOSE(ended.end.tangent, after.end.tangent, integration(1e-6, 1.0 + 1e8 * later)) << later;
  }
  // Were it let go earlier, where it is still pressed, the fields would not agree.
  const FlowResult pressed = m.until(event.t - 0.01);
  const double early = period > 0.0 ? std::fmod(event.t - 0.01, period) : event.t - 0.01;
  EXPECT_GT(largest(mechanism.field(early, pressed.end.x, after.end.mode).rate -
                    mechanism.field(early, pressed.end.x, pressed.end.mode).rate),
            1e-5);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, EndOfSliding,
    testing::Values(Release{"triple_pendulum_barrier", "fig4ef", EventKind::slide_end, 12.0, {"c1"}},
                    Release{"triple_pendulum_barrier", "fig3b", EventKind::slide_end, 10.0, {"eta"}},
                    Release{"friction_belt", "", EventKind::filippov_end, 11.0, {"delta", "belt"}}),
    [](const auto& tested) { return tested.param.name + "_" + tested.param.case_name; });

TEST(Tangent, IsContinuousWhereAForceIsContinuous) {
  const Motion m = Motion::example("clearance_pair", {.case_name = "trilinear", .options = tight()});
  const FlowResult result = m.until(12.0);
  int count = 0;
  for (const Event& event : result.events) {
    if (event.kind != EventKind::switched) continue;
    const Mode before = m.until(event.t - 1e-9).end.mode;
    const Mode after = m.until(event.t + 1e-6).end.mode;
    const EventJet at = test::switch_jet(m, std::fmod(event.t, m.period()), event.x_minus, event.index, before, after);
    EXPECT_CLOSE(saltation(at), Matrix(Matrix::Identity(4, 4)), rounding(1e4));
    ++count;
  }
  EXPECT_GT(count, 2);
}

// ---- over runs ---------------------------------------------------------------------------------------------------

TEST(Liouville, HoldsOverRunsWithImpacts) {
  for (const auto& [name, case_name, T] : {std::tuple{"triple_pendulum_barrier", "fig3a", 12.0},
                                           {"impact_oscillator", "chaos", 20.0},
                                           {"impact_pair", "chaos", 20.0},
                                           {"double_pendulum_wall", "", 2.0},
                                           {"triple_pendulum_torque", "q1_2", 20.0}}) {
    const Motion m = Motion::example(name, {.case_name = case_name, .options = tight()});
    FlowRun run = m.run_from({}, m.start(), {0, T}, Carries::state_and_tangent);
    run.measure_divergence = true;
    const FlowResult result = flow(m.kernels(), m.options, run);
    ASSERT_GT(result.ledger.impacts, 0) << name;
    const double volume = std::log(std::abs(LuFactors(result.end.tangent).determinant()));
    const double condition = largest(result.end.tangent) * largest(LuFactors(result.end.tangent).inverse());
    EXPECT_CLOSE(volume, result.divergence + result.ledger.log_contraction, integration(1e-11, condition, 1.0)) << name;
    EXPECT_GT(std::abs(volume - result.divergence), 0.1) << name;  // the impacts count
  }
}

TEST(Composition, OfTwoRunsIsOneRun) {
  for (const auto& [name, case_name, a, b] : {std::tuple{"triple_pendulum_barrier", "fig3b", 4.0, 6.0},
                                              {"double_pendulum_wall", "corner", 0.4, 0.4},
                                              {"friction_belt", "", 6.0, 5.0},
                                              {"vibrating_table", "resting", 3.0, 6.0}}) {
    const Motion m = Motion::example(name, {.case_name = case_name, .options = tight()});
    const FlowResult whole = m.until(a + b, Carries::state_and_tangent);
    const FlowResult first = m.until(a, Carries::state_and_tangent);
    FlowRun next = m.run_from({}, m.start(), {0, a + b}, Carries::state_and_tangent);
    next.start = first.end;
    next.start.tangent.setIdentity();
    const FlowResult second = flow(m.kernels(), m.options, next);
    const double growth = static_cast<double>(whole.ledger.steps) * std::max(1.0, largest(whole.end.tangent));
    EXPECT_CLOSE(second.end.x, whole.end.x, integration(1e-12, growth)) << name;
    EXPECT_CLOSE(Matrix(second.end.tangent * first.end.tangent), whole.end.tangent, integration(1e-10, growth)) << name;
    EXPECT_TRUE(second.end.mode == whole.end.mode) << name;
  }
}

TEST(Autonomous, TangentCarriesTheFieldAlongTheMotion) {
  for (const auto& [name, case_name, T] : {std::tuple{"double_pendulum_wall", "", 2.0},
                                           {"triple_pendulum_torque", "q1_2", 20.0},
                                           {"friction_belt", "", 11.0},
                                           {"newton_cradle", "", 4.0}}) {
    const Motion m = Motion::example(name, {.case_name = case_name, .options = tight()});
    const FlowResult result = m.until(T, Carries::state_and_tangent);
    ASSERT_FALSE(result.events.empty()) << name;
    const Mechanism mechanism = m.mechanism();
    const Mode begin = m.until(1e-9).end.mode;
    const Vector F0 = mechanism.field(0.0, m.start(), begin).rate;
    const Vector F1 = mechanism.field(T, result.end.x, result.end.mode).rate;
    EXPECT_CLOSE(Vector(result.end.tangent * F0), F1, integration(1e-10, largest(result.end.tangent) * F0.norm(), 1.0))
        << name;
  }
}

TEST(Energy, IsBalancedOverARun) {
  // Initial energy + work of all but the contacts − losses at impacts; the power is integrated by Simpson's rule.
  for (const auto& [name, case_name, T] :
       {std::tuple{"triple_pendulum_barrier", "fig3a", 8.0}, {"double_pendulum_wall", "", 2.0}}) {
    const Motion m = Motion::example(name, {.case_name = case_name, .options = tight()});
    const Mechanism mechanism = m.mechanism();
    const FlowResult result = m.until(T);
    std::vector<double> times{0.0};
    for (const Event& event : result.events)
      if (event.kind == EventKind::impact) times.push_back(event.t);
    times.push_back(T);
    double work = 0.0;
    double losses = 0.0;
    Vector x = m.start();
    std::size_t next = 0;
    for (std::size_t k = 0; k + 1 < times.size(); ++k) {
      const int pieces = 200;
      FlowRun run = m.run_from({0, times[k]}, x, {0, times[k + 1] - 1e-12}, Carries::state);
      for (int i = 0; i <= pieces; ++i)
        run.samples.push_back({0, times[k] + (times[k + 1] - 1e-12 - times[k]) * i / pieces});
      const FlowResult piece = flow(m.kernels(), m.options, run);
      const double h = (times[k + 1] - times[k]) / pieces;
      for (std::size_t i = 0; i < piece.samples.size(); ++i) {
        const double weight = i == 0 || i + 1 == piece.samples.size() ? 1.0 : (i % 2 == 1 ? 4.0 : 2.0);
        work += weight * h / 3.0 * mechanism.energy(piece.samples[i].t, piece.samples[i].x, Mode(m.layout())).second;
      }
      while (next < result.events.size() && result.events[next].kind != EventKind::impact) ++next;
      if (next == result.events.size()) break;
      const Event& event = result.events[next++];
      losses += mechanism.energy(event.t, event.x_plus, Mode(m.layout())).first -
                mechanism.energy(event.t, event.x_minus, Mode(m.layout())).first;
      x = event.x_plus;
    }
    const double before = mechanism.energy(0.0, m.start(), Mode(m.layout())).first;
    const double after = mechanism.energy(T, result.end.x, Mode(m.layout())).first;
    EXPECT_CLOSE(after - before, work + losses, integration(1e-7, 1.0, 1.0)) << name;  // Simpson's h⁴
    EXPECT_GT(std::abs(losses), 1e-3) << name;
  }
}

}  // namespace
}  // namespace saltus
