#pragma once

namespace saltus::cli {

/// Ctrl-C, and a polite request to end, from now on end the program with the exit code for it: at once where no `Interrupt` lives.
void answer_interrupts();

/// While it lives, Ctrl-C (and a polite request to end) is remembered instead of ending the program, which is expected to ask for it. A
/// second one ends it, and so does the first where half a second later a model is still being read or compiled, or where nobody has
/// asked for it and half a second later what was computed is still being written.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool requested() const;
};

}  // namespace saltus::cli
