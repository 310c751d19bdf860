#include "saltus/driver/shared_work.hpp"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

#include "saltus/result/digest.hpp"

namespace saltus {
namespace {

// Messages to rank 0: {wants, digest of the work ...}, {leaves} or what was found; from rank 0: a piece or {none}. A worker asks for a piece ahead, so
// that its lanes do not run empty while the answer is on its way: what it still computes comes after it was told that there is
// none left, and {leaves} comes last.

constexpr double wants = -1.0;
constexpr double none = -2.0;
constexpr double leaves = -3.0;
constexpr auto breath = std::chrono::microseconds(200);

/// What a process asks with: the program, model and settings that it computes with are told by their digest.
std::vector<double> question(const JournalIdentity& work) {
  Sha256 sum;
  for (const auto& [name, value] : work) sum.add(fmt::format("{} {}:{} {}:", name.size(), name, value.size(), value));
  std::vector<double> numbers = {wants};
  for (const std::uint8_t byte : sum.digest()) numbers.push_back(byte);
  return numbers;
}

Error other_work(int rank) {
  return {ExitCode::usage,
          fmt::format("process {} of mpirun computes something else than process 0: with another model, "
                      "other options or another version\n  start all of them by the same command",
                      rank)};
}

/// The pieces behind a lock. After a failure there are none, and what is found is dropped.
class LockedPieces final : public Pieces {
 public:
  explicit LockedPieces(Pieces& all) : all_(all) {}

  std::optional<std::vector<double>> next() override {
    std::optional<std::vector<double>> piece;
    guarded([&] { piece = all_.next(); });
    return piece;
  }
  void found(std::vector<double>&& numbers) override {
    guarded([&] { all_.found(std::move(numbers)); });
  }
  bool interrupted() override { return failed_ || all_.interrupted(); }
  void fail(const std::exception_ptr& what) {
    const std::lock_guard lock(mutex_);
    if (!failed_) what_ = what;
    failed_ = true;
  }
  void rethrow() const {
    if (what_) std::rethrow_exception(what_);
  }

 private:
  template <class Action>
  void guarded(const Action& action) {
    const std::lock_guard lock(mutex_);
    if (failed_) return;
    try {
      action();
    } catch (...) {
      what_ = std::current_exception();
      failed_ = true;
    }
  }

  Pieces& all_;
  std::mutex mutex_;
  std::atomic<bool> failed_ = false;
  std::exception_ptr what_;
};

void serve(Ranks& ranks, LockedPieces& pieces, const std::vector<double>& expected) {
  int working = ranks.size() - 1;
  Ranks::Message message;
  while (working > 0) {
    if (!ranks.receive(message)) {
      std::this_thread::sleep_for(breath);
    } else if (message.numbers.front() == leaves) {
      --working;
    } else if (message.numbers.front() == wants) {
      if (message.numbers != expected) pieces.fail(std::make_exception_ptr(other_work(message.from)));
      const auto piece = pieces.interrupted() ? std::nullopt : pieces.next();
      ranks.send(message.from, piece ? *piece : std::vector<double>{none});
    } else {
      pieces.found(std::move(message.numbers));
    }
  }
}

/// A worker: the main thread speaks with rank 0, the lanes compute in others.
class BorrowedPieces final : public Pieces {
 public:
  std::optional<std::vector<double>> next() override {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return ended_ || !waiting_.empty(); });
    if (waiting_.empty()) return std::nullopt;
    std::vector<double> piece = std::move(waiting_.front());
    waiting_.pop_front();
    return piece;
  }
  void found(std::vector<double>&& numbers) override {
    const std::lock_guard lock(mutex_);
    found_.push_back(std::move(numbers));
  }

  /// Until the lanes are done: asks for a piece whenever none waits, and sends what was found.
  void converse(Ranks& ranks, const std::future<LaneUse>& lanes, const std::vector<double>& asking) {
    bool asked = false;
    while (true) {
      const bool last = lanes.wait_for(breath) == std::future_status::ready;
      if (!asked && wants_more()) {
        ranks.send(0, asking);
        asked = true;
      }
      Ranks::Message message;
      if (asked && ranks.receive(message)) {
        asked = false;
        take(std::move(message.numbers));
      }
      for (const std::vector<double>& numbers : all_found()) ranks.send(0, numbers);
      if (last && !asked) break;
    }
    ranks.send(0, {leaves});
  }

 private:
  bool wants_more() {
    const std::lock_guard lock(mutex_);
    return !ended_ && waiting_.empty();
  }
  void take(std::vector<double>&& answer) {
    const std::lock_guard lock(mutex_);
    if (answer.front() == none) ended_ = true;
    else waiting_.push_back(std::move(answer));
    arrived_.notify_all();
  }
  std::vector<std::vector<double>> all_found() {
    const std::lock_guard lock(mutex_);
    return std::exchange(found_, {});
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::vector<double>> waiting_;
  std::vector<std::vector<double>> found_;
  bool ended_ = false;
};

}  // namespace

LaneUse lead(Ranks& ranks, Pieces& all, const Computation& compute, const JournalIdentity& work) {
  LockedPieces pieces(all);
  // What fails here is no reason for the others to compute what nobody can use.
  auto own = std::async(std::launch::async, [&]() -> LaneUse {
    try {
      return compute(pieces);
    } catch (...) {
      pieces.fail(std::current_exception());
      return {};
    }
  });
  serve(ranks, pieces, question(work));
  const LaneUse use = own.get();
  pieces.rethrow();
  return use;
}

LaneUse follow(Ranks& ranks, const Computation& compute, const JournalIdentity& work) {
  BorrowedPieces pieces;
  auto lanes = std::async(std::launch::async, [&] { return compute(pieces); });
  pieces.converse(ranks, lanes, question(work));
  return lanes.get();
}

}  // namespace saltus
