#include "saltus/kernel/equations.hpp"

#include <algorithm>
#include <cassert>

#include "saltus/expr/differentiate.hpp"
#include "saltus/kernel/angle_sums.hpp"
#include "saltus/kernel/event_equations.hpp"
#include "saltus/kernel/impact_equations.hpp"
#include "saltus/kernel/tangent_equations.hpp"

namespace saltus {
namespace {

/// ½ vᵀMv and its rate along a given ẋ.
ExprVector kinetic_energy(const ModelTerms& of) {
  const std::size_t n = of.layout.n;
  Expr twice = of.zero;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) twice = twice + of.v[i] * of.M[i * n + j] * of.v[j];
  const Expr kinetic = 0.5 * twice;
  const ExprVector x_dot = of.symbols(Slot::tangent, 0, of.layout.N());
  Expr power = differentiate(kinetic, of.t);
  for (std::size_t j = 0; j < 2 * n; ++j) power = power + differentiate(kinetic, of.x[j]) * x_dot[j];
  return {kinetic, power};
}

/// tr F_x of the free motion: Σ ∂v̇ᵢ/∂vᵢ + Σ ∂żⱼ/∂zⱼ.
Expr divergence(const ModelTerms& of, const Elimination& mass) {
  Expr trace = of.zero;
  for (std::size_t i = 0; i < of.layout.n; ++i)
    trace = trace + mass.solve(differentiate(of.f, of.v[i]))[i];  // M does not depend on v
  for (std::size_t j = 0; j < of.layout.first_order; ++j) trace = trace + differentiate(of.r[j], of.z[j]);
  return trace;
}

std::vector<Equations::Named> named_outputs(const ModelTerms& of, const MotionEquations& motion,
                                            const ImpactEquations& impact) {
  const MotionEquations::Motion& free = motion.free();
  const MotionEquations::Motion& closed = motion.closed();
  return {
      {"field", motion.rate(free)},
      {"field_tangent", with_tangent(of, motion, free)},
      {"sliding", concatenated({motion.rate(closed), closed.force, closed.weight})},
      {"sliding_tangent", concatenated({with_tangent(of, motion, closed), closed.force, closed.weight})},
      {"events", concatenated({event_rates(of), {motion.smallest_pivot()}})},
      {"contact", impact.contacts()},
      {"impact", impact.jump()},
      {"jets", event_gradients(of)},
      {"observe", of.observables},
      {"energy", kinetic_energy(of)},
      {"divergence", {divergence(of, motion.mass())}},
  };
}

}  // namespace

const ExprVector& Equations::outputs(const std::string& name) const {
  const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const Named& k) { return k.name == name; });
  assert(found != kernels.end());
  return found->outputs;
}

Equations equations_of(const Model& model, const KernelOptions& options) {
  const ModelTerms terms(model, options);
  const MotionEquations motion(terms);
  const ImpactEquations impact(model, terms, motion);
  Equations all{terms.graph,
                terms.layout,
                named_outputs(terms, motion, impact),
                event_second_rates(terms),
                terms.M,
                terms.f,
                terms.r,
                {},
                {},
                {},
                {}};
  all.layout.mass_varies = !motion.smallest_pivot().is_constant();
  all.layout.restitution_by_speed = impact.is_by_speed();
  for (std::size_t u = 0; u < motion.constraints().size(); ++u) {
    const MotionEquations::Constraint& it = motion.constraints()[u];
    for (const ExprVector* part : {&it.push_f, &it.push_r})
      all.pushes.insert(all.pushes.end(), part->begin(), part->end());
    for (const ExprVector* part : {&it.row_v, &it.row_z}) all.rows.insert(all.rows.end(), part->begin(), part->end());
    all.drift.push_back(it.drift);
    all.responses.push_back(motion.delassus(u, u));
  }
  std::vector<ExprVector*> outputs;
  for (Equations::Named& kernel : all.kernels) outputs.push_back(&kernel.outputs);
  share_sines(concatenated({motion.closed().acceleration, motion.closed().first_order}), outputs);
  return all;
}

}  // namespace saltus
