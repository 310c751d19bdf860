#pragma once

#include "saltus/flow/event_loop.hpp"
#include "saltus/flow/exact_guards.hpp"

namespace saltus {

/// The road in closed form, for models that are linear in every mode: one motion after the other.
class ExactRoad final : public EventLoop {
 public:
  ExactRoad(const Kernels& kernels, const FlowOptions& options, LaneStepper::Carries carries, LaneWork& work,
            std::size_t seat);

  std::size_t width() const override { return 1; }
  long count_taking_part() const override { return motion_.active ? 1 : 0; }

 private:
  Motion& motion_in(std::size_t) override { return motion_; }
  void clear(std::size_t l) override;
  void note_kind(std::size_t) override {}
  double first_step(std::size_t l) override;
  void enter(std::size_t l) override;
  void leave(std::size_t l) override;
  void watch_anew(std::size_t) override {}
  void advance() override;
  bool carry_over(std::size_t l, const Guard& guard) override;
  void note_gaps(std::size_t l) override;
  std::optional<Guard> overdue(std::size_t) override { return std::nullopt; }  // the look at the next step sees it

  void prepare();
  void hand_over();
  double longest_length();
  double polynomial_step();
  void meet_at_once(const Guard& guard);
  void take();
  void show(double tau);
  void note_range(double tau);
  void keep_misses();
  void add_work(double tau);
  void refresh();
  void project();
  void turn_columns(long turns);
  bool passes(const Guard& guard);
  bool meets_others(std::size_t k) const;
  bool is_near_watched() const;
  bool jumps();
  bool carries_tangent() const { return motion_.point.tangent.cols() > 0; }

  bool state_only_;
  std::size_t N_;
  Motion motion_;
  const ExactSystem* system_ = nullptr;  // of the motion's parameters
  const ExactMode* at_ = nullptr;        // of the motion's mode
  ExactStep step_;
  bool loaded_ = false;  // the step holds the state
  bool ends_ = false;    // the step reaches the end of the run
  std::optional<ExactGuards> guards_;
  std::vector<double> rate_, rate_beyond_;
};

}  // namespace saltus
