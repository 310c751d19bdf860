#include "saltus/cli/interrupt.hpp"

#include <csignal>

namespace saltus::cli {
namespace {

volatile std::sig_atomic_t asked = 0;

void remember(int signal) {
  asked = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

Interrupt::Interrupt() {
  asked = 0;
  std::signal(SIGINT, remember);
  std::signal(SIGTERM, remember);
}

Interrupt::~Interrupt() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool Interrupt::requested() const { return asked != 0; }

}  // namespace saltus::cli
