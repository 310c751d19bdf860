#pragma once

#include "saltus/flow/motion.hpp"

namespace saltus {

/// The event-driven method: steps between instants, and what happens at them. It is the same for every road, that is for every
/// way of following smooth motion. A road keeps a row of motions and provides: where a motion stands (`enter`, `leave`), a step of
/// those that take part up to the first crossing of a guard (`advance`), and, where it knows one, a short way over an instant
/// (`carry_over`). Everything that is written down about a motion is written by `Motion`.
class EventLoop {
 public:
  EventLoop(const Kernels& kernels, const FlowOptions& options, LaneWork& work)
      : kernels_(kernels), layout_(kernels.layout()), options_(options), work_(work) {}
  virtual ~EventLoop() = default;
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  /// All of the work, alone.
  LaneUse run();
  /// Gives work to idle lanes, as long as there is some.
  void fill();
  /// One step of the motions that take part, and what it leads to.
  virtual void step() { advance(); }
  bool has_work() const { return has_work_; }  // false: there was none for an idle lane
  const LaneUse& use() const { return use_; }

  virtual std::size_t width() const = 0;
  virtual long count_taking_part() const = 0;

 protected:
  // ---- what a road provides

  virtual Motion& motion_in(std::size_t l) = 0;
  /// An empty lane, for a new motion.
  virtual void clear(std::size_t l) = 0;
  /// A lane's motion came, went or changed what it does.
  virtual void note_kind(std::size_t l) = 0;
  /// How long smooth motion goes about unchanged, to begin with.
  virtual double first_step(std::size_t l) = 0;
  /// The motion's point, in its mode, is where the next step begins.
  virtual void enter(std::size_t l) = 0;
  /// The motion's point is brought up to date.
  virtual void leave(std::size_t l) = 0;
  /// Nothing but what is watched has changed where the motion stands.
  virtual void watch_anew(std::size_t l) = 0;
  /// A step of each motion that takes part; for those of which it was taken `arrive_at` is called.
  virtual void advance() = 0;
  /// A short way over the instant at a guard; false if there is none.
  virtual bool carry_over(std::size_t l, const Guard& guard) = 0;
  /// Writes down how far open contacts are closed.
  virtual void note_gaps(std::size_t l) = 0;
  /// A gap that is closed and closing, or a switch that is passed, where the motion stands, though no step led to it.
  virtual std::optional<Guard> overdue(std::size_t l) = 0;

  // ---- the loop's own

  /// Where a step has led: to a guard, to the end of the run, or nowhere in particular.
  struct Arrival {
    std::optional<Guard> guard;
    bool at_end = false;
  };
  void arrive_at(std::size_t l, const Arrival& arrival);
  void meet(std::size_t l, const Guard& guard);
  /// The instant at a guard, the long way.
  void cross(std::size_t l, const Guard& guard);
  bool settle(std::size_t l, const Trigger& trigger);
  void end(std::size_t l, Outcome outcome);
  void refill(std::size_t l);

  const Kernels& kernels_;
  const Layout& layout_;
  FlowOptions options_;
  LaneWork& work_;
  LaneUse use_;
  bool has_work_ = true;

 private:
  void begin(std::size_t l);
  Settler settler_of(const Motion& motion) const;
  bool has_settled(std::size_t l, const Settled& settled, std::size_t events_before);
};

}  // namespace saltus
