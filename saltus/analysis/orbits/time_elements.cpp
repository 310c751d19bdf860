#include "saltus/analysis/orbits/time_elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "saltus/expr/differentiate.hpp"
#include "saltus/kernel/tape.hpp"
#include "saltus/numerics/decompositions.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

constexpr double smallest_reciprocal_condition = 1e-14;

/// Gauss' rule on [0, 1], by Newton on Legendre's polynomial.
struct Quadrature {
  std::vector<double> places, weights;
  explicit Quadrature(std::size_t count) {
    const auto n = static_cast<double>(count);
    for (std::size_t i = 0; i < count; ++i) {
      double x = -std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (n + 0.5));
      double slope = 1.0;
      for (int pass = 0; pass < 100; ++pass) {
        double p0 = 1.0;
        double p1 = x;
        for (std::size_t k = 2; k <= count; ++k) {
          const auto degree = static_cast<double>(k);
          const double p2 = ((2.0 * degree - 1.0) * x * p1 - (degree - 1.0) * p0) / degree;
          p0 = p1;
          p1 = p2;
        }
        slope = n * (x * p1 - p0) / (x * x - 1.0);
        const double correction = p1 / slope;
        x -= correction;
        if (std::abs(correction) < 1e-16) break;
      }
      places.push_back(0.5 * (1.0 + x));
      weights.push_back(1.0 / ((1.0 - x * x) * slope * slope));
    }
  }
};

/// Lagrange's polynomials of a degree at Chebyshev-Lobatto nodes of [0, 1] (the space they span does not depend on the nodes).
class Shape {
 public:
  explicit Shape(std::size_t degree) : degree_(degree) {
    for (std::size_t a = 0; a <= degree; ++a)
      nodes_.push_back(0.5 * (1.0 - std::cos(std::numbers::pi * static_cast<double>(a) / static_cast<double>(degree))));
    nodes_.front() = 0.0;
    nodes_.back() = 1.0;
  }
  const std::vector<double>& nodes() const { return nodes_; }

  /// Values, first and second derivatives of all at θ.
  struct At {
    Vector N, dN, ddN;
  };
  At at(double theta) const {
    const Index size = index(degree_ + 1);
    At result{Vector::Ones(size), Vector::Zero(size), Vector::Zero(size)};
    for (Index a = 0; a < size; ++a) {
      // Products with their first two derivatives, factor by factor.
      double value = 1.0;
      double first = 0.0;
      double second = 0.0;
      for (Index b = 0; b < size; ++b) {
        if (b == a) continue;
        const double scale = 1.0 / (nodes_[static_cast<std::size_t>(a)] - nodes_[static_cast<std::size_t>(b)]);
        const double factor = (theta - nodes_[static_cast<std::size_t>(b)]) * scale;
        second = second * factor + 2.0 * first * scale;
        first = first * factor + value * scale;
        value *= factor;
      }
      result.N[a] = value;
      result.dN[a] = first;
      result.ddN[a] = second;
    }
    return result;
  }

 private:
  std::size_t degree_;
  std::vector<double> nodes_;
};

/// The integrands as programs of (t, q, v, p).
class Integrands {
 public:
  explicit Integrands(const Model& model) : n_(model.n()), forms_(program(model, forms(model))) {
    std::vector<Expr> surfaces;
    for (const Switch& s : model.switches) surfaces.push_back(s.s);
    switches_ = surfaces.size();
    std::vector<Expr> rows = surfaces;
    for (const Expr& s : surfaces) {
      for (const auto* symbols : {&model.q, &model.v})
        for (const Expr& symbol : *symbols) rows.push_back(differentiate(s, symbol));
      rows.push_back(differentiate(s, model.t));
    }
    if (!rows.empty()) surfaces_.emplace(program(model, rows));
  }

  std::size_t switches() const { return switches_; }

  /// p = M v, G = f + Ṁ v and their derivatives by q and v.
  struct Forms {
    Vector p, G;
    Matrix p_q, p_v, G_q, G_v;
  };
  void evaluate(double t, const Vector& x, const std::vector<double>& parameters, Forms& to) const {
    const Index n = index(n_);
    Vector out(2 * n + 4 * n * n);
    forms_(&t, x.data(), parameters.data(), nullptr, nullptr, out.data());
    to.p = out.head(n);
    to.G = out.segment(n, n);
    const auto block = [&](Index k) { return Eigen::Map<const Matrix>(out.data() + 2 * n + k * n * n, n, n); };
    to.p_q = block(0);
    to.p_v = block(1);
    to.G_q = block(2);
    to.G_v = block(3);
  }

