#include "saltus/flow/affine_value.hpp"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

AffineValue number(double value) { return {value, {}, {}, false}; }

AffineValue nothing() { return {0.0, {}, {}, true}; }

bool same_frequency(double a, double b) { return std::abs(a - b) <= 1e-14 * std::max(a, b); }

void add_term(AffineValue& to, const TimeTerm& term) {
  if (term.w == 0.0 && term.power == 0) {
    to.constant += term.cosine;
    return;
  }
  for (TimeTerm& known : to.terms) {
    if (known.power != term.power || !same_frequency(known.w, term.w)) continue;
    known.cosine += term.cosine;
    known.sine += term.sine;
    return;
  }
  to.terms.push_back(term);
}

AffineValue scaled(AffineValue value, double factor) {
  value.constant *= factor;
  for (double& c : value.coefficients) c *= factor;
  for (TimeTerm& term : value.terms) {
    term.cosine *= factor;
    term.sine *= factor;
  }
  return value;
}

/// What cancelled is not there.
AffineValue pruned(AffineValue value) {
  if (std::all_of(value.coefficients.begin(), value.coefficients.end(), [](double c) { return c == 0.0; }))
    value.coefficients.clear();
  std::erase_if(value.terms, [](const TimeTerm& term) { return term.cosine == 0.0 && term.sine == 0.0; });
  return value;
}

AffineValue sum(const AffineValue& a, const AffineValue& b) {
  if (a.left || b.left) return nothing();
  AffineValue result = a;
  result.constant += b.constant;
  if (result.coefficients.empty()) {
    result.coefficients = b.coefficients;
  } else if (!b.coefficients.empty()) {
    for (std::size_t i = 0; i < b.coefficients.size(); ++i) result.coefficients[i] += b.coefficients[i];
  }
  for (const TimeTerm& term : b.terms) add_term(result, term);
  return pruned(std::move(result));
}

/// 2 cos a cos b = cos(a − b) + cos(a + b) and its kin.
void add_product(AffineValue& to, const TimeTerm& a, const TimeTerm& b) {
  const int power = a.power + b.power;
  const auto add = [&](double w, double cosine, double sine) {
    if (w < 0.0) {
      w = -w;
      sine = -sine;
    }
    if (w <= 1e-14 * (a.w + b.w)) {
      w = 0.0;
      sine = 0.0;
    }
    add_term(to, {w, power, cosine, sine});
  };
  add(a.w - b.w, 0.5 * (a.cosine * b.cosine + a.sine * b.sine), 0.5 * (a.sine * b.cosine - a.cosine * b.sine));
  add(a.w + b.w, 0.5 * (a.cosine * b.cosine - a.sine * b.sine), 0.5 * (a.sine * b.cosine + a.cosine * b.sine));
}

AffineValue product(const AffineValue& a, const AffineValue& b) {
  if (a.is_constant() && a.constant == 0.0) return number(0.0);  // a mask that leaves its factor out, whatever it is
  if (b.is_constant() && b.constant == 0.0) return number(0.0);
  if (a.left || b.left) return nothing();
  if (a.is_constant()) return scaled(b, a.constant);
  if (b.is_constant()) return scaled(a, b.constant);
  if (!a.coefficients.empty() || !b.coefficients.empty()) return nothing();
  AffineValue result = number(a.constant * b.constant);
  for (const TimeTerm& term : scaled(a, b.constant).terms) add_term(result, term);
  for (const TimeTerm& term : scaled(b, a.constant).terms) add_term(result, term);
  for (const TimeTerm& left : a.terms)
    for (const TimeTerm& right : b.terms) add_product(result, left, right);
  return result;
}

/// cos(c + wt − shift), of an argument that is constant or linear in t.
AffineValue harmonic(const AffineValue& argument, bool sine) {
  const auto value = [&](double x) { return sine ? std::sin(x) : std::cos(x); };
  if (argument.is_constant()) return number(value(argument.constant));
  const bool linear = !argument.left && argument.coefficients.empty() && argument.terms.size() == 1 &&
                      argument.terms[0].w == 0.0 && argument.terms[0].power == 1;
  if (!linear) return nothing();
  const double c = argument.constant;
  const double w = argument.terms[0].cosine;
  const double sign = w < 0.0 ? -1.0 : 1.0;
  AffineValue result;
  // cos(c + wt) = cos c cos wt − sin c sin wt;  sin(c + wt) = sin c cos wt + cos c sin wt.
  if (sine) add_term(result, {std::abs(w), 0, std::sin(c), sign * std::cos(c)});
  else add_term(result, {std::abs(w), 0, std::cos(c), -sign * std::sin(c)});
  return result;
}

