#include "saltus/analysis/hill/hill_bounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "saltus/analysis/hill/hill_step.hpp"
#include "saltus/expr/differentiate.hpp"
#include "saltus/expr/substitute.hpp"
#include "saltus/kernel/disc_bounds.hpp"
#include "saltus/kernel/enclosure.hpp"
#include "saltus/kernel/narrow_features.hpp"
#include "saltus/numerics/sign_changes.hpp"

namespace saltus {
namespace {

/// An interval as an enclosure reads it.
std::array<double, 2> middle_and_radius(double from, double to) {
  const double middle = 0.5 * (from + to);
  return {middle, std::nextafter(std::max(to - middle, middle - from), INFINITY)};
}

Bounds bounds_of(double middle, double radius) {
  if (std::isnan(middle) || std::isnan(radius)) return {-INFINITY, INFINITY};
  return {middle - radius, middle + radius};
}

/// s of all switches, then ṡ, then s̈.
ExprVector switch_jets(HillGraph& graph, const Model& mechanics) {
  const Expr t = graph.input(Slot::time, 0);
  ExprVector jets;
  for (const Switch& each : mechanics.switches) jets.push_back(graph.now(each.s));
  const std::size_t count = jets.size();
  for (std::size_t i = 0; i < 2 * count; ++i) jets.push_back(differentiate(jets[i], t));
  return jets;
}

/// g with every choice taken by the sides of the switches: of the force −ḡ x − a ẋ.
Expr pieced_stiffness(HillGraph& graph, const Model& model, const Model& mechanics) {
  Expr g = graph.now(-differentiate(mechanics.pieced_force.front(), mechanics.q.front()));
  ExprVector sides, inputs;
  for (std::size_t k = 0; k < mechanics.switches.size(); ++k) {
    sides.push_back(graph.now(mechanics.switches[k].side));
    inputs.push_back(graph.input(Slot::mode, k));
  }
  g = substitute(g, sides, inputs);
  return model.hill->damping ? g - 0.25 * pow(graph.now(model.hill->damping->expr), 2) : g;
}

}  // namespace

HillBounds::HillBounds(const Model& model, const Model& mechanics) : surfaces_(mechanics.switches.size()) {
  using Open = EnclosedOutput::Open;
  HillGraph graph(mechanics);
  const ExprVector stiffness = {pieced_stiffness(graph, model, mechanics)};
  const EnclosedOutput whole[] = {{0, Open::never, 0}};
  const Program program = lower(stiffness, input_of);
  std::vector<NamedProgram> programs = {{"stiffness", enclosure_of(program, whole)}};
  const bool may_hide = may_have_narrow_features(program).front();
  if (may_hide) programs.push_back({"discs", disc_bounds_of(program)});
  if (surfaces_ > 0) {
    const ExprVector jets = switch_jets(graph, mechanics);
    std::vector<EnclosedOutput> all;
    for (std::size_t i = 0; i < surfaces_; ++i) all.push_back({i, Open::never, i});
    for (std::size_t i = 0; i < surfaces_; ++i) all.push_back({surfaces_ + i, Open::at_jumps, i});
    for (std::size_t i = 0; i < surfaces_; ++i) all.push_back({2 * surfaces_ + i, Open::at_jumps_and_kinks, i});
    programs.push_back({"bounds", enclosure_of(lower(jets, input_of), all)});
    const ExprVector values(jets.begin(), jets.begin() + static_cast<std::ptrdiff_t>(2 * surfaces_));
    programs.push_back({"switches", lower(values, input_of)});
    for (std::size_t i = 0; i < mechanics.parameters.size(); ++i)
      if (std::any_of(jets.begin(), jets.end(), [&](Expr s) { return depends_on(s, graph.input(Slot::parameter, i)); }))
        switch_parameters_.push_back(i);
  }
  code_.emplace_back(programs, std::span<const NamedLoop>{}, 1U, Processor::host, Effort::fast_compilation);
  stiffness_bounds_ = code_[0].kernel("stiffness");
  if (may_hide) stiffness_discs_ = code_[0].kernel("discs");
  if (surfaces_ == 0) return;
  switches_ = code_[0].kernel("switches");
  switches_bounds_ = code_[0].kernel("bounds");
}

HillBounds::Instants HillBounds::switching_instants(std::span<const double> p, double start, double end) const {
  Instants result;
  std::vector<double> values(2 * surfaces_), out(6 * surfaces_);
  const auto value = [&](double t, std::size_t i) {
    switches_(&t, nullptr, p.data(), nullptr, nullptr, values.data());
    return values[i];
  };
  for (std::size_t k = 0; k < surfaces_; ++k) {
    const auto bounds = [&](double from, double to) {
      const auto t = middle_and_radius(from, to);
      switches_bounds_(t.data(), nullptr, p.data(), nullptr, nullptr, out.data());
      const auto of = [&](std::size_t i) { return bounds_of(out[2 * i], out[2 * i + 1]); };
      return JetBounds{of(k), of(surfaces_ + k), of(2 * surfaces_ + k)};
    };
    const bool whole =
        add_sign_changes([&](double t) { return value(t, k); }, [&](double t) { return value(t, surfaces_ + k); },
                         bounds, start, end, result.t);
    result.complete = result.complete && whole;
  }
  std::sort(result.t.begin(), result.t.end());
  return result;
}

std::vector<double> HillBounds::sides(std::span<const double> p, double t) const {
  std::vector<double> values(2 * surfaces_);
  if (surfaces_ > 0) switches_(&t, nullptr, p.data(), nullptr, nullptr, values.data());
  std::vector<double> sides;
  for (std::size_t k = 0; k < surfaces_; ++k) sides.push_back(values[k] < 0.0 ? -1.0 : 1.0);
  return sides;
}

double HillBounds::largest_stiffness(std::span<const double> p, const std::vector<double>& sides, double from,
                                     double to) const {
  const auto t = middle_and_radius(from, to);
  std::array<double, 2> g{};
  stiffness_bounds_(t.data(), nullptr, p.data(), sides.data(), nullptr, g.data());
  return g[0] + g[1];
}

// By Cauchy's estimate: if g stays within r of a number for complex times up to ρ times as far from the middle as the ends, all that it has
// beside a polynomial of degree 15 is at most r ρ⁻¹⁶/(1 − 1/ρ).
bool HillBounds::is_seen(std::span<const double> p, const std::vector<double>& sides, double from, double to,
                         double pace) const {
  constexpr double permitted = 1e-13;
  const double half = 0.5 * (to - from);
  std::array<double, 3> g{};  // middle, radius, analytic
  for (const double rho : {10.0, 5.0, 3.0}) {
    const std::array<double, 2> t = {from + half, rho * half};
    stiffness_discs_(t.data(), nullptr, p.data(), sides.data(), nullptr, g.data());
    const double tail = std::pow(rho, -16) / (1.0 - 1.0 / rho);
    if (g[2] == 1.0 && tail * g[1] <= permitted * std::max(std::abs(g[0]), pace * pace)) return true;
  }
  const std::array<double, 2> t = {from + half, half};
  stiffness_discs_(t.data(), nullptr, p.data(), sides.data(), nullptr, g.data());
  return 4.0 * g[1] * half <= permitted * pace;
}

}  // namespace saltus
