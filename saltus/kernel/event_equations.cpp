#include "saltus/kernel/event_equations.hpp"

#include "saltus/expr/differentiate.hpp"

namespace saltus {

ExprVector event_rates(const ModelTerms& of) {
  const ExprVector x_dot = of.symbols(Slot::tangent, 0, of.layout.N());
  const auto rate_of = [&](Expr e) {
    Expr rate = differentiate(e, of.t);
    for (std::size_t j = 0; j < of.x.size(); ++j) rate = rate + differentiate(e, of.x[j]) * x_dot[j];
    return rate;
  };
  ExprVector out = concatenated({of.h, of.s, of.surfaces, of.gamma});
  for (const Expr& s : concatenated({of.s, of.surfaces})) out.push_back(rate_of(s));
  for (const Expr& gamma : of.gamma) out.push_back(rate_of(gamma));
  return out;
}

ExprVector event_second_rates(const ModelTerms& of) {
  const std::size_t N = of.layout.N();
  const ExprVector x_dot = of.symbols(Slot::tangent, 0, N);
  const ExprVector x_ddot = of.symbols(Slot::tangent, N, N);
  const ExprVector values = concatenated({of.h, of.s, of.surfaces});
  ExprVector rates;
  ExprVector seconds;
  for (const Expr& g : values) {
    ExprVector gradient;
    for (const Expr& x : of.x) gradient.push_back(differentiate(g, x));
    const Expr rate = differentiate(g, of.t) + of.product(gradient, x_dot);
    Expr second = differentiate(rate, of.t) + of.product(gradient, x_ddot);
    for (std::size_t j = 0; j < N; ++j) second = second + differentiate(rate, of.x[j]) * x_dot[j];
    rates.push_back(rate);
    seconds.push_back(second);
  }
  return concatenated({values, rates, seconds});
}

ExprVector event_gradients(const ModelTerms& of) {
  ExprVector out;
  for (const Expr& root : concatenated({of.h, of.gamma, of.s, of.surfaces}))
    for (const Direction& direction : of.directions(concatenated({of.x, {of.t}})))
      out.push_back(along({root}, direction).front());
  return out;
}

}  // namespace saltus