AffineValue power(const AffineValue& base, const AffineValue& exponent) {
  if (!exponent.is_constant()) return nothing();
  if (base.is_constant()) return number(std::pow(base.constant, exponent.constant));
  const double k = exponent.constant;
  if (k != std::floor(k) || k < 1.0 || k > 64.0) return nothing();
  AffineValue result = base;
  for (int i = 1; i < static_cast<int>(k); ++i) result = product(result, base);
  return result;
}

double of_numbers(Code code, double a, double b) {
  switch (code) {
    case Code::sqrt: return std::sqrt(a);
    case Code::abs: return std::abs(a);
    case Code::min: return std::min(a, b);
    case Code::max: return std::max(a, b);
    case Code::exp: return std::exp(a);
    case Code::log: return std::log(a);
    case Code::tan: return std::tan(a);
    case Code::asin: return std::asin(a);
    case Code::acos: return std::acos(a);
    case Code::atan: return std::atan(a);
    case Code::atan2: return std::atan2(a, b);
    case Code::sinh: return std::sinh(a);
    case Code::cosh: return std::cosh(a);
    case Code::tanh: return std::tanh(a);
    case Code::floor: return std::floor(a);
    case Code::positive: return a > 0.0 ? 1.0 : 0.0;
    case Code::nonnegative: return a >= 0.0 ? 1.0 : 0.0;
    case Code::both: return a != 0.0 && b != 0.0 ? 1.0 : 0.0;
    case Code::either: return a != 0.0 || b != 0.0 ? 1.0 : 0.0;
    case Code::negation: return a == 0.0 ? 1.0 : 0.0;
    default: return 0.0;
  }
}

class Interpreter {
 public:
  Interpreter(const Program& program, const AffineInputs& inputs) : program_(program) {
    values_.reserve(program.value_count());
    for (const double c : program.constants) values_.push_back(number(c));
    for (const InputRef& input : program.inputs) values_.push_back(input_value(input, inputs));
    for (const Instruction& instruction : program.code) values_.push_back(result_of(instruction));
  }

  AffineValue output(std::size_t i) const { return values_[program_.outputs[i]]; }

 private:
  static AffineValue input_value(const InputRef& input, const AffineInputs& inputs) {
    AffineValue value;
    switch (input.slot) {
      case Slot::time: value.terms.push_back({0.0, 1, 1.0, 0.0}); break;
      case Slot::state:
        value.coefficients.assign(inputs.N, 0.0);
        value.coefficients[input.index] = 1.0;
        break;
      case Slot::parameter: value.constant = inputs.p[input.index]; break;
      case Slot::mode: value.constant = inputs.mode[input.index]; break;
      case Slot::tangent: break;
    }
    return value;
  }

  AffineValue result_of(const Instruction& at) const {
    const AffineValue& a = values_[at.a];
    const AffineValue& b = values_[at.b];
    switch (at.code) {
      case Code::add: return sum(a, b);
      case Code::sub: return sum(a, scaled(b, -1.0));
      case Code::mul: return product(a, b);
      case Code::div: return b.is_constant() ? product(a, number(1.0 / b.constant)) : nothing();
      case Code::neg: return scaled(a, -1.0);
      case Code::fma: return sum(product(a, b), values_[at.c]);
      case Code::fnma: return sum(values_[at.c], scaled(product(a, b), -1.0));
      case Code::sine: return harmonic(a, true);
      case Code::cosine: return harmonic(a, false);
      case Code::pow: return power(a, b);
      case Code::select: return chosen(a, b, values_[at.c]);
      default: break;
    }
    if (!a.is_constant() || (arity_of(at.code) > 1 && !b.is_constant())) return nothing();
    return number(of_numbers(at.code, a.constant, b.constant));
  }

  static AffineValue chosen(const AffineValue& condition, const AffineValue& yes, const AffineValue& no) {
    if (!condition.is_constant()) return nothing();
    return condition.constant != 0.0 ? yes : no;
  }

  const Program& program_;
  std::vector<AffineValue> values_;
};

}  // namespace

std::vector<AffineValue> affine_outputs(const Program& program, const AffineInputs& inputs, std::size_t count) {
  const Interpreter interpreter(program, inputs);
  std::vector<AffineValue> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(interpreter.output(i));
  return result;
}

}  // namespace saltus
