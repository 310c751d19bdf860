#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace saltus::cli {

/// How far a long computation is, on the last line of a terminal. Nothing is shown in the first second, elsewhere than on a
/// terminal, or if it is not wanted.
class ProgressBar {
 public:
  enum class Show { on_terminal, never };
  explicit ProgressBar(Show show);
  ~ProgressBar();  // wipes it
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// part: 0 … 1
  void update(double part);

 private:
  using Clock = std::chrono::steady_clock;
  bool active_;
  bool shown_ = false;
  Clock::time_point start_, next_;
};

/// How far a sweep is: a bar with rate and time left on a terminal, elsewhere a line of its own every ten seconds.
class SweepMeter {
 public:
  explicit SweepMeter(ProgressBar::Show show);
  ~SweepMeter();
  SweepMeter(const SweepMeter&) = delete;
  SweepMeter& operator=(const SweepMeter&) = delete;

  /// before: of the done ones, those that an earlier run did.
  void update(std::size_t done, std::size_t total, std::size_t before);

 private:
  using Clock = std::chrono::steady_clock;
  bool active_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point start_, next_;
};

/// "1234 of 4096 (30 %), 25.3 per second, 2 min left"
std::string sweep_text(std::size_t done, std::size_t total, std::size_t before, double seconds_so_far);

/// "[########............]  41 %  12 s left"
std::string progress_text(double part, double seconds_so_far);

}  // namespace saltus::cli
