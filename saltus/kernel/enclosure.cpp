#include "saltus/kernel/enclosure.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numbers>
#include <utility>

#include "saltus/kernel/program_builder.hpp"

// A value in a box is its middle c and its radius r. Every operation adds to r what its own rounding may be, u|c| with u twice
// the unit of rounding. Radii themselves are sums of products of positive numbers: what a chain of them loses by rounding,
// some u per operation, is given back once, at the end and where a radius is subtracted.

namespace saltus {
namespace {

constexpr double u = 0x1p-52;
constexpr double swell = 1.0 + 0x1p-40;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Middle and radius of a number; of a condition: that it surely holds, and that it may hold. Without the second: exact.
struct Box {
  Signed c;
  std::optional<Signed> r;
};

/// A place at which a value may jump or have a kink: the condition that the box touches it.
struct Break {
  Signed touched;
  bool jump;
};

class Encloser {
 public:
  explicit Encloser(const Program& program) : program_(program) {
    boxes_.reserve(program.value_count());
    breaks_of_.resize(program.value_count());
    for (const double constant : program.constants) boxes_.push_back({number(constant), {}});
    for (const InputRef& from : program.inputs) boxes_.push_back(input(from));
    for (std::size_t i = 0; i < program.code.size(); ++i) {
      here_ = boxes_.size();
      inherit_breaks(program.code[i]);
      boxes_.push_back(result(i));
    }
  }

  Program finished(std::span<const EnclosedOutput> outputs) {
    std::vector<Signed> all;
    for (const EnclosedOutput& output : outputs) {
      const Box& box = boxes_[program_.outputs[output.output]];
      Signed r = box.r && !output.middle_only ? mul(*box.r, number(swell)) : number(0.0);
      if (output.open != EnclosedOutput::Open::never)
        for (const std::size_t b : breaks_of_[program_.outputs[output.of]])
          if (breaks_[b].jump || output.open == EnclosedOutput::Open::at_jumps_and_kinks)
            r = select(breaks_[b].touched, number(infinity), r);
      all.push_back(box.c);
      all.push_back(r);
    }
    return builder_.finish(all);
  }

 private:
  // ---- arithmetic of the program that is built ----------------------------------------------------------------------
  Signed number(double value) { return builder_.constant(value); }
  Signed add(Signed a, Signed b) { return builder_.add(a, b); }
  Signed sub(Signed a, Signed b) { return builder_.add(a, -b); }
  Signed mul(Signed a, Signed b) { return builder_.mul(a, b); }
  Signed div(Signed a, Signed b) { return builder_.div(a, b); }
  Signed size(Signed a) { return builder_.abs(a); }
  template <class... Arguments>
  Signed call(Code code, Arguments... arguments) {
    const std::array<Signed, sizeof...(arguments)> all = {arguments...};
    return builder_.apply(code, all);
  }
  Signed least(Signed a, Signed b) { return call(Code::min, a, b); }
  Signed most(Signed a, Signed b) { return call(Code::max, a, b); }
  Signed positive(Signed a) { return call(Code::positive, a); }
  Signed nonnegative(Signed a) { return call(Code::nonnegative, a); }
  Signed both(Signed a, Signed b) { return call(Code::both, a, b); }
  Signed either(Signed a, Signed b) { return call(Code::either, a, b); }
  Signed negation(Signed a) { return call(Code::negation, a); }
  Signed select(Signed condition, Signed a, Signed b) { return builder_.select(condition, a, b); }

  Signed radius(const Box& a) { return a.r ? *a.r : number(0.0); }
  Signed lower(const Box& a) { return a.r ? sub(a.c, *a.r) : a.c; }
  Signed upper(const Box& a) { return a.r ? add(a.c, *a.r) : a.c; }
  /// |a| is nowhere larger, nowhere smaller.
  Signed largest(const Box& a) { return a.r ? add(size(a.c), *a.r) : size(a.c); }
  Signed smallest(const Box& a) {
    return a.r ? most(number(0.0), sub(size(a.c), mul(*a.r, number(swell)))) : size(a.c);
  }
  Signed rounding_of(Signed c, double units = 1.0) { return mul(number(units * u), size(c)); }

