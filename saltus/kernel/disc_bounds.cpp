#include "saltus/kernel/disc_bounds.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numbers>
#include <optional>

#include "saltus/kernel/program_builder.hpp"

namespace saltus {
namespace {

/// |z − c| ≤ r and low ≤ |z| ≤ high. Without r: exact, as it depends on parameters and modes only. Without low or high: |c| ∓ r.
/// Of a condition: that it surely holds, and that it may hold.
struct Disc {
  Signed c;
  std::optional<Signed> r = std::nullopt;
  std::optional<Signed> low = std::nullopt, high = std::nullopt;
  std::optional<Signed> analytic = std::nullopt;  // a condition; without: always
};

class DiscBuilder {
 public:
  explicit DiscBuilder(const Program& program) : program_(program) {
    discs_.reserve(program.value_count());
    for (const double constant : program.constants) discs_.push_back({number(constant)});
    for (const InputRef& from : program.inputs) discs_.push_back(input(from));
    for (const Instruction& i : program.code) discs_.push_back(result(i));
  }

  Program finished() {
    std::vector<Signed> all;
    for (const std::uint32_t output : program_.outputs) {
      const Disc& disc = discs_[output];
      all.push_back(disc.c);
      all.push_back(radius(disc));
      all.push_back(disc.analytic ? select(*disc.analytic, number(1.0), number(0.0)) : number(1.0));
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
  Signed exp(Signed a) { return call(Code::exp, a); }
  /// The better of two bounds; `other` where `a` is not a number, as ∞ − ∞ is.
  Signed smaller(Signed a, Signed other) { return select(nonnegative(sub(other, a)), a, other); }
  Signed larger(Signed a, Signed other) { return select(nonnegative(sub(a, other)), a, other); }

  Signed radius(const Disc& a) { return a.r ? *a.r : number(0.0); }
  Signed lower(const Disc& a) { return a.r ? sub(a.c, *a.r) : a.c; }
  Signed upper(const Disc& a) { return a.r ? add(a.c, *a.r) : a.c; }
  Signed above_zero(Signed a) { return most(a, number(0.0)); }
  Signed low(const Disc& a) {
    if (a.low) return *a.low;
    return a.r ? above_zero(sub(size(a.c), *a.r)) : size(a.c);
  }
  Signed high(const Disc& a) {
    if (a.high) return *a.high;
    return a.r ? add(size(a.c), *a.r) : size(a.c);
  }
  static bool has_sizes(const Disc& a) { return a.low || a.high; }

  std::optional<Signed> together(const Disc& a, const Disc& b) {
    if (!a.analytic) return b.analytic;
    return b.analytic ? both(*a.analytic, *b.analytic) : *a.analytic;
  }
  std::optional<Signed> also(std::optional<Signed> analytic, Signed condition) {
    return analytic ? both(*analytic, condition) : condition;
  }

  Disc input(InputRef from) {
    if (from.slot == Slot::parameter || from.slot == Slot::mode) return {builder_.input(from)};
    return {builder_.input({from.slot, 2 * from.index}), builder_.input({from.slot, 2 * from.index + 1})};
  }

  // ---- operations -----------------------------------------------------------------------------------------------------
  Disc result(const Instruction& i) {
    const int arity = arity_of(i.code);
    const Disc& a = discs_[i.a];
    const Disc& b = discs_[arity > 1 ? i.b : i.a];
    const Disc& c = discs_[arity > 2 ? i.c : i.a];
    if (!a.r && !b.r && !c.r) return {exact(i)};
    switch (i.code) {
      case Code::add: return sum(a, b);
      case Code::sub: return sum(a, negative(b));
      case Code::mul: return i.a == i.b ? square(a) : product(a, b);
      case Code::fma: return sum(i.a == i.b ? square(a) : product(a, b), c);
      case Code::fnma: return sum(negative(i.a == i.b ? square(a) : product(a, b)), c);
      case Code::div: return quotient(a, b);
      case Code::neg: return negative(a);
      case Code::sine: return turned(builder_.sine(a.c), builder_.cosine(a.c), a);
      case Code::cosine: return turned(builder_.cosine(a.c), builder_.sine(a.c), a);
      case Code::positive: return condition(positive(lower(a)), negation(nonnegative(-upper(a))));
      case Code::nonnegative: return condition(nonnegative(lower(a)), negation(positive(-upper(a))));
      case Code::both: return condition(both(a.c, b.c), both(possible(a), possible(b)));
      case Code::either: return condition(either(a.c, b.c), either(possible(a), possible(b)));
      case Code::negation: return condition(negation(possible(a)), negation(a.c));
      case Code::select: return choice(a, b, c);
      default: return function(i.code, a, b);
    }
  }

  Signed exact(const Instruction& i) {
    const Signed a = discs_[i.a].c;
    const int arity = arity_of(i.code);
    if (i.code == Code::neg) return -a;
    if (i.code == Code::sine) return builder_.sine(a);
    if (i.code == Code::cosine) return builder_.cosine(a);
    if (arity == 1) return call(i.code, a);
    if (arity == 2) return call(i.code, a, discs_[i.b].c);
    return call(i.code, a, discs_[i.b].c, discs_[i.c].c);
  }

  Disc condition(Signed surely, Signed perhaps) { return {.c = surely, .r = perhaps}; }
  Signed possible(const Disc& condition) { return condition.r ? *condition.r : condition.c; }
  Disc negative(const Disc& a) { return {-a.c, a.r, a.low, a.high, a.analytic}; }

  Disc sum(const Disc& a, const Disc& b) {
    if (!a.r && !b.r) return {add(a.c, b.c)};
    Disc s{add(a.c, b.c), !a.r ? *b.r : !b.r ? *a.r : add(*a.r, *b.r)};
    s.analytic = together(a, b);
    if (!has_sizes(a) && !has_sizes(b)) return s;
    s.low = larger(sub(low(a), high(b)), larger(sub(low(b), high(a)), low(s)));
    s.high = smaller(add(high(a), high(b)), add(size(s.c), *s.r));
    return s;
  }

  /// A radius is not larger than what the sizes leave. Where numbers overflow, as e^x below a fraction bar may, sizes still say something:
  /// zero is then as good a middle as any.
  Disc sized(Signed c, Signed r, Signed lowest, Signed highest, std::optional<Signed> analytic) {
    const Signed middle = select(nonnegative(sub(number(1e300), size(c))), c, number(0.0));
    Disc d{middle, r};
    d.low = larger(sub(size(middle), r), larger(lowest, number(0.0)));
    d.high = smaller(add(size(middle), r), highest);
    d.r = smaller(r, add(size(middle), *d.high));
    d.analytic = analytic;
    return d;
  }

  Disc product(const Disc& a, const Disc& b) {
    const Signed c = mul(a.c, b.c);
    if (!a.r && !b.r) return {c};
    if (!a.r || !b.r) {
      const Disc& wide = a.r ? a : b;
      const Signed factor = size(a.r ? b.c : a.c);
      Disc p{c, mul(factor, *wide.r)};
      if (wide.low) p.low = mul(factor, *wide.low);
      if (wide.high) p.high = mul(factor, *wide.high);
      p.analytic = wide.analytic;
      return p;
    }
    const Signed r = builder_.fma(size(a.c), *b.r, mul(*a.r, add(size(b.c), *b.r)));
    if (!has_sizes(a) && !has_sizes(b)) return {.c = c, .r = r, .analytic = together(a, b)};
    return sized(c, r, mul(low(a), low(b)), mul(high(a), high(b)), together(a, b));
  }

  Disc square(const Disc& a) {
    const Signed c = mul(a.c, a.c);
    if (!a.r) return {c};
    const Signed r = mul(*a.r, add(add(size(a.c), size(a.c)), *a.r));
    const Signed lowest = low(a);
    if (!has_sizes(a)) return {.c = c, .r = r, .low = mul(lowest, lowest), .analytic = a.analytic};
    return sized(c, r, mul(lowest, lowest), mul(high(a), high(a)), a.analytic);
  }

  /// a'/b' − c = (a' − c b')/b'.
  Disc quotient(const Disc& a, const Disc& b) {
    const Signed c = div(a.c, b.c);
    if (!b.r) {
      Disc q{c, div(*a.r, size(b.c))};
      if (a.low) q.low = div(*a.low, size(b.c));
      if (a.high) q.high = div(*a.high, size(b.c));
      q.analytic = a.analytic;
      return q;
    }
    const Signed below = low(b);
    const Signed above = add(radius(a), mul(size(c), *b.r));
    const Signed r = select(positive(below), div(above, below), number(infinity));
    const Signed highest = select(positive(below), div(high(a), below), number(infinity));
    return sized(c, r, div(low(a), high(b)), highest, also(together(a, b), positive(below)));
  }

  /// sin(c + d) − sin c = sin c (cos d − 1) + cos c sin d, with |sin d| ≤ sinh r and |cos d − 1| ≤ cosh r − 1.
  Disc turned(Signed along, Signed across, const Disc& a) {
    const Signed grown = exp(*a.r);
    const Signed shrunk = div(number(1.0), grown);
    const Signed half = number(0.5);
    const Signed sinh_r = mul(half, sub(grown, shrunk));
    const Signed cosh_r_1 = sub(mul(half, add(grown, shrunk)), number(1.0));
    return {.c = along, .r = add(mul(size(across), sinh_r), mul(size(along), cosh_r_1)), .analytic = a.analytic};
  }

  Disc choice(const Disc& condition, const Disc& a, const Disc& b) {
    const Signed holds = nonnegative(number(0.0));
    const auto analytic_of = [&](const Disc& d) { return d.analytic ? *d.analytic : holds; };
    const auto of_chosen = [&] {
      return either(both(condition.c, analytic_of(a)), both(negation(condition.c), analytic_of(b)));
    };
    const bool tells = a.analytic || b.analytic;
    if (!condition.r) {
      Disc d{select(condition.c, a.c, b.c)};
      if (a.r || b.r) d.r = select(condition.c, radius(a), radius(b));
      if (has_sizes(a) || has_sizes(b)) {
        d.low = select(condition.c, low(a), low(b));
        d.high = select(condition.c, high(a), high(b));
      }
      if (tells) d.analytic = of_chosen();
      return d;
    }
    const Signed known = either(condition.c, negation(possible(condition)));
    const Signed from = least(lower(a), lower(b));
    const Signed to = most(upper(a), upper(b));
    const auto chosen = [&](Signed of_a, Signed of_b, Signed of_hull) {
      return select(condition.c, of_a, select(possible(condition), of_hull, of_b));
    };
    const Signed half = number(0.5);
    Disc d{chosen(a.c, b.c, mul(half, add(from, to))), chosen(radius(a), radius(b), mul(half, sub(to, from)))};
    d.analytic = also(tells ? std::optional(of_chosen()) : std::nullopt, known);
    return d;
  }

  Disc function(Code code, const Disc& a, const Disc& b) {
    switch (code) {
      case Code::exp: {
        const Signed highest = exp(upper(a));
        const Signed c = exp(a.c);
        return sized(c, sub(highest, c), exp(lower(a)), highest, a.analytic);
      }
      case Code::log: return logarithm(a);
      case Code::sqrt: return root(a);
      case Code::pow: return power(a, b);
      case Code::tan: return tangent(a);
      case Code::tanh: return hyperbolic_tangent(a);
      case Code::sinh:
      case Code::cosh: return hyperbolic(code, a);
      case Code::asin:
      case Code::acos: return arc_sine(code, a);
      case Code::atan: return arc_tangent(a);
      case Code::atan2: return angle(a, b);
      case Code::abs: {
        const Signed apart = sub(size(a.c), *a.r);
        return {size(a.c), a.r, a.low, a.high, also(a.analytic, positive(apart))};
      }
      case Code::min:
      case Code::max: {
        const Signed reach = add(radius(a), radius(b));
        const Signed apart = positive(sub(size(sub(a.c, b.c)), reach));
        const Signed c = call(code, a.c, b.c);
        const Signed a_is_it = nonnegative(code == Code::min ? sub(b.c, a.c) : sub(a.c, b.c));
        const Signed r = select(apart, select(a_is_it, radius(a), radius(b)), most(radius(a), radius(b)));
        return {.c = c, .r = r, .analytic = also(together(a, b), apart)};
      }
      case Code::floor: {
        const Signed from = call(code, lower(a));
        const Signed to = call(code, upper(a));
        const Signed r = sub(to, from);
        return {.c = call(code, a.c), .r = r, .analytic = also(a.analytic, nonnegative(-r))};
      }
      default: return {call(code, a.c), number(infinity)};
    }
  }

  /// |log(c + d) − log c| ≤ −log(1 − r/c).
  Disc logarithm(const Disc& a) {
    const Signed below = sub(a.c, *a.r);
    const Signed r = call(Code::log, div(a.c, below));
    return {.c = call(Code::log, a.c),
            .r = select(positive(below), r, number(infinity)),
            .analytic = also(a.analytic, positive(below))};
  }

  /// |√(c + d) − √c| ≤ √c − √(c − r).
  Disc root(const Disc& a) {
    const Signed below = sub(a.c, *a.r);
    const Signed c = call(Code::sqrt, above_zero(a.c));
    const Signed lowest = call(Code::sqrt, above_zero(below));
    const Signed highest = call(Code::sqrt, add(size(a.c), *a.r));
    const Signed r = select(positive(below), sub(c, lowest), add(c, highest));
    return sized(c, r, lowest, highest, also(a.analytic, positive(below)));
  }

  /// |(c + d)^b − c^b| ≤ r |b| |z|^(b−1) for the largest of these on the disc.
  Disc power(const Disc& a, const Disc& b) {
    if (b.r || !a.r) {  // exp(b log a)
      const Disc l = a.r ? logarithm(a) : Disc{call(Code::log, a.c)};
      return function(Code::exp, product(b, l), b);
    }
    const Signed m = size(a.c);
    const Signed up = add(m, *a.r);
    const Signed down = above_zero(sub(m, *a.r));
    const Signed rising = nonnegative(b.c);
    const auto to_the = [&](Signed base, Signed exponent) { return call(Code::pow, base, exponent); };
    const Signed at_up = to_the(up, b.c);
    const Signed at_down = to_the(down, b.c);
    const Signed one_less = sub(b.c, number(1.0));
    const Signed steepest = most(to_the(up, one_less), to_the(down, one_less));
    const Signed by_slope = mul(mul(size(b.c), *a.r), steepest);
    const Signed whole = nonnegative(sub(call(Code::floor, b.c), b.c));
    // A middle that rounding took below zero stands for zero.
    const Signed c = select(whole, to_the(a.c, b.c), to_the(above_zero(a.c), b.c));
    const Signed is_analytic = either(both(whole, rising), both(positive(down), either(whole, positive(a.c))));
    return sized(c, select(positive(down), by_slope, number(infinity)), select(rising, at_down, at_up),
                 select(rising, at_up, at_down), also(a.analytic, is_analytic));
  }

  /// tan(c + d) − tan c = τ (1 + T²)/(1 − Tτ) with |τ| = |tan d| ≤ tan r.
  Disc tangent(const Disc& a) {
    const Signed T = call(Code::tan, a.c);
    return by_addition(T, add(number(1.0), mul(T, T)), a);
  }
  Disc by_addition(Signed T, Signed slope, const Disc& a) {
    const Signed t = call(Code::tan, least(*a.r, number(1.5)));
    const Signed below = sub(number(1.0), mul(size(T), t));
    const Signed known = both(positive(below), positive(sub(number(1.5), *a.r)));
    return {
        .c = T, .r = select(known, div(mul(t, slope), below), number(infinity)), .analytic = also(a.analytic, known)};
  }

  /// Near by: as the tangent, tanh(c + d) = (T + τ)/(1 + Tτ). Far from zero: |tanh z ∓ 1| ≤ 2g/(1 − g), g = e^(−2 |Re z|).
  Disc hyperbolic_tangent(const Disc& a) {
    const Signed T = call(Code::tanh, a.c);
    const Disc near = by_addition(T, add(sub(number(1.0), mul(T, T)), number(0x1p-50)), a);
    const Signed apart = sub(size(a.c), *a.r);
    const Signed g = exp(mul(number(-2.0), above_zero(apart)));
    const Signed far = select(positive(apart), div(mul(number(4.0), g), sub(number(1.0), g)), number(infinity));
    const Signed known = positive(apart);
    return {.c = T, .r = least(*near.r, far), .analytic = near.analytic ? either(*near.analytic, known) : known};
  }

  /// Their series around c have coefficients of one sign, or alternating: |f(c + d) − f(c)| ≤ f(|c| + r) − f(|c|).
  Disc hyperbolic(Code code, const Disc& a) {
    const Signed m = size(a.c);
    const Signed highest = call(Code::cosh, add(m, *a.r));
    const Signed value = call(code, m);
    const Signed c = code == Code::cosh ? value : select(nonnegative(a.c), value, -value);
    const Signed lowest = call(Code::sinh, above_zero(sub(m, *a.r)));
    return sized(c, sub(call(code, add(m, *a.r)), value), lowest, highest, a.analytic);
  }

  /// |1/√(1 − z²)| ≤ 1/√((1 − r)² − c²).
  Disc arc_sine(Code code, const Disc& a) {
    const Signed room = sub(number(1.0), add(size(a.c), *a.r));
    const Signed other = sub(add(number(1.0), size(a.c)), *a.r);
    const Signed below = call(Code::sqrt, above_zero(mul(room, other)));
    const Signed known = both(positive(room), positive(other));
    return {.c = call(code, a.c),
            .r = select(known, div(*a.r, below), number(std::numbers::pi)),
            .analytic = also(a.analytic, known)};
  }

  /// |1/(1 + z²)| ≤ 1/(√(1 + c²) − r)²: the poles are ±i.
  Disc arc_tangent(const Disc& a) {
    const Signed apart = sub(call(Code::sqrt, add(number(1.0), mul(a.c, a.c))), *a.r);
    return {.c = call(Code::atan, a.c),
            .r = select(positive(apart), div(*a.r, mul(apart, apart)), number(std::numbers::pi)),
            .analytic = also(a.analytic, positive(apart))};
  }

  /// The angle is a difference of logarithms of x ± iy.
  Disc angle(const Disc& y, const Disc& x) {
    const Signed distance = call(Code::sqrt, add(mul(x.c, x.c), mul(y.c, y.c)));
    const Signed reach = add(radius(x), radius(y));
    const Signed apart = sub(distance, reach);
    const Signed cut = both(nonnegative(sub(radius(y), size(y.c))), negation(positive(lower(x))));
    const Signed known = both(positive(apart), negation(cut));
    const Signed r = call(Code::log, div(distance, apart));
    return {.c = call(Code::atan2, y.c, x.c),
            .r = select(known, r, number(2.0 * std::numbers::pi)),
            .analytic = also(together(y, x), known)};
  }

  static constexpr double infinity = std::numeric_limits<double>::infinity();
  const Program& program_;
  ProgramBuilder builder_;
  std::vector<Disc> discs_;
};

}  // namespace

Program disc_bounds_of(const Program& program) { return DiscBuilder(program).finished(); }

}  // namespace saltus
