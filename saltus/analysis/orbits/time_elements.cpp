#include "saltus/analysis/orbits/time_elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/analysis/orbits/weak_principle.hpp"
#include "saltus/numerics/decompositions.hpp"

namespace saltus {

TimeElements::TimeElements(const Model& model, const TimeElementOptions& options) {
  if (!model.contacts.empty())
    throw usage(
        fmt::format("time finite elements take no contacts, and the model has '{}'\n"
                    "  an impact is a jump of the velocity that no polynomial follows; use ⟨method⟩ shooting",
                    model.contacts.front().name));
  if (!model.states.empty())
    throw usage(
        fmt::format("time finite elements are made for mechanics, and the model has the first-order state '{}'\n"
                    "  use ⟨method⟩ shooting",
                    model.states.front()));
  if (!model.forcing_period)
    throw usage(
        "time finite elements need the period of the motion, and the model has no [forcing]\n"
        "  use ⟨method⟩ shooting, which finds the period too");
  if (options.elements < 1 || options.elements > 10'000)
    throw usage(
        fmt::format("⟨elements⟩ {} is out of range\n  expected a whole number from 1 to 10000", options.elements));
  if (options.degree < 1 || options.degree > 12)
    throw usage(fmt::format("⟨degree⟩ {} is out of range\n  expected a whole number from 1 to 12", options.degree));
  if (options.periods < 1) throw usage(fmt::format("⟨period⟩ {} is no period\n  expected 1 or more", options.periods));
  weak_ = std::make_unique<WeakPrinciple>(model, options);
}
TimeElements::~TimeElements() = default;
TimeElements::TimeElements(TimeElements&&) noexcept = default;
TimeElements& TimeElements::operator=(TimeElements&&) noexcept = default;

const TimeElementOptions& TimeElements::options() const { return weak_->options; }

Eigen::Index TimeElements::unknowns() const { return weak_->count() * weak_->n; }

std::vector<double> TimeElements::places() const {
  std::vector<double> result;
  const auto elements = static_cast<double>(weak_->options.elements);
  for (std::size_t j = 0; j < weak_->options.elements; ++j)
    for (std::size_t a = 0; a < weak_->options.degree; ++a)
      result.push_back((static_cast<double>(j) + weak_->shape.nodes()[a]) / elements);
  return result;
}

Vector TimeElements::nodes_of(const std::function<Vector(double)>& q) const {
  Vector nodes(unknowns());
  const std::vector<double> all = places();
  for (std::size_t i = 0; i < all.size(); ++i) nodes.segment(index(i) * weak_->n, weak_->n) = q(all[i]);
  return nodes;
}

TimeElements::Value TimeElements::value(const Vector& nodes, const std::vector<double>& parameters,
                                        double period) const {
  const WeakPrinciple& weak = *weak_;
  const double length = period * static_cast<double>(weak.options.periods) / static_cast<double>(weak.options.elements);
  Value result{Vector::Zero(unknowns()), Matrix::Zero(unknowns(), unknowns()), 0.0};
  for (std::size_t j = 0; j < weak.options.elements; ++j) {
    const WeakPrinciple::Element element = weak.element(nodes, j, parameters, length);
    result.size = std::max(result.size, element.size);
    for (Index a = 0; a < weak.size(); ++a) {
      const Index row = weak.node(j, a) * weak.n;
      result.residual.segment(row, weak.n) += element.residual.segment(a * weak.n, weak.n);
      for (Index b = 0; b < weak.size(); ++b)
        result.tangent.block(row, weak.node(j, b) * weak.n, weak.n, weak.n) +=
            element.tangent.block(a * weak.n, b * weak.n, weak.n, weak.n);
    }
  }
  return result;
}

namespace {

constexpr double smallest_reciprocal_condition = 1e-14;

/// Steps of Newton's iteration: as long as the line search on |residual| says, or whole ones.
enum class Steps { searched, whole };

/// The coordinate that moves most in the direction that the tangent matrix does not see.
std::size_t undetermined_coordinate(const Matrix& tangent, Index n) {
  const Vector null = singular_factors(tangent).V.col(tangent.cols() - 1);
  Vector share = Vector::Zero(n);
  for (Index i = 0; i < null.size(); ++i) share[i % n] += null[i] * null[i];
  Index worst = 0;
  share.maxCoeff(&worst);
  return static_cast<std::size_t>(worst);
}

/// A step of Newton's iteration that was taken; nothing: there is none to a finite residual.
struct Taken {
  Vector nodes;
  TimeElements::Value at;
};

/// Halves the step until |residual| falls enough, and at last takes what falls most.
std::optional<Taken> taken(const Vector& nodes, const Vector& step, double before, Steps steps,
                           const std::function<TimeElements::Value(const Vector&)>& value) {
  std::optional<Taken> best;
  for (double damping = 1.0; damping > 1e-3; damping *= 0.5) {
    Taken trial{nodes + damping * step, {}};
    trial.at = value(trial.nodes);
    const double after = trial.at.residual.norm();
    const bool finite = std::isfinite(after);
    if (finite && (!best || after < best->at.residual.norm())) best = std::move(trial);
    if (finite && (steps == Steps::whole || after <= (1.0 - 0.25 * damping) * before)) break;
  }
  return best;
}

TimeElementOrbit iterated(const TimeElements& elements, const Vector& start, const std::vector<double>& parameters,
                          double period, Steps steps) {
  const auto value = [&](const Vector& nodes) { return elements.value(nodes, parameters, period); };
  const Index n = start.size() / index(elements.places().size());
  Taken now{start, value(start)};
  TimeElementOrbit last;
  for (int iteration = 0; iteration <= elements.options().most_iterations; ++iteration) {
    const double error = now.at.residual.cwiseAbs().maxCoeff() / std::max(now.at.size, 1e-300);
    const LuFactors factors(now.at.tangent);
    const double reciprocal = factors.rcond();
    const double condition = reciprocal > 0.0 ? 1.0 / reciprocal : std::numeric_limits<double>::infinity();
    const bool singular = !(reciprocal > smallest_reciprocal_condition);
    const bool converged = !singular && error <= elements.options().tolerance;
    last = converged ? elements.orbit(now.nodes, parameters, period) : TimeElementOrbit{};
    last.end = singular    ? TimeElementEnd::singular
               : converged ? TimeElementEnd::converged
                           : TimeElementEnd::not_converged;
    last.nodes = now.nodes;
    last.residual = error;
    last.condition = condition;
    last.iterations = iteration;
    if (singular) last.undetermined = undetermined_coordinate(now.at.tangent, n);
    if (singular || converged) return last;
    const Vector step = -factors.solve(now.at.residual);
    auto next = taken(now.nodes, step, now.at.residual.norm(), steps, value);
    if (!next) return last;
    now = std::move(*next);
  }
  return last;
}

}  // namespace

TimeElementOrbit TimeElements::solve(const Vector& start, const std::vector<double>& parameters, double period) const {
  TimeElementOrbit searched = iterated(*this, start, parameters, period, Steps::searched);
  if (searched.end != TimeElementEnd::not_converged) return searched;
  // Over kinks the residual may have to grow first: whole steps often end in the right regions.
  TimeElementOrbit whole = iterated(*this, start, parameters, period, Steps::whole);
  return whole.converged() ? whole : searched;
}

TimeElementOrbit TimeElements::orbit(const Vector& nodes, const std::vector<double>& parameters, double period) const {
  const WeakPrinciple& weak = *weak_;
  const Index n = weak.n;
  TimeElementOrbit result;
  result.nodes = nodes;
  result.period = period * static_cast<double>(weak.options.periods);
  const double length = result.period / static_cast<double>(weak.options.elements);
  std::vector<TangentFactor> factors;
  Matrix product = Matrix::Identity(2 * n, 2 * n);
  for (std::size_t j = 0; j < weak.options.elements; ++j) {
    const WeakPrinciple::Element element = weak.element(nodes, j, parameters, length);
    const Matrix& K = element.tangent;
    const Index inner = (weak.size() - 2) * n;
    // Ends first, then what lies between them: K_BB − K_BI K_II⁻¹ K_IB.
    const auto ends = [&](Index a, Index b) {
      const Index last = (weak.size() - 1) * n;
      Matrix block = K.block(a * last, b * last, n, n);
      if (inner > 0)
        block -= K.block(a * last, n, n, inner) *
                 LuFactors(K.block(n, n, inner, inner)).solve_columns(K.block(n, b * last, inner, n));
      return block;
    };
    const Matrix K11 = ends(0, 0);
    const Matrix K12 = ends(0, 1);
    const Matrix K21 = ends(1, 0);
    const Matrix K22 = ends(1, 1);
    const Matrix inverse = LuFactors(K12).inverse();
    Matrix J(2 * n, 2 * n);  // (21)
    J << -inverse * K11, -inverse, K21 - K22 * inverse * K11, -K22 * inverse;
    factors.push_back({J, false});
    product = J * product;
    if (j > 0) continue;
    // p at the start is minus the first row of the first element.
    const Vector p = -element.residual.head(n);
    TimeIntegrands::Forms forms;
    Vector x = weak.state(weak.local(nodes, 0), weak.shape.at(0.0), length);
    weak.integrands.evaluate(0.0, x, parameters, forms);
    x.tail(n) = LuFactors(forms.p_v).solve(p);
    result.x = x;
  }
  TimeIntegrands::Forms forms;
  weak.integrands.evaluate(0.0, result.x, parameters, forms);
  Matrix to_momenta = Matrix::Identity(2 * n, 2 * n);
  to_momenta.block(n, 0, n, n) = forms.p_q;
  to_momenta.block(n, n, n, n) = forms.p_v;
  result.monodromy = LuFactors(to_momenta).solve_columns(product * to_momenta);
  result.multipliers = multipliers(factors);
  result.stable = is_stable(result.multipliers);
  return result;
}

Vector TimeElements::state(const Vector& nodes, double place, double period) const {
  const WeakPrinciple& weak = *weak_;
  const auto elements = static_cast<double>(weak.options.elements);
  const double at = (place - std::floor(place)) * elements;
  const std::size_t j = std::min(static_cast<std::size_t>(at), weak.options.elements - 1);
  const double length = period * static_cast<double>(weak.options.periods) / elements;
  return weak.state(weak.local(nodes, j), weak.shape.at(at - static_cast<double>(j)), length);
}

std::vector<TimeElements::Passing> TimeElements::passings(const Vector& nodes, const std::vector<double>& parameters,
                                                          double period) const {
  const WeakPrinciple& weak = *weak_;
  const auto elements = static_cast<double>(weak.options.elements);
  const double length = period * static_cast<double>(weak.options.periods) / elements;
  std::vector<Passing> found;
  for (std::size_t j = 0; j < weak.options.elements; ++j) {
    const auto begin = static_cast<double>(j);
    for (const auto& kink : weak.kinks(weak.local(nodes, j), begin * length, length, parameters))
      found.push_back({(begin + kink.theta) / elements, kink.surface});
  }
  return found;
}

}  // namespace saltus
