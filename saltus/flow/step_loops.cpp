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

using dop853::Weights;

/// Streams are the 'states', scalars the 'parameters' of a loop program.
class LoopBuilder {
 public:
  std::vector<NamedLoop> loops() {
    std::vector<NamedLoop> all;
    for (const bool pair : {true, false}) {
      for (int i = 1; i < dop853::all_stages; ++i)
        if (i != dop853::stages) all.push_back({fmt::format("{}stage{}", prefix(pair), i), stage(i, pair)});
      all.push_back({prefix(pair) + "step", step(pair, false)});
      all.push_back({prefix(pair) + "step_with_error", step(pair, true)});
      all.push_back({prefix(pair) + "dense", dense(pair)});
    }
    all.push_back({"value", value()});
    all.push_back({"error", error()});
    all.push_back({"times", times()});
    all.push_back({"boxes", boxes()});
    all.push_back({"proven", proven()});
    all.push_back({"before_ends", before_ends()});
    all.push_back({"no_short_flight", no_short_flight()});
    all.push_back({"take", take()});
    return all;
  }

  static std::string prefix(bool pair) { return pair ? "pair_" : "plain_"; }

 private:
  Expr stream(std::size_t j) { return graph_.symbol(input_name({Slot::state, static_cast<std::uint32_t>(j)})); }
  Expr scalar(std::size_t i) { return graph_.symbol(input_name({Slot::parameter, static_cast<std::uint32_t>(i)})); }
  Expr position() { return stream(StepLoops::position); }
  Expr velocity() { return stream(StepLoops::velocity); }
  Expr first_slope() { return stream(StepLoops::first_slope); }
  Expr difference(int j) { return stream(StepLoops::records + static_cast<std::size_t>(j) - 1); }
  Expr h() { return scalar(0); }

  /// d_1 … d_{last}, the last of them formed here.
  std::vector<Expr> differences(int last) {
    std::vector<Expr> d = {graph_.constant(0.0)};
    for (int j = 1; j < last; ++j) d.push_back(difference(j));
    if (last > 0) d.push_back(hold(stream(StepLoops::last_slope) - first_slope()));
    return d;
  }

  /// Output `output` is d_j, a slot of the records.
  static LoopProgram recording(LoopProgram loop, std::size_t output, int j) {
    loop.records = {StepLoops::records, StepLoops::record_slots, static_cast<std::uint32_t>(output),
                    static_cast<std::uint32_t>(j - 1)};
    return loop;
  }

  /// first k₀ + Σ_{j ≥ 1} w_j d_j. The newest slope comes last: all others are added up while the field is still busy.
  Expr combination(double first, const Weights& w, const std::vector<Expr>& d) {
    std::vector<Expr> terms;
    for (std::size_t j = 1; j + 1 < d.size(); ++j)
      if (w[j] != 0.0) terms.push_back(w[j] * d[j]);
    std::vector<Expr> sum;
    if (!terms.empty()) sum.push_back(hold(graph_.sum(terms)));
    if (first != 0.0) sum = {hold(graph_.sum(with(sum, first * first_slope())))};
    if (d.size() > 1 && w[d.size() - 1] != 0.0) sum.push_back(w[d.size() - 1] * d.back());
    return hold(graph_.sum(sum));
  }

  static std::vector<Expr> with(std::vector<Expr> terms, Expr last) {
    terms.push_back(last);
    return terms;
  }

  /// New position and velocity (or z alone) of row i.
  std::vector<Expr> advanced(int i, const std::vector<Expr>& d, bool pair) {
    const double c = dop853::c[static_cast<std::size_t>(i)];
    const Expr v = velocity() + h() * combination(c, dop853::a[i], d);
    if (!pair) return {v};
    // The first stage has no velocity but that of the start.
    const Expr bent = combination(i > 1 ? 0.5 * c * c : 0.0, dop853::through_velocities(dop853::a[i]), d);
    const Expr q = i > 1 ? position() + h() * hold(c * velocity() + h() * bent) : position() + h() * (c * velocity());
    return {q, v};
  }

  LoopProgram stage(int i, bool pair) {
    const std::vector<Expr> d = differences(i - 1);
    std::vector<Expr> out = advanced(i, d, pair);
    if (i == 1) return lower_loop(out, {}, input_of);
    out.push_back(d.back());
    return recording(lower_loop(out, {}, input_of), out.size() - 1, i - 1);
  }

  Expr scaled_error(const Weights& w, const std::vector<Expr>& d, Expr unit) {
    return hold(combination(0.0, w, d) * unit);
  }