  /// Values of the switching functions, then per function its derivatives by q, v, t.
  Vector surfaces(double t, const Vector& x, const std::vector<double>& parameters) const {
    Vector out(index(switches_ * (2 * n_ + 2)));
    if (surfaces_) (*surfaces_)(&t, x.data(), parameters.data(), nullptr, nullptr, out.data());
    return out;
  }

 private:
  static std::vector<Expr> forms(const Model& model) {
    const std::size_t n = model.n();
    Graph& graph = *model.graph;
    std::vector<Expr> p;
    std::vector<Expr> G;
    for (std::size_t i = 0; i < n; ++i) {
      Expr momentum = graph.constant(0.0);
      Expr force = model.force[i].expr;
      for (std::size_t j = 0; j < n; ++j) {
        const Expr M = model.mass[i * n + j].expr;
        momentum = momentum + M * model.v[j];
        Expr rate = differentiate(M, model.t);
        for (std::size_t k = 0; k < n; ++k) rate = rate + differentiate(M, model.q[k]) * model.v[k];
        force = force + rate * model.v[j];
      }
      p.push_back(momentum);
      G.push_back(force);
    }
    std::vector<Expr> all = p;
    all.insert(all.end(), G.begin(), G.end());
    for (const auto* roots : {&p, &G})
      for (const auto* symbols : {&model.q, &model.v})
        for (const Expr& symbol : *symbols) {  // by columns
          const std::vector<Expr> column = differentiate(*roots, symbol);
          all.insert(all.end(), column.begin(), column.end());
        }
    return all;
  }

  static Tape<double> program(const Model& model, const std::vector<Expr>& outputs) {
    const auto input = [&](const std::string& name) -> std::optional<InputRef> {
      if (name == model.t.name()) return InputRef{Slot::time, 0};
      for (std::size_t i = 0; i < model.n(); ++i) {
        if (name == model.q[i].name()) return InputRef{Slot::state, static_cast<std::uint32_t>(i)};
        if (name == model.v[i].name()) return InputRef{Slot::state, static_cast<std::uint32_t>(model.n() + i)};
      }
      for (std::size_t i = 0; i < model.parameters.size(); ++i)
        if (name == model.parameters[i].symbol.name()) return InputRef{Slot::parameter, static_cast<std::uint32_t>(i)};
      return std::nullopt;
    };
    return Tape<double>(lower(outputs, input));
  }

  std::size_t n_;
  std::size_t switches_ = 0;
  Tape<double> forms_;
  std::optional<Tape<double>> surfaces_;
};

}  // namespace

class TimeElements::Weak {
 public:
  Weak(const Model& model, const TimeElementOptions& chosen)
      : options(chosen), n(index(model.n())), integrands(model), shape(chosen.degree), gauss(chosen.degree + 6) {}

  Index size() const { return index(options.degree + 1); }
  Index count() const { return index(options.elements * options.degree); }
  Index node(std::size_t element, Index a) const { return (index(element * options.degree) + a) % count(); }

  /// The n × (degree + 1) values of q in an element.
  Matrix local(const Vector& nodes, std::size_t element) const {
    Matrix q(n, size());
    for (Index a = 0; a < size(); ++a) q.col(a) = nodes.segment(node(element, a) * n, n);
    return q;
  }

  Vector state(const Matrix& q, const Shape::At& at, double length) const {
    Vector x(2 * n);
    x << q * at.N, q * at.dN / length;
    return x;
  }

