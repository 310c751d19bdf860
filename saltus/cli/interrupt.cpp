#include "saltus/cli/interrupt.hpp"

#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <string_view>

#include "saltus/base/error.hpp"
#include "saltus/base/unbroken.hpp"

namespace saltus::cli {
namespace {

volatile std::sig_atomic_t asked = 0;
volatile std::sig_atomic_t heard = 0;

void end_at_once(int) {
  constexpr std::string_view message = "saltus: interrupted\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, message.data(), message.size());
  _exit(static_cast<int>(ExitCode::interrupted));
}

/// Time and again after a request, until the program has ended.
void look_after(int) {
  if (Unbroken::under_way()) end_at_once(SIGALRM);
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