  /// From lo to hi, each good to some units of rounding of itself.
  Box between(Signed lo, Signed hi, double units = 4.0) {
    const Signed half = number(0.5);
    const Signed c = mul(half, add(lo, hi));
    const Signed spread = mul(half, sub(hi, lo));
    return {c, add(spread, mul(number(units * u), add(size(lo), size(hi))))};
  }
  Box whole_line(Signed c) { return {c, number(infinity)}; }

  Box input(InputRef from) {
    if (from.slot == Slot::parameter || from.slot == Slot::mode) return {builder_.input(from), {}};
    const Signed c = builder_.input({from.slot, 2 * from.index});
    return {c, builder_.input({from.slot, 2 * from.index + 1})};
  }

  // ---- jumps and kinks -----------------------------------------------------------------------------------------------
  void inherit_breaks(const Instruction& i) {
    std::vector<std::size_t>& all = breaks_of_[here_];
    const auto take = [&](std::uint32_t value) {
      all.insert(all.end(), breaks_of_[value].begin(), breaks_of_[value].end());
    };
    const int arity = arity_of(i.code);
    take(i.a);
    if (arity > 1) take(i.b);
    if (arity > 2) take(i.c);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }

  void add_break(Signed touched, bool jump) {
    breaks_of_[here_].push_back(breaks_.size());
    breaks_.push_back({touched, jump});
  }

  // ---- operations -----------------------------------------------------------------------------------------------------
  Box result(std::size_t index) {
    const Instruction& i = program_.code[index];
    const int arity = arity_of(i.code);
    const Box& a = boxes_[i.a];
    const Box& b = boxes_[arity > 1 ? i.b : i.a];
    const Box& c = boxes_[arity > 2 ? i.c : i.a];
    if (!a.r && !b.r && !c.r) return {exact(i), {}};
    switch (i.code) {
      case Code::add: return sum(a, b);
      case Code::sub: return sum(a, negative(b));
      case Code::mul: return i.a == i.b ? square(a) : product(a, b);
      case Code::fma: return i.a == i.b ? sum(square(a), c) : sum_of_product(a, b, c);
      case Code::fnma: return i.a == i.b ? sum(negative(square(a)), c) : sum_of_product(negative(a), b, c);
      case Code::div: return quotient(a, b);
      case Code::neg: return negative(a);
      case Code::sine: return sine(a);
      case Code::cosine: return cosine(a);
      case Code::positive: return {positive(lower(a)), negation(nonnegative(-upper(a)))};
      case Code::nonnegative: return {nonnegative(lower(a)), negation(positive(-upper(a)))};
      case Code::both: return {both(a.c, b.c), both(possible(a), possible(b))};
      case Code::either: return {either(a.c, b.c), either(possible(a), possible(b))};
      case Code::negation: return {negation(possible(a)), negation(a.c)};
      case Code::select: return choice(a, b, c);
      case Code::abs:
      case Code::min:
      case Code::max: return kinked(i.code, a, b);
      default: return function(i.code, a, b);
    }
  }

  Signed exact(const Instruction& i) {
    const Signed a = boxes_[i.a].c;
    const int arity = arity_of(i.code);
    if (i.code == Code::neg) return -a;
    if (i.code == Code::sine) return builder_.sine(a);
    if (i.code == Code::cosine) return builder_.cosine(a);
    if (arity == 1) return call(i.code, a);
    if (arity == 2) return call(i.code, a, boxes_[i.b].c);
    return call(i.code, a, boxes_[i.b].c, boxes_[i.c].c);
  }

  Signed possible(const Box& condition) { return condition.r ? *condition.r : condition.c; }
  Box negative(const Box& a) { return {-a.c, a.r}; }