  LoopProgram step(bool pair, bool with_error) {
    const std::vector<Expr> d = differences(dop853::stages - 1);
    std::vector<Expr> out = advanced(dop853::stages, d, pair);
    for (Expr& value : out) value = hold(value);
    std::vector<Expr> sums;
    const auto unit = [&](Expr y, Expr y_new) {
      return hold(1.0 / (scalar(2) + scalar(1) * apply(Op::max, apply(Op::abs, y), apply(Op::abs, y_new))));
    };
    for (const Weights& e : {dop853::e5, dop853::e3}) {
      const Expr v = scaled_error(e, d, unit(velocity(), out.back()));
      Expr sum = v * v;
      if (pair) {
        const Expr q = hold(h() * scaled_error(dop853::through_velocities(e), d, unit(position(), out.front())));
        sum = sum + q * q;
      }
      sums.push_back(sum);
    }
    out.push_back(d.back());
    return recording(lower_loop(out, with_error ? sums : std::vector<Expr>(), input_of), out.size() - 1,
                     dop853::stages - 1);
  }

  LoopProgram dense(bool pair) {
    const std::vector<Expr> d = differences(dop853::all_stages - 1);
    std::vector<Expr> out;
    if (pair) {
      const Expr r2 = hold(stream(StepLoops::new_position) - position());
      const Expr r3 = hold(h() * velocity() - r2);
      out = {r2, r3, hold(r2 - h() * stream(StepLoops::new_velocity)) - r3};
      for (const Weights& row : dop853::d)
        out.push_back(h() * hold(h() * combination(0.0, dop853::through_velocities(row), d)));
    }
    const Expr r2 = hold(stream(StepLoops::new_velocity) - velocity());
    const Expr r3 = hold(h() * first_slope() - r2);
    const Expr end = hold(first_slope() + d[dop853::stages]);
    out.insert(out.end(), {r2, r3, hold(r2 - h() * end) - r3});
    for (const Weights& row : dop853::d) out.push_back(h() * combination(0.0, row, d));
    // Nothing more is recorded: d₁₅ has no other use.
    return recording(lower_loop(out, {}, input_of), out.size(), dop853::all_stages - 1);
  }

  LoopProgram value() {
    const Expr theta = scalar(0);
    const Expr rest = scalar(1);  // 1 − θ
    Expr y = theta * stream(7);
    for (std::size_t r = 7; r-- > 1;) y = (r % 2 == 0 ? rest : theta) * hold(stream(r) + y);
    const Expr out[] = {stream(0) + y};
    return lower_loop(out, {}, input_of);
  }

  /// h e₅² / √(n (e₅² + e₃²/100)): Hairer's mixture of both orders.
  LoopProgram error() {
    const Expr e5 = stream(0);
    // The small number lets an error of zero be zero; one that is not a number stays so.
    const Expr mixed = hold(stream(2) * (e5 + 0.01 * stream(1)) + 1e-200);
    const Expr out[] = {apply(Op::abs, h()) * e5 / sqrt(mixed)};
    return lower_loop(out, {}, input_of);
  }

  LoopProgram times() {
    const Expr out[] = {scalar(0) + scalar(1) * stream(0)};
    return lower_loop(out, {}, input_of);
  }

  /// Of q̈ the hull of its Bernstein coefficients, of its derivative that of their differences; q and v by the mean value.
  LoopProgram boxes() {
    const Expr q0 = stream(0), v0 = stream(1), a0 = stream(2), q1 = stream(3), v1 = stream(4), a1 = stream(5);
    const Expr w = hold(20.0 * (q1 - q0) / (h() * h()));
    const Expr u = hold(4.0 / h());
    const Expr z1 = hold(w - u * (3.0 * v0 + 2.0 * v1) + a1 - 2.0 * a0);
    const Expr z2 = hold(u * (2.0 * v0 + 3.0 * v1) - w + a0 - 2.0 * a1);
    std::vector<Expr> out;
    const auto hull = [&](Expr least, Expr largest, Expr unit) {
      return std::array<Expr, 2>{hold(0.5 * (least + largest) * unit), hold(0.5 * (largest - least) * unit)};
    };
    const auto around = [&](Expr first, Expr last, const std::array<Expr, 2>& rate) {
      return std::array<Expr, 2>{hold(0.5 * (first + last)), hold(0.5 * h() * (apply(Op::abs, rate[0]) + rate[1]))};
    };
    const auto of = [](Op op, Expr a, Expr b, Expr c) { return hold(apply(op, apply(op, a, b), c)); };
    const auto a = hull(apply(Op::min, of(Op::min, a0, z1, z2), a1), apply(Op::max, of(Op::max, a0, z1, z2), a1),
                        graph_.constant(1.0));
    const Expr d0 = hold(z1 - a0), d1 = hold(z2 - z1), d2 = hold(a1 - z2);
    const auto jerk = hull(of(Op::min, d0, d1, d2), of(Op::max, d0, d1, d2), hold(3.0 / h()));
    const auto v = around(v0, v1, a);
    for (const auto& box : {around(q0, q1, v), v, a, jerk}) out.insert(out.end(), box.begin(), box.end());
    return lower_loop(out, {}, input_of);
  }

