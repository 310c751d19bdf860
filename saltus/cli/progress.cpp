#include "saltus/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace saltus::cli {
namespace {

std::string duration(double seconds) {
  if (seconds < 99.5) return fmt::format("{:.0f} s", seconds);
  if (seconds < 99.5 * 60.0) return fmt::format("{:.0f} min", seconds / 60.0);
  return fmt::format("{:.1f} h", seconds / 3600.0);
}

}  // namespace

std::string progress_text(double part, double seconds_so_far) {
  constexpr std::size_t width = 30;
  const double done = std::clamp(part, 0.0, 1.0);
  const auto full = static_cast<std::size_t>(done * static_cast<double>(width));
  const std::string left = done > 0.0 ? "  " + duration(seconds_so_far * (1.0 - done) / done) + " left" : "";
  return fmt::format("[{}{}] {:3.0f} %{}", std::string(full, '#'), std::string(width - full, '.'), 100.0 * done, left);
}

ProgressBar::ProgressBar(Show show)
    : active_(show == Show::on_terminal && isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      next_(start_ + std::chrono::seconds(1)) {}

ProgressBar::~ProgressBar() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void ProgressBar::update(double part) {
  if (!active_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  shown_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  std::fputs(("\r" + progress_text(part, seconds) + "\033[K").c_str(), stderr);
}

std::string sweep_text(std::size_t done, std::size_t total, std::size_t before, double seconds_so_far) {
  const double rate = seconds_so_far > 0.0 ? static_cast<double>(done - before) / seconds_so_far : 0.0;
  const double percent = total > 0 ? 100.0 * static_cast<double>(done) / static_cast<double>(total) : 100.0;
  const std::string left = rate > 0.0 ? ", " + duration(static_cast<double>(total - done) / rate) + " left" : "";
  return fmt::format("{} of {} ({:.0f} %), {:.3g} per second{}", done, total, percent, rate, left);
}

SweepMeter::SweepMeter(ProgressBar::Show show)
    : active_(show != ProgressBar::Show::never),
      terminal_(isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      next_(start_ + (terminal_ ? std::chrono::seconds(1) : std::chrono::seconds(10))) {}

SweepMeter::~SweepMeter() {
  if (shown_ && terminal_) std::fputs("\r\033[K", stderr);
}

void SweepMeter::update(std::size_t done, std::size_t total, std::size_t before) {
  if (!active_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  shown_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const std::string text = sweep_text(done, total, before, seconds);
  if (terminal_) {
    next_ = now + std::chrono::milliseconds(100);
    std::fputs(("\r" + text + "\033[K").c_str(), stderr);
  } else {
    next_ = now + std::chrono::seconds(10);
    std::fputs((text + "\n").c_str(), stderr);
  }
}

}  // namespace saltus::cli
