#include "saltus/flow/flow_run.hpp"

#include "saltus/flow/exact_flow.hpp"
#include "saltus/flow/lane_pool.hpp"

namespace saltus {

LaneUse flow_lanes(const Kernels& kernels, const FlowOptions& options, unsigned width, LaneStepper::Carries carries,
                   LaneWork& work) {
  if (flows_exactly(kernels, options)) return exact_flow_lanes(kernels, options, width, carries, work);
  const bool may_slide = kernels.layout().contacts + kernels.layout().switches > 0;
  if (width == 1 || !may_slide) return LaneFlow(kernels, options, width, carries, work).run();
  return LanePool(kernels, options, width, carries, work).run();
}

FlowResult flow(const Kernels& kernels, const FlowOptions& options, const FlowRun& run) {
  class One final : public LaneWork {
   public:
    explicit One(const FlowRun& only) : only_(only) {}
    bool next(std::size_t, FlowRun& to) override {
      if (given_) return false;
      given_ = true;
      to = only_;
      return true;
    }
    void done(std::size_t, FlowResult&& finished) override { result = std::move(finished); }
    FlowResult result;

   private:
    const FlowRun& only_;
    bool given_ = false;
  };
  One work(run);
  const bool tangent = run.start.tangent.cols() > 0;
  flow_lanes(kernels, options, 1, tangent ? LaneStepper::Carries::state_and_tangent : LaneStepper::Carries::state,
             work);
  return std::move(work.result);
}

FlowPoint start_point(const Kernels& kernels, Time t, const Vector& x, LaneStepper::Carries carries) {
  const Layout& layout = kernels.layout();
  const auto index = [](std::size_t i) { return static_cast<Eigen::Index>(i); };
  FlowPoint point{t, x, Mode(layout), Matrix(index(layout.N()), 0), 0.0, {}};
  if (carries == LaneStepper::Carries::state_and_tangent) {
    point.tangent = Matrix::Zero(index(layout.N()), index(layout.columns()));
    point.tangent.leftCols(index(layout.state_columns)).setIdentity();
  }
  return point;
}

}  // namespace saltus
