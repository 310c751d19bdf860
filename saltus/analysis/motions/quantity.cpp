#include "saltus/analysis/motions/quantity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/kernel/piecewise.hpp"
#include "saltus/model/switches.hpp"

namespace saltus {
namespace {

using Index = Eigen::Index;

/// The functions that decide within w, innermost first: arguments have smaller numbers than what is made of them.
std::vector<Expr> guards_of(Expr w, const Model& model) {
  const std::vector<Expr> variables = variables_of(model);
  const Expr roots[] = {w};
  std::vector<std::uint32_t> ids = reachable(roots);
  std::sort(ids.begin(), ids.end());
  std::vector<Expr> guards;
  for (const std::uint32_t id : ids) {
    const auto s = deciding_function(model.graph->at(id));
    if (!s || std::none_of(variables.begin(), variables.end(), [&](const Expr& v) { return depends_on(*s, v); }))
      continue;
    const Expr surface = oriented_surface(*s, variables);
    if (std::find(guards.begin(), guards.end(), surface) == guards.end()) guards.push_back(surface);
  }
  return guards;
}

}  // namespace

ObservedQuantity::ObservedQuantity(Expr w, const Model& model) : observables_{w} {
  const std::vector<Expr> guards = guards_of(w, model);
  observables_.insert(observables_.end(), guards.begin(), guards.end());
  for (const Expr& guard : guards) {
    const auto same =
        std::find_if(model.switches.begin(), model.switches.end(), [&](const auto& each) { return each.s == guard; });
    switches_.push_back(same == model.switches.end()
                            ? std::nullopt
                            : std::optional(static_cast<std::size_t>(same - model.switches.begin())));
    sides_.push_back(observables_.size());
    if (!switches_.back()) continue;
    const Expr sign = model.graph->symbol("σ");  // no name of a model
    const std::vector<Expr> by_sign = branches_by_sign({w}, {guard}, {sign});
    for (const double value : {1.0, -1.0}) observables_.push_back(with_sign(by_sign, sign, value).front());
  }
}

double QuantityPath::between_sides(double t, const Vector& x, const Mode& mode, const Vector& seen,
                                   std::size_t guard) const {
  const double weight = mechanism_.field(t, x, mode).weight[static_cast<Index>(*quantity_.model_switch(guard))];
  const auto side = static_cast<Index>(quantity_.side(guard));
  return weight * seen[side] + (1.0 - weight) * seen[side + 1];
}

void QuantityPath::cut(const PathPiece& piece, const SmoothParts::Sink& sink) {
  if (!(piece.length > 0.0)) return;
  std::vector<char> slid(quantity_.guards(), 0);
  std::vector<std::size_t> slides;
  for (std::size_t g = 0; g < slid.size(); ++g) {
    const auto k = quantity_.model_switch(g);
    slid[g] = k && piece.mode.slides_alone(*k) ? 1 : 0;
    if (slid[g]) slides.push_back(g);
  }
  const auto look = [&](double t, const Vector& x, std::vector<double>& values) {
    const Vector seen = mechanism_.observe(t, x);
    for (std::size_t r = 0; r < values.size(); ++r) values[r] = seen[static_cast<Index>(r)];
    if (slides.size() == 1) values[0] = between_sides(t, x, piece.mode, seen, slides.front());
    // The model does not say what w is between the four sides of two switches.
    if (slides.size() > 1) values[0] = std::numeric_limits<double>::quiet_NaN();
  };
  Vector x;
  const auto rows = [&](double theta, std::vector<double>& values) {
    piece.place(theta, x);
    look(piece.t + theta * piece.length, x, values);
  };
  const auto rounding = [&] {
    constexpr double part = 0.4637;  // any place inside
    constexpr double apart = 1e-14;
    const double t = piece.t + part * piece.length;
    piece.place(part, x);
    std::vector<double> here(slid.size() + 1), beside(here), sum(here.size(), 0.0);
    look(t, x, here);
    const auto add = [&](double time, const Vector& state) {
      look(time, state, beside);
      for (std::size_t r = 0; r < sum.size(); ++r) sum[r] += std::abs(beside[r] - here[r]);
    };
    add(t * (1.0 + apart), x);
    for (Index i = 0; i < x.size(); ++i) {
      Vector moved = x;
      moved[i] *= 1.0 + apart;
      add(t, moved);
    }
    // The mean of two sides may cancel whatever the state is.
    if (slides.size() == 1) {
      const Vector seen = mechanism_.observe(t, x);
      const auto side = static_cast<Index>(quantity_.side(slides.front()));
      sum[0] += apart * (std::abs(seen[side]) + std::abs(seen[side + 1]));
    }
    return sum;
  };
  parts_.cut(piece.length, rows, rounding, slid, sink);
}

}  // namespace saltus