  /// Residual and tangent of one element with free ends.
  struct Element {
    Vector residual;  // (degree + 1) n
    Matrix tangent;
    double size = 0.0;
  };
  Element element(const Vector& nodes, std::size_t j, const std::vector<double>& parameters, double length) const {
    const Matrix q = local(nodes, j);
    const double begin = static_cast<double>(j) * length;
    Element result{Vector::Zero(size() * n), Matrix::Zero(size() * n, size() * n), 0.0};
    std::vector<double> cuts = {0.0};
    for (const Kink& kink : kinks(q, begin, length, parameters)) {
      add_jump(result, q, begin, length, parameters, kink);
      cuts.push_back(kink.theta);
    }
    cuts.push_back(1.0);
    Integrands::Forms forms;
    for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
      const double part = cuts[k + 1] - cuts[k];
      if (part <= 0.0) continue;
      for (std::size_t g = 0; g < gauss.places.size(); ++g) {
        const double theta = cuts[k] + part * gauss.places[g];
        const Shape::At at = shape.at(theta);
        integrands.evaluate(begin + theta * length, state(q, at, length), parameters, forms);
        add(result, at, forms, part * gauss.weights[g] * length, length);
      }
    }
    return result;
  }

  TimeElementOptions options;
  Index n;
  Integrands integrands;
  Shape shape;
  Quadrature gauss;

  struct Kink {
    double theta;
    std::size_t surface;
  };

  /// Where the switching functions vanish inside an element, in order: signs at samples, minima between them, bisection.
  std::vector<Kink> kinks(const Matrix& q, double begin, double length, const std::vector<double>& parameters) const {
    std::vector<Kink> found;
    if (integrands.switches() == 0) return found;
    const auto values = [&](double theta) {
      return integrands.surfaces(begin + theta * length, state(q, shape.at(theta), length), parameters);
    };
    const std::size_t samples = 8 * (options.degree + 1);
    std::vector<Vector> at;
    for (std::size_t i = 0; i <= samples; ++i)
      at.push_back(values(static_cast<double>(i) / static_cast<double>(samples)));
    const auto place = [&](std::size_t i) { return static_cast<double>(i) / static_cast<double>(samples); };
    for (std::size_t s = 0; s < integrands.switches(); ++s) {
      const Index row = index(s);
      const auto root = [&](double lower, double upper, double at_lower) {
        for (int count = 0; count < 60 && upper - lower > 1e-16; ++count) {
          const double middle = 0.5 * (lower + upper);
          const double value = values(middle)[row];
          ((value > 0.0) == (at_lower > 0.0) ? lower : upper) = middle;
        }
        found.push_back({0.5 * (lower + upper), s});
      };
      for (std::size_t i = 0; i < samples; ++i)
        if ((at[i][row] > 0.0) != (at[i + 1][row] > 0.0)) root(place(i), place(i + 1), at[i][row]);
      // Between samples of one sign an extremum towards zero may pass it twice: that of the parabola through three of them.
      for (std::size_t i = 1; i < samples; ++i) {
        const double c = at[i - 1][row];
        const double a = at[i][row];
        const double b = at[i + 1][row];
        const bool one_sign = (a > 0.0) == (c > 0.0) && (a > 0.0) == (b > 0.0);
        const bool inside = std::abs(a) <= std::abs(c) && std::abs(a) <= std::abs(b);
        const bool at_an_end = (i == 1 && std::abs(c) < std::abs(a)) || (i + 1 == samples && std::abs(b) < std::abs(a));
        const double bent = c - 2.0 * a + b;
        if (!one_sign || !(inside || at_an_end) || bent == 0.0) continue;
        const double shift = 0.5 * (c - b) / bent;
        const double extreme = place(i) + shift / static_cast<double>(samples);
        if (!(std::abs(shift) < 1.0)) continue;
        const double there = values(extreme)[row];
        if ((there > 0.0) == (a > 0.0)) continue;
        root(place(i - 1), extreme, c);
        root(extreme, place(i + 1), there);
      }
    }
    std::sort(found.begin(), found.end(), [](const Kink& a, const Kink& b) { return a.theta < b.theta; });
    return found;
  }

 private:
  void add(Element& to, const Shape::At& at, const Integrands::Forms& forms, double weight, double length) const {
    for (Index a = 0; a < size(); ++a) {
      const double N = weight * at.N[a];
      const double dN = weight * at.dN[a] / length;
      const Vector inertia = dN * forms.p;
      const Vector force = N * forms.G;
      to.residual.segment(a * n, n) += inertia + force;
      to.size = std::max({to.size, inertia.cwiseAbs().maxCoeff(), force.cwiseAbs().maxCoeff()});
      for (Index b = 0; b < size(); ++b)
        to.tangent.block(a * n, b * n, n, n) += (at.N[b] * dN) * forms.p_q + (at.dN[b] / length * dN) * forms.p_v +
                                                (at.N[b] * N) * forms.G_q + (at.dN[b] / length * N) * forms.G_v;
    }
  }

  /// A force that jumps at a kink makes the integral depend on where the kink lies: N (G⁻ − G⁺) ∂t/∂q.
  void add_jump(Element& to, const Matrix& q, double begin, double length, const std::vector<double>& parameters,
                const Kink& kink) const {
    const double aside = 1e-9;
    Integrands::Forms before;
    Integrands::Forms after;
    const auto forms = [&](double theta, Integrands::Forms& at) {
      integrands.evaluate(begin + theta * length, state(q, shape.at(theta), length), parameters, at);
    };
    forms(kink.theta - aside, before);
    forms(kink.theta + aside, after);
    const Vector jump = before.G - after.G;
    if (jump.cwiseAbs().maxCoeff() <= 1e-6 * (1.0 + before.G.cwiseAbs().maxCoeff())) return;
    const Shape::At at = shape.at(kink.theta);
    const Vector x = state(q, at, length);
    const Vector all = integrands.surfaces(begin + kink.theta * length, x, parameters);
    const Vector row =
        all.segment(index(integrands.switches() + kink.surface * static_cast<std::size_t>(2 * n + 1)), 2 * n + 1);
    const Vector acceleration = q * at.ddN / (length * length);
    const double speed = row.head(n).dot(x.tail(n)) + row.segment(n, n).dot(acceleration) + row[2 * n];
    if (speed == 0.0) return;
    for (Index a = 0; a < size(); ++a)
      for (Index b = 0; b < size(); ++b)
        to.tangent.block(a * n, b * n, n, n) -=
            at.N[a] * jump * (at.N[b] * row.head(n) + at.dN[b] / length * row.segment(n, n)).transpose() / speed;
  }
};