  Box sum(const Box& a, const Box& b) {
    const Signed c = add(a.c, b.c);
    const Signed r = !a.r ? *b.r : !b.r ? *a.r : add(*a.r, *b.r);
    return {c, add(r, rounding_of(c))};
  }

  /// How far a'b' is from ab.
  std::optional<Signed> spread_of_product(const Box& a, const Box& b) {
    if (!a.r && !b.r) return std::nullopt;
    if (!a.r) return mul(size(a.c), *b.r);
    const Signed by_a = mul(*a.r, largest(b));
    return b.r ? builder_.fma(size(a.c), *b.r, by_a) : by_a;
  }

  Box product(const Box& a, const Box& b) {
    const Signed c = mul(a.c, b.c);
    return {c, add(*spread_of_product(a, b), rounding_of(c))};
  }

  Box sum_of_product(const Box& a, const Box& b, const Box& c) {
    const Signed middle = builder_.fma(a.c, b.c, c.c);
    const auto spread = spread_of_product(a, b);
    const Signed r = !spread ? *c.r : !c.r ? *spread : add(*spread, *c.r);
    return {middle, add(r, rounding_of(middle))};
  }

  Box square(const Box& a) {
    const Signed lo = smallest(a);
    const Signed hi = largest(a);
    return between(mul(lo, lo), mul(hi, hi));
  }

  /// a'/b' − c = (a' − c b')/b'.
  Box quotient(const Box& a, const Box& b) {
    const Signed c = div(a.c, b.c);
    if (!b.r) return {c, add(div(*a.r, size(b.c)), rounding_of(c))};
    Signed above = mul(size(c), add(*b.r, rounding_of(b.c)));
    if (a.r) above = add(*a.r, above);
    const Signed below = smallest(b);
    return {c, select(positive(below), add(div(above, below), rounding_of(c)), number(infinity))};
  }

  /// sin(c + d) − sin c = sin c (cos d − 1) + cos c sin d, and neither leaves [−1, 1].
  Box sine(const Box& a) {
    const Signed s = builder_.sine(a.c);
    const Signed k = builder_.cosine(a.c);
    return {s, turned(s, k, *a.r)};
  }
  Box cosine(const Box& a) {
    const Signed s = builder_.sine(a.c);
    const Signed k = builder_.cosine(a.c);
    return {k, turned(k, s, *a.r)};
  }
  Signed turned(Signed along, Signed across, Signed r) {
    const Signed half = mul(number(0.5), mul(size(along), r));
    const Signed spread = mul(r, add(size(across), half));
    return add(least(spread, add(number(1.0), size(along))), number(2.0 * u));
  }

  Box choice(const Box& condition, const Box& a, const Box& b) {
    if (!condition.r) {
      const Signed c = select(condition.c, a.c, b.c);
      if (!a.r && !b.r) return {c, {}};
      return {c, select(condition.c, radius(a), radius(b))};
    }
    add_break(both(possible(condition), negation(condition.c)), true);
    const Box hull = between(least(lower(a), lower(b)), most(upper(a), upper(b)));
    const auto chosen = [&](Signed of_a, Signed of_b, Signed of_hull) {
      return select(condition.c, of_a, select(possible(condition), of_hull, of_b));
    };
    return {chosen(a.c, b.c, hull.c), chosen(radius(a), radius(b), *hull.r)};
  }

  Box kinked(Code code, const Box& a, const Box& b) {
    if (code == Code::abs) {
      add_break(nonnegative(sub(mul(*a.r, number(swell)), size(a.c))), false);
      return between(smallest(a), largest(a));
    }
    const Signed reach = add(radius(a), radius(b));
    add_break(nonnegative(sub(mul(reach, number(swell)), size(sub(a.c, b.c)))), false);
    return between(call(code, lower(a), lower(b)), call(code, upper(a), upper(b)));
  }

