#include "saltus/kernel/tape.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "saltus/kernel/sincos.hpp"

namespace saltus {
namespace {

SineCosine<double> both_of(double x) { return sine_cosine(x); }
SineCosine<long double> both_of(long double x) { return {std::sin(x), std::cos(x)}; }

/// Not a number if a or b is not; native code makes the same two choices.
template <class Real>
Real smaller(Real a, Real b) {
  return a < b ? a : (a == a ? b : a);
}
template <class Real>
Real larger(Real a, Real b) {
  return a > b ? a : (a == a ? b : a);
}

template <class Real>
Real library_function(Code code, Real a, Real b) {
  switch (code) {
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
    default: return std::pow(a, b);
  }
}

/// Fills v from `result` on; conditions are 1 or 0.
template <class Real>
void run_portably(const std::vector<Instruction>& code, Real* v, std::size_t result) {
  constexpr Real one = 1;
  constexpr Real zero = 0;
  for (const Instruction& i : code) {
    const Real a = v[i.a];
    const Real b = v[i.b];
    Real& r = v[result++];
    switch (i.code) {
      case Code::add: r = a + b; break;
      case Code::sub: r = a - b; break;
      case Code::mul: r = a * b; break;
      case Code::div: r = a / b; break;
      case Code::neg: r = -a; break;
      case Code::fma: r = std::fma(a, b, v[i.c]); break;
      case Code::fnma: r = std::fma(-a, b, v[i.c]); break;
      case Code::sqrt: r = std::sqrt(a); break;
      case Code::abs: r = std::abs(a); break;
      case Code::min: r = smaller(a, b); break;
      case Code::max: r = larger(a, b); break;
      case Code::sine: {
        const auto [sine, cosine] = both_of(a);
        r = sine;
        v[result] = cosine;
        break;
      }
      case Code::cosine: break;  // stands there already
      case Code::positive: r = a > zero ? one : zero; break;
      case Code::nonnegative: r = a >= zero ? one : zero; break;
      case Code::both: r = a * b; break;
      case Code::either: r = a + b > zero ? one : zero; break;
      case Code::negation: r = one - a; break;
      case Code::select: r = a != zero ? b : v[i.c]; break;
      default: r = library_function(i.code, a, b);
    }
  }
}

void run(const std::vector<Instruction>& code, long double* v, std::size_t result) { run_portably(code, v, result); }

#if defined(__x86_64__)
/// The same, with every std::fma as one instruction instead of a call.
[[gnu::target("fma"), gnu::flatten]] void run_with_fma(const std::vector<Instruction>& code, double* v,
                                                       std::size_t result) {
  run_portably(code, v, result);
}

void run(const std::vector<Instruction>& code, double* v, std::size_t result) {
  static const bool has_fma = __builtin_cpu_supports("fma") != 0;
  has_fma ? run_with_fma(code, v, result) : run_portably(code, v, result);
}
#else
void run(const std::vector<Instruction>& code, double* v, std::size_t result) { run_portably(code, v, result); }
#endif

/// Room for the values of one run, kept by each thread. Always larger than asked: see `run_portably`, which reads v[0] for
/// operands that an instruction does not have.
template <class Real>
Real* scratch(std::size_t size) {
  thread_local std::vector<Real> values;
  if (values.size() < size + 1) values.resize(size + 1);
  return values.data();
}

template <class Real>
void load_constants(const Program& program, Real* values) {
  for (std::size_t i = 0; i < program.constants.size(); ++i) values[i] = static_cast<Real>(program.constants[i]);
}

}  // namespace

template <class Real>
Tape<Real>::Tape(Program program) : program_(std::move(program)) {}

template <class Real>
void Tape<Real>::run_lane(const KernelInputs<Real>& in, Real* out, std::size_t width, std::size_t lane) const {
  const std::array<const Real*, slot_count> arrays = {in.t, in.x, in.p, in.mode, in.X};
  Real* const values = scratch<Real>(program_.value_count());
  load_constants(program_, values);
  Real* input = values + program_.constants.size();
  for (const InputRef& from : program_.inputs)
    *input++ = arrays[static_cast<std::size_t>(from.slot)][from.index * width + lane];
  run(program_.code, values, program_.first_instruction());
  for (std::size_t i = 0; i < program_.outputs.size(); ++i) out[i * width + lane] = values[program_.outputs[i]];
}

template <class Real>
void Tape<Real>::operator()(const Real* t, const Real* x, const Real* p, const Real* mode, const Real* X,
                            Real* out) const {
  run_lane({t, x, p, mode, X}, out, 1, 0);
}

template <class Real>
LoopTape<Real>::LoopTape(LoopProgram loop) : loop_(std::move(loop)) {}

template <class Real>
void LoopTape<Real>::operator()(const Real* const* streams, const Real* scalars, Real* const* outputs, Real* sums,
                                std::size_t count) const {
  const Program& body = loop_.body;
  Real* const values = scratch<Real>(body.value_count());
  load_constants(body, values);
  for (std::size_t d = 0; d < count; ++d) {
    Real* input = values + body.constants.size();
    for (const InputRef& from : body.inputs)
      *input++ = from.slot == Slot::state ? streams[from.index][d] : scalars[from.index];
    run(body.code, values, body.first_instruction());
    for (std::size_t k = 0; k < loop_.stored; ++k) outputs[k][d] = values[body.outputs[k]];
    for (std::size_t i = loop_.stored; i < body.outputs.size(); ++i) sums[i - loop_.stored] += values[body.outputs[i]];
  }
}

template class Tape<double>;
template class Tape<long double>;
template class LoopTape<double>;
template class LoopTape<long double>;

}  // namespace saltus
