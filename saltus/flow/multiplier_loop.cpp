#include "saltus/flow/multiplier_loop.hpp"

#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "saltus/kernel/inputs.hpp"

namespace saltus {
namespace {

constexpr double share_of_rounding =
    64.0 * std::numeric_limits<double>::epsilon();  // of a sum of products, relative to its terms
constexpr double upwards = 1.0 + 1e-12;  // a quotient is rounded

class MultiplierLoopBuilder {
 public:
  explicit MultiplierLoopBuilder(std::size_t rows)
      : rows_(rows), zero_(graph_.constant(0.0)), one_(graph_.constant(1.0)) {}

  LoopProgram loop() {
    const std::vector<Row> push = rows_of(3);
    Expr length = zero_;
    for (const Row& p : push) length = length + p.c * p.c;
    const Expr unit = hold(one_ / hold(length));
    for (const Row& p : push) {
      D_.push_back(hold(p.c * unit));
      sizes_.push_back(hold(size(D_.back())));
    }
    const Row identity = combined(push);
    const Expr E = hold(size(hold(identity.c - one_)) + identity.r);
    const Expr room = hold(one_ - E);
    const Expr growth = hold(upwards / room);
    Row value = combined(rows_of(0));
    const Expr largest = hold((size(value.c) + value.r) * growth);
    value.r = hold(value.r + E * largest);
    const Row turn = combined(rows_of(4));
    const Row free = combined(rows_of(1));
    Row rate{hold(free.c - turn.c * value.c), hold(free.r + size(turn.c) * value.r + turn.r * largest)};
    rate.r = hold(rate.r + E * ((size(rate.c) + rate.r) * growth));
    without(value, 0);
    without(rate, 2);
    const Expr is_known = apply(Op::positive, room);
    std::vector<Expr> out;
    for (const Row& box : {value, rate}) {
      const Expr finite = apply(Op::both, is_known, apply(Op::positive, hold(largest_number - size(box.c))));
      const Expr bounded = apply(Op::both, finite, apply(Op::positive, hold(largest_number - box.r)));
      out.push_back(select(bounded, box.c, zero_));
      out.push_back(select(bounded, box.r, infinite()));
    }
    out.push_back(select(is_known, reach(), infinite()));
    return lower_loop(out, {}, input_of);
  }

 private:
  static constexpr double largest_number = 1e300;
  /// Middle and radius.
  struct Row {
    Expr c, r;
  };

  Expr stream(std::size_t j) { return graph_.symbol(input_name({Slot::state, static_cast<std::uint32_t>(j)})); }
  Expr infinite() { return graph_.constant(std::numeric_limits<double>::infinity()); }
  static Expr size(Expr e) { return apply(Op::abs, e); }

  /// Block `k` of the streams: R, Ṙ, reach, P, Ṗ.
  std::vector<Row> rows_of(std::size_t k) {
    std::vector<Row> all;
    for (std::size_t j = 0; j < rows_; ++j)
      all.push_back({stream(2 * (k * rows_ + j)), stream(2 * (k * rows_ + j) + 1)});
    return all;
  }

  /// D·row, with what share_of_rounding does. A row that D leaves out may be unknown.
  Row combined(const std::vector<Row>& rows) {
    Expr c = zero_;
    Expr r = zero_;
    for (std::size_t j = 0; j < rows_; ++j) {
      const Expr taken = apply(Op::positive, sizes_[j]);
      c = c + select(taken, D_[j] * rows[j].c, zero_);
      r = r + select(taken, sizes_[j] * hold(rows[j].r + share_of_rounding * size(rows[j].c)), zero_);
    }
    return {hold(c), hold(r)};
  }

  Expr reach() {
    const std::vector<Row> rows = rows_of(2);
    Expr sum = zero_;
    for (std::size_t j = 0; j < rows_; ++j)
      sum = sum + select(apply(Op::positive, sizes_[j]), sizes_[j] * hold(size(rows[j].c) + rows[j].r), zero_);
    return sum;
  }

  /// c/G of the constraint, or of its rate, taken off where G says something.
  void without(Row& box, std::size_t first) {
    const Expr G = stream(10 * rows_ + 4);
    const Expr says =
        apply(Op::both, apply(Op::positive, hold(size(G))), apply(Op::positive, hold(largest_number - size(G))));
    const Expr unit = hold(select(says, one_ / G, zero_));
    const Expr c = stream(10 * rows_ + first);
    const Expr r = stream(10 * rows_ + first + 1);
    box.c = hold(box.c - select(says, c * unit, zero_));
    box.r = hold(box.r + select(says, r * size(unit), zero_));
  }

  std::size_t rows_;
  Graph graph_;
  Expr zero_, one_;
  std::vector<Expr> D_, sizes_;
};

}  // namespace

void MultiplierLoop::point(const InverseDynamicsLayout& at, std::size_t u, const double* entries, std::size_t width,
                           const double** streams) {
  const auto both = [&](std::size_t k) {
    *streams++ = entries + 2 * k * width;
    *streams++ = entries + (2 * k + 1) * width;
  };
  for (std::size_t j = 0; j < at.rows; ++j) both(at.residual(j));
  for (std::size_t j = 0; j < at.rows; ++j) both(at.residual_rate(j));
  for (std::size_t j = 0; j < at.rows; ++j) both(at.reach(j));
  for (std::size_t j = 0; j < at.rows; ++j) both(at.push(j, u));
  for (std::size_t j = 0; j < at.rows; ++j) both(at.push_rate(j, u));
  both(at.constraint(u));
  both(at.constraint_rate(u));
  *streams = entries + 2 * at.response(u) * width;
}

LoopKernel multiplier_loop(std::size_t rows, unsigned width) {
  static std::mutex guard;
  static std::map<std::pair<std::size_t, unsigned>, std::unique_ptr<NativeCode>> all;
  const std::lock_guard lock(guard);
  std::unique_ptr<NativeCode>& code = all[{rows, width}];
  if (!code) {
    const std::vector<NamedLoop> loops = {{"multiplier", MultiplierLoopBuilder(rows).loop()}};
    code = std::make_unique<NativeCode>(std::span<const NamedProgram>(), loops, width);
  }
  return code->loop("multiplier");
}

}  // namespace saltus