  Box function(Code code, const Box& a, const Box& b) {
    switch (code) {
      case Code::sqrt:
        return where_defined(between(call(code, most(number(0.0), lower(a))), call(code, upper(a))), lower(a),
                             largest(a));
      case Code::exp: return exponential(a);
      case Code::log: return logarithm(a);
      case Code::tan: return tangent(a);
      case Code::asin:
        return where_defined(
            between(call(code, most(number(-1.0), lower(a))), call(code, least(number(1.0), upper(a))), 8.0),
            sub(number(1.0), largest(a)), largest(a));
      case Code::acos:
        return where_defined(
            between(call(code, least(number(1.0), upper(a))), call(code, most(number(-1.0), lower(a))), 8.0),
            sub(number(1.0), largest(a)), largest(a));
      case Code::atan: return arc_tangent(a);
      case Code::floor: return between(call(code, lower(a)), call(code, upper(a)));
      case Code::tanh: return between(call(code, lower(a)), call(code, upper(a)), 8.0);
      case Code::sinh: return hyperbolic(a, call(code, lower(a)), call(code, upper(a)));
      case Code::cosh: return hyperbolic(a, call(code, smallest(a)), call(code, largest(a)));
      case Code::atan2: return angle(a, b);
      case Code::pow: return power(a, b);
      default: add_break(nonnegative(number(0.0)), true); return whole_line(exact_at_middle(code, a, b));
    }
  }

  /// A function that is undefined where `room` < 0. Rounding of arguments of this size is forgiven: a sum of squares may be zero.
  Box where_defined(const Box& box, Signed room, Signed size) {
    const Signed inside = nonnegative(add(room, mul(number(0x1p-40), size)));
    return {box.c, select(inside, *box.r, number(infinity))};
  }

  Signed exact_at_middle(Code code, const Box& a, const Box& b) {
    return arity_of(code) == 1 ? call(code, a.c) : call(code, a.c, b.c);
  }

  /// By its ends: far below zero they are nearly the same, where a slope times a radius would be anything.
  Box exponential(const Box& a) {
    const Signed hi = call(Code::exp, upper(a));
    const Box box = between(call(Code::exp, lower(a)), hi, 8.0);
    return {box.c, add(*box.r, mul(number(2.0 * u), mul(hi, largest(a))))};  // the ends themselves are rounded
  }

  Box hyperbolic(const Box& a, Signed lo, Signed hi) {
    const Box box = between(lo, hi, 8.0);
    const Signed steepest = call(Code::cosh, largest(a));
    return {box.c, add(*box.r, mul(number(2.0 * u), mul(steepest, add(number(1.0), largest(a)))))};
  }

  /// log(c + d) − log c is never further from zero than at d = −r.
  Box logarithm(const Box& a) {
    const Signed c = call(Code::log, a.c);
    const Signed below = sub(a.c, mul(*a.r, number(swell)));
    const Signed spread = call(Code::log, div(a.c, below));
    const Signed r = add(add(spread, rounding_of(c, 8.0)), number(8.0 * u));
    return {c, select(positive(below), r, number(infinity))};
  }

  /// tan(c ± r) − tan c = ± tan r (1 + tan² c) / (1 ∓ tan c tan r), as long as there is no pole between.
  Box tangent(const Box& a) {
    const Signed c = call(Code::tan, a.c);
    const Signed t = mul(call(Code::tan, *a.r), number(swell));
    const Signed below = sub(number(1.0), mul(size(c), t));
    const Signed slope = add(number(1.0), mul(c, c));
    const Signed r = add(div(mul(t, slope), below), mul(number(8.0 * u), slope));
    const Signed between_poles = both(positive(below), positive(sub(number(1.5), *a.r)));
    return {c, select(between_poles, r, number(infinity))};
  }

  Box arc_tangent(const Box& a) {
    const Signed c = call(Code::atan, a.c);
    const Signed lo = smallest(a);
    const Signed spread = div(*a.r, add(number(1.0), mul(lo, lo)));
    const Signed all = add(number(0.5 * std::numbers::pi), size(c));
    return {c, add(least(spread, all), number(8.0 * u))};
  }

