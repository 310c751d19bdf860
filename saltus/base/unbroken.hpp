#pragma once

#include <atomic>

namespace saltus {

/// Lives while its thread does something in which it does not look whether it is asked to end, for long perhaps: reading and compiling a
/// model, of which nothing is lost if the program ends there; decomposing a matrix of thousands of rows, for which nobody waits.
class Unbroken {
 public:
  Unbroken() { ++count_; }
  ~Unbroken() { --count_; }
  Unbroken(const Unbroken&) = delete;
  Unbroken& operator=(const Unbroken&) = delete;

  /// In some thread. May be asked in the handler of a signal.
  static bool under_way() { return count_.load(std::memory_order_relaxed) > 0; }

 private:
  inline static std::atomic<int> count_ = 0;
  static_assert(std::atomic<int>::is_always_lock_free);
};

}  // namespace saltus
