#pragma once

namespace saltus::cli {

/// While it lives, Ctrl-C (and a polite request to end) is remembered instead of ending the program; a second one ends it.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool requested() const;
};

}  // namespace saltus::cli
