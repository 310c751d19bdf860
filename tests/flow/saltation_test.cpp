// One event: the identities of its saltation matrix, and proof that the tempting mistakes are seen.

#include "saltus/flow/saltation.hpp"

#include <functional>

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
    for (const EventJet& at : jets) EXPECT_CLOSE(saltation(at).determinant(), e * e, rounding(1e6)) << name;
    // Without the jump term the determinant is −e for one contact.
    for (const EventJet& at : jets)
      EXPECT_GT(std::abs(test::without_jump_term(at).determinant() - e * e), 1e-3) << name;
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
    const auto canonical = [&](const Matrix& S) { return Matrix(after * S * before.inverse()); };
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

enum class Passage { gap, plastic, switched };
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

TEST_P(OneEvent, IsCarriedOverByTheRightSaltationMatrixAndByNoOther) {
  const Single& c = GetParam();
  const Motion m = c.motion();
  const FlowResult run = m.until(c.T);
  const auto found =
      std::find_if(run.events.begin(), run.events.end(), [&](const Event& e) { return e.kind == c.kind; });
  ASSERT_NE(found, run.events.end());
  const Event& event = *found;
  const double t = event.t;
  const double end = c.end == End::at_once ? t + 1e-9 : c.T;
  const FlowResult whole = m.until(end, Carries::state_and_tangent);
  ASSERT_EQ(whole.outcome, Outcome::reached_end);
  const FlowResult before = m.until(t - 1e-9, Carries::state_and_tangent);
  const Mode after = m.until(t + 1e-6).end.mode;
  const FlowResult rest = m.flow_from({0, t}, event.x_plus, {0, end}, Carries::state_and_tangent);
  ASSERT_EQ(rest.outcome, Outcome::reached_end);
  const EventJet at =
      c.passage == Passage::switched
          ? test::switch_jet(m, t, event.x_minus, event.index, before.end.mode, after)
          : test::gap_jet(m, t, event.x_minus, event.index, before.end.mode, after, c.passage == Passage::plastic);
  const Matrix& X1 = before.end.tangent;
  const Matrix X2 = c.end == End::at_once ? Matrix(Matrix::Identity(X1.rows(), X1.rows())) : rest.end.tangent;
  const double size = largest(whole.end.tangent);
  const auto error = [&](const Matrix& S) { return largest(X2 * S * X1 - whole.end.tangent) / size; };
  // The tangent before is taken 1e-9 early.
  EXPECT_LE(error(saltation(at)), 1e-7 * test::tolerance_scale());
  EXPECT_FALSE(error(test::without_jump_term(at)) <= 1e-3);
  EXPECT_FALSE(error(test::with_F_plus_for_F_minus(at)) <= 1e-3);  // not a number where F⁺ runs along the surface
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, OneEvent,
    testing::Values(
        Single{"impact", [] { return Motion::example("double_pendulum_wall", {.options = tight()}); },
               EventKind::impact, Passage::gap, 0.9},
        Single{"moving_obstacle",
               [] { return Motion::example("vibrating_table", {.set = {{"z'", "1"}}, .options = tight()}); },
               EventKind::impact, Passage::gap, 4.0},
        Single{"plastic_impact_and_slide_start",
               [] { return Motion::example("triple_pendulum_barrier", {.case_name = "fig4ef", .options = tight()}); },
               EventKind::impact, Passage::gap, 2.0},
        Single{"impact_while_sliding",
               [] {
                 return Motion::of(test::corner_text("1 - x + x*y", "y + x^2/8", "-x/2", "-1"),
                                   {.set = {{"x", "0"}, {"y", "0"}, {"x'", "1.2"}, {"y'", "0"}}, .options = tight()});
               },
               EventKind::impact, Passage::gap, 1.5},
        Single{"discontinuous_force", [] { return Motion::of(test::step_force_text, {.options = tight()}); },
               EventKind::switched, Passage::switched, 1.5},
        Single{
            "filippov_entry",
            [] { return Motion::example("friction_belt", {.set = {{"x", "1.5"}, {"x'", "0.1"}}, .options = tight()}); },
            EventKind::filippov_start, Passage::switched, 8.0, End::at_once}),
    [](const auto& tested) { return tested.param.name; });

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
    const double volume = std::log(std::abs(result.end.tangent.determinant()));
    const double condition = largest(result.end.tangent) * largest(result.end.tangent.inverse());
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