TimeElements::TimeElements(const Model& model, const TimeElementOptions& options) {
  if (!model.contacts.empty())
    throw usage(
        fmt::format("time finite elements take no contacts, and the model has '{}'\n"
                    "  an impact is a jump of the velocity that no polynomial follows; use --method shooting",
                    model.contacts.front().name));
  if (!model.states.empty())
    throw usage(
        fmt::format("time finite elements are made for mechanics, and the model has the first-order state '{}'\n"
                    "  use --method shooting",
                    model.states.front()));
  if (!model.forcing_period)
    throw usage(
        "time finite elements need the period of the motion, and the model has no [forcing]\n"
        "  use --method shooting, which finds the period too");
  if (options.elements < 1 || options.elements > 10'000)
    throw usage(
        fmt::format("--elements {} is out of range\n  expected a whole number from 1 to 10000", options.elements));
  if (options.degree < 1 || options.degree > 12)
    throw usage(fmt::format("--degree {} is out of range\n  expected a whole number from 1 to 12", options.degree));
  if (options.periods < 1) throw usage(fmt::format("--period {} is no period\n  expected 1 or more", options.periods));
  weak_ = std::make_unique<Weak>(model, options);
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
  const Weak& weak = *weak_;
  const double length = period * static_cast<double>(weak.options.periods) / static_cast<double>(weak.options.elements);
  Value result{Vector::Zero(unknowns()), Matrix::Zero(unknowns(), unknowns()), 0.0};
  for (std::size_t j = 0; j < weak.options.elements; ++j) {
    const Weak::Element element = weak.element(nodes, j, parameters, length);
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
  const Weak& weak = *weak_;
  const Index n = weak.n;
  TimeElementOrbit result;
  result.nodes = nodes;
  result.period = period * static_cast<double>(weak.options.periods);
  const double length = result.period / static_cast<double>(weak.options.elements);
  std::vector<TangentFactor> factors;
  Matrix product = Matrix::Identity(2 * n, 2 * n);
  for (std::size_t j = 0; j < weak.options.elements; ++j) {
    const Weak::Element element = weak.element(nodes, j, parameters, length);
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
    Integrands::Forms forms;
    Vector x = weak.state(weak.local(nodes, 0), weak.shape.at(0.0), length);
    weak.integrands.evaluate(0.0, x, parameters, forms);
    x.tail(n) = LuFactors(forms.p_v).solve(p);
    result.x = x;
  }
  Integrands::Forms forms;
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
  const Weak& weak = *weak_;
  const auto elements = static_cast<double>(weak.options.elements);
  const double at = (place - std::floor(place)) * elements;
  const std::size_t j = std::min(static_cast<std::size_t>(at), weak.options.elements - 1);
  const double length = period * static_cast<double>(weak.options.periods) / elements;
  return weak.state(weak.local(nodes, j), weak.shape.at(at - static_cast<double>(j)), length);
}

std::vector<TimeElements::Passing> TimeElements::passings(const Vector& nodes, const std::vector<double>& parameters,
                                                          double period) const {
  const Weak& weak = *weak_;
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
