#include "saltus/flow/step_loops.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "saltus/flow/tableau.hpp"
#include "saltus/kernel/inputs.hpp"

namespace saltus {
namespace {

/// Streams are the 'states', scalars the 'parameters' of a loop program.
class LoopBuilder {
 public:
  Expr stream(std::size_t j) { return graph_.symbol(input_name({Slot::state, static_cast<std::uint32_t>(j)})); }
  Expr scalar(std::size_t i) { return graph_.symbol(input_name({Slot::parameter, static_cast<std::uint32_t>(i)})); }

  /// Σ c_j k_j with k_j in stream first + j, in the order of the stages.
  Expr combination(const double* c, std::size_t count, std::size_t first) {
    std::vector<Expr> terms;
    for (std::size_t j = 0; j < count; ++j)
      if (c[j] != 0.0) terms.push_back(c[j] * stream(first + j));
    return graph_.sum(terms);
  }

  NamedLoop stage(int i) {
    const double* const weights = i == dop853::stages ? dop853::b.data() : dop853::a[i];
    const auto count = static_cast<std::size_t>(i);
    const Expr out[] = {stream(0) + scalar(0) * hold(combination(weights, count, 1))};
    return {fmt::format("stage{}", i), lower_loop(out, {}, input_of)};
  }

  NamedLoop error() {
    const Expr y = stream(0);
    const Expr y_new = stream(1);
    const Expr scale = scalar(1) + scalar(0) * apply(Op::max, apply(Op::abs, y), apply(Op::abs, y_new));
    const Expr unit = hold(1.0 / scale);
    const Expr e5 = hold(hold(combination(dop853::e5.data(), dop853::e5.size(), 2)) * unit);
    const Expr e3 = hold(hold(combination(dop853::e3.data(), dop853::e3.size(), 2)) * unit);
    const Expr sums[] = {e5 * e5, e3 * e3};
    return {"error", lower_loop({}, sums, input_of)};
  }

  NamedLoop dense() {
    const Expr h = scalar(0);
    const Expr r2 = hold(stream(1) - stream(0));
    const Expr r3 = hold(h * stream(2) - r2);
    const Expr r4 = r2 - h * stream(2 + dop853::stages) - r3;
    std::vector<Expr> out = {r2, r3, r4};
    for (const auto& row : dop853::d) out.push_back(h * hold(combination(row, dop853::all_stages, 2)));
    return {"dense", lower_loop(out, {}, input_of)};
  }

  NamedLoop value() {
    const Expr theta = scalar(0);
    const Expr rest = scalar(1);  // 1 − θ
    Expr y = theta * stream(7);
    for (std::size_t r = 7; r-- > 1;) y = (r % 2 == 0 ? rest : theta) * hold(stream(r) + y);
    const Expr out[] = {stream(0) + y};
    return {"value", lower_loop(out, {}, input_of)};
  }

 private:
  Graph graph_;
};

struct Compiled {
  std::unique_ptr<NativeCode> code;
  StepLoops loops;
};

Compiled compiled(unsigned width) {
  LoopBuilder builder;
  std::vector<NamedLoop> loops;
  for (int i = 1; i < dop853::all_stages; ++i) loops.push_back(builder.stage(i));
  loops.push_back(builder.error());
  loops.push_back(builder.dense());
  loops.push_back(builder.value());
  auto code = std::make_unique<NativeCode>(std::span<const NamedProgram>(), loops, width);
  StepLoops result;
  for (std::size_t i = 1; i < result.stage.size(); ++i) result.stage[i] = code->loop(fmt::format("stage{}", i));
  result.error = code->loop("error");
  result.dense = code->loop("dense");
  result.value = code->loop("value");
  return {std::move(code), result};
}

}  // namespace

const StepLoops& step_loops(unsigned width) {
  static std::mutex guard;
  static std::map<unsigned, Compiled> all;
  const std::lock_guard lock(guard);
  const auto found = all.find(width);
  return (found != all.end() ? found : all.emplace(width, compiled(width)).first)->second.loops;
}

}  // namespace saltus
