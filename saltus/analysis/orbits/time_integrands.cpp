#include "saltus/analysis/orbits/time_integrands.hpp"

#include "saltus/expr/differentiate.hpp"

namespace saltus {

TimeIntegrands::TimeIntegrands(const Model& model) : n_(model.n()), forms_(program(model, forms(model))) {
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

void TimeIntegrands::evaluate(double t, const Vector& x, const std::vector<double>& parameters, Forms& to) const {
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

Vector TimeIntegrands::surfaces(double t, const Vector& x, const std::vector<double>& parameters) const {
  Vector out(index(switches_ * (2 * n_ + 2)));
  if (surfaces_) (*surfaces_)(&t, x.data(), parameters.data(), nullptr, nullptr, out.data());
  return out;
}

std::vector<Expr> TimeIntegrands::forms(const Model& model) {
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

Tape<double> TimeIntegrands::program(const Model& model, const std::vector<Expr>& outputs) {
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

}  // namespace saltus
