// The same bits in every lane, at every width, beside every neighbour and in every order.

#include "tests/support/flow_support.hpp"

namespace saltus {
namespace {

using test::Carries;
using test::Motion;

/// Runs handed out in order; results kept by number.
class Queue final : public LaneWork {
 public:
  explicit Queue(std::vector<FlowRun> runs) : results(runs.size()), runs_(std::move(runs)) {}
  bool next(std::size_t lane, FlowRun& run) override {
    if (given_ == runs_.size()) return false;
    if (holder_.size() <= lane) holder_.resize(lane + 1);
    holder_[lane] = given_;
    run = runs_[given_++];
    return true;
  }
  void done(std::size_t lane, FlowResult&& result) override { results[holder_[lane]] = std::move(result); }
  std::vector<FlowResult> results;

 private:
  std::vector<FlowRun> runs_;
  std::vector<std::size_t> holder_;
  std::size_t given_ = 0;
};

bool same_bits(const FlowResult& a, const FlowResult& b) {
  if (a.outcome != b.outcome || a.events.size() != b.events.size() || !(a.end.mode == b.end.mode)) return false;
  if (a.end.x != b.end.x || a.end.tangent != b.end.tangent || a.ledger.steps != b.ledger.steps) return false;
  if (a.ledger.impacts != b.ledger.impacts || a.ledger.energy_impacts != b.ledger.energy_impacts ||
      a.ledger.energy_residual != b.ledger.energy_residual || a.ledger.sliding_time != b.ledger.sliding_time ||
      a.ledger.worst_penetration != b.ledger.worst_penetration)
    return false;
  for (std::size_t i = 0; i < a.events.size(); ++i)
    if (a.events[i].t != b.events[i].t || a.events[i].kind != b.events[i].kind ||
        a.events[i].x_plus != b.events[i].x_plus)
      return false;
  return true;
}

/// Motions of one model with different starts, lengths and parameters: some slide, some are free, some end early.
std::vector<FlowRun> runs_of(const Motion& m, Carries carries, double T) {
  std::vector<FlowRun> runs;
  for (int i = 0; i < 11; ++i) {
    const double small = 0.01 * i;
    Vector x = m.start();
    x[x.size() - 1] += small;
    FlowRun run = m.run_from({}, x, {0, T * (0.4 + 0.1 * ((i * 7) % 11))}, carries);
    runs.push_back(run);
  }
  return runs;
}

class Lanes : public testing::TestWithParam<std::tuple<std::string, std::string, double, Carries>> {};

TEST_P(Lanes, GiveTheSameBitsAtEveryWidthInEveryOrder) {
  const auto& [name, case_name, T, carries] = GetParam();
  const Motion m = Motion::example(name, {.case_name = case_name, .widths = {1, 4, 8}});
  const std::vector<FlowRun> runs = runs_of(m, carries, T);
  std::vector<FlowResult> alone;
  bool slides = false;
  for (const FlowRun& run : runs) {
    alone.push_back(flow(m.kernels(), m.options, run));
    slides = slides || alone.back().ledger.slides > 0 || test::count_of(alone.back(), EventKind::filippov_start) > 0;
  }
  EXPECT_TRUE(slides || case_name == "fig3a");
  for (const unsigned width : {1U, 4U, 8U}) {
    for (const bool backwards : {false, true}) {
      std::vector<FlowRun> queue = runs;
      if (backwards) std::reverse(queue.begin(), queue.end());
      Queue work(queue);
      flow_lanes(m.kernels(), m.options, width, carries, work);
      for (std::size_t i = 0; i < runs.size(); ++i) {
        const FlowResult& result = work.results[backwards ? runs.size() - 1 - i : i];
        EXPECT_TRUE(same_bits(result, alone[i]))
            << "run " << i << ", width " << width << (backwards ? ", backwards" : "");
      }
    }
  }
}

/// Far more motions than lanes: some only bounce, some chatter and slide, some stick at once; they wait for their like, change
/// places and end at different times.
TEST(ManyMotions, GiveTheSameBitsInAMixtureOfFreeStrikingAndSlidingMotions) {
  const Motion m = Motion::example("triple_pendulum_barrier", {.case_name = "fig3a", .widths = {1, 2, 4}});
  const std::size_t e = *parameter_index(*m.shared_model(), "e");
  std::vector<FlowRun> runs = runs_of(m, Carries::state_and_tangent, 6.0);
  for (const double restitution : {0.95, 0.3, 0.0})
    for (FlowRun run : runs_of(m, Carries::state_and_tangent, 4.0)) {
      run.parameters[e] = restitution;
      run.keep_events = restitution != 0.3;
      runs.push_back(std::move(run));
    }
  std::vector<FlowResult> alone;
  std::size_t sliding = 0;
  for (const FlowRun& run : runs) {
    alone.push_back(flow(m.kernels(), m.options, run));
    sliding += alone.back().ledger.slides > 0 ? 1 : 0;
  }
  EXPECT_GT(sliding, 10U);
  EXPECT_LT(sliding, runs.size() - 10);
  for (const unsigned width : {2U, 4U}) {
    Queue work(runs);
    const LaneUse use = flow_lanes(m.kernels(), m.options, width, Carries::state_and_tangent, work);
    EXPECT_GT(use.share(), 0.85) << "width " << width;
    for (std::size_t i = 0; i < runs.size(); ++i)
      EXPECT_TRUE(same_bits(work.results[i], alone[i])) << "run " << i << ", width " << width;
  }
}

/// Undisturbed motions have their books in arrays of the row, measured ones in their lane.
TEST_P(Lanes, GiveTheSameBitsWhetherTheyCruiseOrAreMeasured) {
  const auto& [name, case_name, T, carries] = GetParam();
  const Motion m = Motion::example(name, {.case_name = case_name, .widths = {1, 4}});
  std::vector<FlowRun> runs = runs_of(m, carries, T);
  for (FlowRun& run : runs) run.keep_frame = carries == Carries::state_and_tangent;
  std::vector<FlowRun> measured = runs;
  for (FlowRun& run : measured) run.measure_range = true;
  for (const unsigned width : {1U, 4U}) {
    Queue cruising(runs), watched(measured);
    flow_lanes(m.kernels(), m.options, width, carries, cruising);
    flow_lanes(m.kernels(), m.options, width, carries, watched);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const FlowResult& a = cruising.results[i];
      const FlowResult& b = watched.results[i];
      EXPECT_TRUE(same_bits(a, b)) << "run " << i << ", width " << width;
      EXPECT_EQ(a.end.t.cycles, b.end.t.cycles);
      EXPECT_EQ(a.end.t.phase, b.end.t.phase);
      EXPECT_EQ(a.end.t.rest, b.end.t.rest);
      EXPECT_EQ(a.end.natural_step, b.end.natural_step);
      EXPECT_EQ(a.ledger.rejected, b.ledger.rejected);
      EXPECT_EQ(a.growth, b.growth);
    }
  }
}

/// Each lane strikes at a speed of its own, chatters, or meets a speed without a restitution.
TEST(ManyMotions, GiveTheSameBitsWhereTheRestitutionDependsOnTheSpeed) {
  const Motion m = Motion::of(R"toml([mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["-1 - x^3 + 0.8*sin(2*t)"]
[[contact]]
name = "floor"
gap = "x"
restitution = "0.8 - 0.3*approach"
[forcing]
period = "pi"
[initial]
x = 0.5
)toml",
                              {.widths = {1, 4}});
  std::vector<FlowRun> runs;
  for (int i = 0; i < 12; ++i)
    runs.push_back(m.run_from({}, Vector{{0.3 + 0.2 * i, 0.1}}, {0, 5.0}, Carries::state_and_tangent));
  Queue work(runs);
  flow_lanes(m.kernels(), m.options, 4, Carries::state_and_tangent, work);
  std::size_t refused = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const FlowResult alone = flow(m.kernels(), m.options, runs[i]);
    EXPECT_TRUE(same_bits(work.results[i], alone)) << "run " << i;
    EXPECT_EQ(work.results[i].ledger.log_contraction, alone.ledger.log_contraction);
    refused += alone.outcome == Outcome::left_domain ? 1 : 0;
  }
  EXPECT_GT(refused, 0U);
  EXPECT_LT(refused, runs.size());
}

INSTANTIATE_TEST_SUITE_P(Models, Lanes,
                         testing::Values(std::tuple{"triple_pendulum_barrier", "fig3b", 8.0,
                                                    Carries::state_and_tangent},
                                         std::tuple{"triple_pendulum_barrier", "fig3a", 8.0, Carries::state},
                                         std::tuple{"friction_belt", "", 12.0, Carries::state_and_tangent},
                                         std::tuple{"vibrating_table", "resting", 12.0, Carries::state}));

}  // namespace
}  // namespace saltus
