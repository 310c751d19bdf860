#pragma once

#include <chrono>
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

/// "[########............]  41 %  12 s left"
std::string progress_text(double part, double seconds_so_far);

}  // namespace saltus::cli