  /// `meeting_value` of a gap, and what `proof_of` asks besides.
  LoopProgram proven() {
    const auto size_of = [](Expr x) { return apply(Op::abs, x); };
    const Expr s0 = stream(0), r0 = stream(1), s1 = stream(2), r1 = stream(3);
    const Expr bend = hold(stream(5) - stream(6));
    const Expr b = hold(apply(Op::min, bend, graph_.constant(0.0)));
    const Expr apart = s0 - s1 + r1 * h() - 0.5 * b * h() * h();
    const Expr closing = hold(r1 - r0 - b * h());
    const Expr inside = apply(Op::min, apply(Op::max, apart / closing, graph_.constant(0.0)), h());
    const Expr t = hold(select(apply(Op::positive, closing), inside, 0.5 * h()));
    const Expr rest = hold(t - h());
    const Expr values = hold(apply(Op::max, size_of(s0), size_of(s1)));
    const Expr size = apply(Op::max, values, h() * apply(Op::max, size_of(r0), size_of(r1)));
    const Expr margin = hold((1.0 + 1e-7) * 10.0 * (scalar(1) * size + scalar(2)));
    const Expr zero = 1e-13 * (stream(7) + size_of(h() * r0)) + 1e-12 * values;  // what `beginning_of` calls so
    const Expr just_behind = 2e-5 * size_of(h() * r1) + 2e-10 * size_of(h() * h() * stream(4));
    // Each by itself, and held: what is not a number is not positive, but its negative would not be negative either.
    Expr all = apply(Op::positive, hold(1e300 - bend));
    for (const Expr& above : {s0 - margin, s0 - 2.0 * zero, s1 - margin, s1 - just_behind,
                              s0 + t * (r0 + 0.5 * b * t) - margin, s1 + rest * (r1 + 0.5 * b * rest) - margin})
      all = apply(Op::both, all, apply(Op::positive, hold(above)));
    const Expr out[] = {select(all, graph_.constant(1.0), graph_.constant(0.0))};
    return lower_loop(out, {}, input_of);
  }

  LoopProgram before_ends() {
    const Expr left = hold(stream(2) + hold((stream(3) - stream(0)) + (stream(4) - stream(1))));
    const Expr before_end = apply(Op::positive, hold((1.0 - 1e-11) * left - stream(5)));
    const Expr before_turn = apply(Op::positive, hold(stream(6) - hold(stream(0) + stream(5))));
    const Expr out[] = {select(apply(Op::both, before_end, before_turn), graph_.constant(1.0), graph_.constant(0.0))};
    return lower_loop(out, {}, input_of);
  }

  /// A parabola that rises from slightly below zero falls there again after nearly 2 ṡ/|s̈|, too.
  LoopProgram no_short_flight() {
    const Expr s = stream(0), rate = stream(1), second = stream(2);
    const Expr far = apply(Op::positive, hold(2.0 * (1.0 - 1e-6) * rate + 0.5 * h() * second));
    const Expr below = apply(Op::min, s, graph_.constant(0.0));
    const Expr shallow = apply(Op::positive, hold(1e-7 * rate * rate - 2.0 * apply(Op::abs, below * second)));
    const Expr stays = select(apply(Op::both, far, shallow), graph_.constant(1.0), graph_.constant(0.0));
    const Expr out[] = {select(apply(Op::positive, rate), stays, graph_.constant(1.0))};
    return lower_loop(out, {}, input_of);
  }

  LoopProgram take() {
    const Expr out[] = {select(apply(Op::positive, scalar(0)), stream(1), stream(0))};
    return lower_loop(out, {}, input_of);
  }

  Graph graph_;
};

struct Compiled {
  std::unique_ptr<NativeCode> code;
  StepLoops loops;
};

Compiled compiled(unsigned width) {
  auto code = std::make_unique<NativeCode>(std::span<const NamedProgram>(), LoopBuilder().loops(), width);
  StepLoops result;
  for (const bool pair : {true, false}) {
    StepLoops::Sums& sums = pair ? result.pair : result.plain;
    const std::string prefix = LoopBuilder::prefix(pair);
    for (std::size_t i = 1; i < sums.stage.size(); ++i)
      if (i != dop853::stages) sums.stage[i] = code->loop(fmt::format("{}stage{}", prefix, i));
    sums.step = code->loop(prefix + "step");
    sums.step_with_error = code->loop(prefix + "step_with_error");
    sums.dense = code->loop(prefix + "dense");
  }
  result.value = code->loop("value");
  result.error = code->loop("error");
  result.times = code->loop("times");
  result.boxes = code->loop("boxes");
  result.proven = code->loop("proven");
  result.before_ends = code->loop("before_ends");
  result.no_short_flight = code->loop("no_short_flight");
  result.take = code->loop("take");
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