  /// The box is seen from the origin under the angle of the circle around it.
  Box angle(const Box& y, const Box& x) {
    const Signed c = call(Code::atan2, y.c, x.c);
    const auto norm = [&](Signed a, Signed b) { return call(Code::sqrt, add(mul(a, a), mul(b, b))); };
    const Signed ratio = div(mul(norm(radius(y), radius(x)), number(swell)), norm(y.c, x.c));
    const Signed near = add(call(Code::asin, least(number(1.0), ratio)), number(16.0 * u));
    const Signed cut = both(nonnegative(sub(radius(y), size(y.c))), nonnegative(-lower(x)));
    add_break(cut, true);
    const Signed clear = both(positive(sub(number(1.0), ratio)), negation(cut));
    return {c, select(clear, near, number(2.0 * std::numbers::pi + 1e-14))};
  }

  Box power(const Box& a, const Box& b) {
    const Signed lo = sub(a.c, mul(radius(a), number(swell)));
    if (b.r) {  // exp(b log a)
      const Box exponent =
          product(b, a.r ? logarithm(a) : Box{call(Code::log, a.c), rounding_of(call(Code::log, a.c))});
      const Box result = exponential(exponent);
      return {result.c, select(positive(lo), *result.r, number(infinity))};
    }
    const Signed at_lo = call(Code::pow, lo, b.c);
    const Signed at_hi = call(Code::pow, upper(a), b.c);
    const Box monotone = between(least(at_lo, at_hi), most(at_lo, at_hi), 16.0);
    // Where a may be zero or, with a whole exponent, negative: |a|^b bounds it for b > 0.
    const Signed bound = mul(call(Code::pow, largest(a), b.c), number(swell));
    const Signed whole = nonnegative(sub(call(Code::floor, b.c), b.c));
    const Signed defined = either(whole, nonnegative(add(lo, mul(number(0x1p-40), largest(a)))));
    const Signed r = select(both(positive(b.c), defined), bound, number(infinity));
    return {select(positive(lo), monotone.c, number(0.0)), select(positive(lo), *monotone.r, r)};
  }

  const Program& program_;
  ProgramBuilder builder_;
  std::vector<Box> boxes_;
  std::vector<Break> breaks_;
  std::vector<std::vector<std::size_t>> breaks_of_;  // by value: which of the breaks are among what it is made of
  std::size_t here_ = 0;  // the value that is being enclosed
};

/// The program without what none of its outputs needs.
Program pruned(Program program) {
  const std::size_t first = program.first_instruction();
  std::vector<bool> needed(program.value_count(), false);
  for (const std::uint32_t output : program.outputs) needed[output] = true;
  for (std::size_t i = program.code.size(); i-- > 0;) {
    const Instruction& it = program.code[i];
    if (it.code == Code::sine && needed[first + i + 1]) needed[first + i] = true;
    if (it.code == Code::cosine && needed[first + i - 1]) needed[first + i] = true;
    if (!needed[first + i]) continue;
    const std::array<std::uint32_t, 3> operands = {it.a, it.b, it.c};
    for (int k = 0; k < arity_of(it.code); ++k) needed[operands[static_cast<std::size_t>(k)]] = true;
  }
  std::vector<std::uint32_t> place(program.value_count());
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < place.size(); ++i) {
    place[i] = next;
    if (i < first || needed[i]) ++next;
  }
  std::vector<Instruction> code;
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    if (!needed[first + i]) continue;
    const Instruction& it = program.code[i];
    const int arity = arity_of(it.code);
    code.push_back({it.code, place[it.a], arity > 1 ? place[it.b] : 0, arity > 2 ? place[it.c] : 0});
  }
  program.code = std::move(code);
  for (std::uint32_t& output : program.outputs) output = place[output];
  return program;
}

}  // namespace

Program enclosure_of(const Program& program, std::span<const EnclosedOutput> outputs) {
  return pruned(Encloser(program).finished(outputs));
}

}  // namespace saltus
