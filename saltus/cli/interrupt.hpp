#pragma once

namespace saltus::cli {

/// Ctrl-C, and a polite request to end, from now on end the program with the exit code for it: at once where no `Interrupt` lives.
void answer_interrupts();

/// While it lives, Ctrl-C (and a polite request to end) is remembered instead of ending the program, which is expected to ask for it. A
/// second one ends it, and so does the first where half a second later a model is still being read or compiled, where a second later
/// the computation is still at work, whoever has asked, or where nobody has and half a second later its result is being written.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool requested() const;
};

}  // namespace saltus::cli
