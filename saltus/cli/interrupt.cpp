#include "saltus/cli/interrupt.hpp"

#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <string_view>

#include "saltus/base/error.hpp"
#include "saltus/base/unbroken.hpp"
#include "saltus/report/gnuplot_process.hpp"
#include "saltus/result/new_file.hpp"

namespace saltus::cli {
namespace {

volatile std::sig_atomic_t asked = 0;
volatile std::sig_atomic_t heard = 0;

void end_at_once(int) {
  constexpr std::string_view message = "saltus: interrupted\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, message.data(), message.size());
  remove_drafts();
  stop_drawing();
  _exit(static_cast<int>(ExitCode::interrupted));
}

#ifdef __SANITIZE_ADDRESS__
constexpr double patience = 10.0;  // programs that watch themselves take ten times as long
#else
constexpr double patience = 0.9;
#endif

double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double asked_at = 0.0;
double worked_until_then = 0.0;

/// Time and again after a request, until the program has ended. Nobody hears it where a model is read or compiled; anywhere else one
/// second is enough, of a clock and of work: on a machine with much else to do it may have got little of the first.
void look_after(int) {
  const bool worked_on = seconds(CLOCK_MONOTONIC) - asked_at > patience &&
                         seconds(CLOCK_PROCESS_CPUTIME_ID) - worked_until_then > patience;
  if (Unbroken::under_way() || worked_on) end_at_once(SIGALRM);
}

void answer(int signal, void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

struct Before {
  struct sigaction interrupt, end;
} before;

void remember(int signal) {
  if (asked == 0) heard = 0;
  asked = 1;
  asked_at = seconds(CLOCK_MONOTONIC);
  worked_until_then = seconds(CLOCK_PROCESS_CPUTIME_ID);
  answer(signal, end_at_once);
  answer(SIGALRM, look_after);
  constexpr timeval half_a_second = {0, 500000};
  const itimerval again = {half_a_second, half_a_second};
  setitimer(ITIMER_REAL, &again, nullptr);
}

}  // namespace

void answer_interrupts() {
  answer(SIGINT, end_at_once);
  answer(SIGTERM, end_at_once);
}

Interrupt::Interrupt() {
  asked = 0;
  heard = 0;
  sigaction(SIGINT, nullptr, &before.interrupt);
  sigaction(SIGTERM, nullptr, &before.end);
  answer(SIGINT, remember);
  answer(SIGTERM, remember);
}

Interrupt::~Interrupt() {
  if (asked != 0 && heard == 0) {
    // It came when the computation looked no more: what is there may be written, if that is soon done.
    answer(SIGALRM, end_at_once);
    answer(SIGINT, end_at_once);
    answer(SIGTERM, end_at_once);
    return;
  }
  const itimerval never = {};
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGINT, &before.interrupt, nullptr);
  sigaction(SIGTERM, &before.end, nullptr);
}

bool Interrupt::requested() const {
  if (asked == 0) return false;
  heard = 1;
  return true;
}

}  // namespace saltus::cli
