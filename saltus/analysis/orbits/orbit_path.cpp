#include "saltus/analysis/orbits/orbit_path.hpp"

#include "saltus/analysis/orbits/chatter_arc.hpp"

namespace saltus {
namespace {

/// The pieces of a run as they are, without its beginning.
class Middle final : public PathFollower {
 public:
  explicit Middle(PathFollower& follower) : follower_(follower) {}
  void begin() override {}
  void follow(const PathPiece& piece) override { follower_.follow(piece); }

 private:
  PathFollower& follower_;
};

/// The impacts of a chatter until they have accumulated, and the slide behind them.
bool follow_chatter(const OrbitSystem& system, const PlannedOrbit& orbit, std::size_t i, double t,
                    PathFollower& follower) {
  const SegmentPlan& plan = orbit.plan.segments[i];
  const std::vector<double> inputs = system.rates.at(orbit.varied).inputs;
  FlowRun run = chatter_run(system.kernels, inputs, t, orbit.x[i], plan.start_mode(), *plan.chatter, orbit.tau[i],
                            LaneStepper::Carries::state);
  run.end = {0, t + orbit.tau[i]};
  run.keep_events = false;
  Middle middle(follower);
  run.follower = &middle;
  const FlowResult result = flow(system.kernels, chatter_options(system.options), run);
  return result.outcome == Outcome::reached_end;
}

}  // namespace

bool follow_orbit(const OrbitSystem& system, const PlannedOrbit& orbit, PathFollower& follower) {
  const ParameterPoint p = system.rates.at(orbit.varied);
  if (!p.problem.empty() || orbit.plan.segments.empty()) return false;
  const Mechanism mechanism(system.kernels, p.inputs);
  SegmentFlow flow(system.kernels, system.options, p.inputs, LaneStepper::Carries::state);
  follower.begin();
  double t = orbit.t;
  for (std::size_t i = 0; i < orbit.plan.segments.size(); ++i) {
    const SegmentPlan& plan = orbit.plan.segments[i];
    FlowPoint start{{0, t}, orbit.x[i], plan.mode, Matrix(orbit.x[i].size(), 0), 0.0, {}};
    if (plan.settles) Settler(mechanism, system.options, 0.0).project(start);
    const bool whole = plan.chatter
                           ? follow_chatter(system, orbit, i, t, follower)
                           : flow(t, start.x, plan.mode, orbit.tau[i], SegmentFlow::Watch::nothing, &follower).whole;
    if (!whole) return false;
    t += orbit.tau[i];
  }
  return true;
}

}  // namespace saltus
