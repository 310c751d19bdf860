#include "saltus/flow/force_loops.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "saltus/kernel/inputs.hpp"

namespace saltus {
namespace {

/// Streams are the 'states', scalars the 'parameters' of a loop program.
class ForceLoopBuilder {
 public:
  LoopProgram deviation() {
    const auto larger = [&](std::size_t j) {
      return hold(apply(Op::max, apply(Op::abs, stream(j)), apply(Op::abs, stream(j + 2))));
    };
    const Expr size = hold(apply(Op::max, larger(0), h() * larger(1)));
    const Expr out[] = {hold(240.0 * (scalar(1) * size + scalar(2))) / hold(h() * h())};
    return lower_loop(out, {}, input_of);
  }

  /// Two lines below the force, from its ends.
  LoopProgram pressed() {
    const Expr begin = stream(0), end = stream(1), none = graph_.constant(0.0);
    const Expr least = hold(stream(2) - stream(3));
    const Expr largest = hold(stream(2) + stream(3));
    const Expr inside = apply(Op::max, hold(begin - end + largest * h()) / hold(largest - least), none);
    const Expr meeting = hold(begin + least * hold(apply(Op::min, inside, h())));
    const Expr size = hold(apply(Op::max, apply(Op::abs, begin), apply(Op::abs, end)));
    const Expr margin = hold((1.0 + 1e-7) * (stream(4) + 10.0 * (scalar(1) * size + scalar(2))));
    Expr all = apply(Op::positive, hold(1e300 - stream(3)));
    // A force that is next to nothing beside what it becomes has just begun.
    for (const Expr& above : {begin - margin, begin - 2e-10 * size, end - margin, meeting - margin})
      all = apply(Op::both, all, apply(Op::positive, hold(above)));
    const Expr out[] = {select(all, graph_.constant(1.0), none)};
    return lower_loop(out, {}, input_of);
  }

 private:
  Expr stream(std::size_t j) { return graph_.symbol(input_name({Slot::state, static_cast<std::uint32_t>(j)})); }
  Expr scalar(std::size_t i) { return graph_.symbol(input_name({Slot::parameter, static_cast<std::uint32_t>(i)})); }
  Expr h() { return scalar(0); }

  Graph graph_;
};

}  // namespace

const ForceLoops& force_loops(unsigned width) {
  struct Compiled {
    std::unique_ptr<NativeCode> code;
    ForceLoops loops;
  };
  static std::mutex guard;
  static std::map<unsigned, Compiled> all;
  const std::lock_guard lock(guard);
  Compiled& it = all[width];
  if (!it.code) {
    ForceLoopBuilder builder;
    const std::vector<NamedLoop> loops = {{"deviation", builder.deviation()}, {"pressed", builder.pressed()}};
    it.code = std::make_unique<NativeCode>(std::span<const NamedProgram>(), loops, width);
    it.loops = {it.code->loop("deviation"), it.code->loop("pressed")};
  }
  return it.loops;
}

}  // namespace saltus
