#include "saltus/kernel/equations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <unordered_set>

#include "saltus/expr/differentiate.hpp"
#include "saltus/expr/substitute.hpp"
#include "saltus/kernel/angle_sums.hpp"
#include "saltus/kernel/coupling.hpp"
#include "saltus/kernel/delassus.hpp"
#include "saltus/kernel/inputs.hpp"
#include "saltus/kernel/piecewise.hpp"
#include "saltus/model/domain.hpp"

namespace saltus {
namespace {

ExprVector concatenated(std::initializer_list<ExprVector> parts) {
  ExprVector all;
  for (const ExprVector& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// One direction of differentiation: a sum of weighted partial derivatives.
struct Direction {
  ExprVector symbols;
  ExprVector weights;
};

/// ∂(roots) along a direction with constant weights.
ExprVector along(const ExprVector& roots, const Direction& direction) {
  if (roots.empty()) return {};
  Graph& graph = roots.front().graph();
  ExprVector result(roots.size(), graph.constant(0.0));
  for (std::size_t j = 0; j < direction.symbols.size(); ++j) {
    const ExprVector partial = differentiate(roots, direction.symbols[j]);
    for (std::size_t i = 0; i < roots.size(); ++i) result[i] = result[i] + direction.weights[j] * partial[i];
  }
  return result;
}

/// Builds the expressions of one model. The members are the symbols and shared pieces of docs/theory.md.
class Builder {
 public:
  Builder(const Model& model, const KernelOptions& options)
      : graph_(std::make_shared<Graph>()), zero_(graph_->constant(0.0)), one_(graph_->constant(1.0)) {
    layout_.n = model.n();
    layout_.first_order = model.states.size();
    layout_.contacts = model.contacts.size();
    layout_.switches = model.switches.size();
    layout_.parameters = model.parameters.size();
    layout_.surfaces = options.surfaces.size();
    layout_.observables = options.observables.size();
    layout_.state_columns = options.state_columns.value_or(layout_.N());
    layout_.varied = options.varied;
    make_symbols();
    make_followers(model, options);
    import(model, options);
    factorise();
    for (std::size_t i = 0; i < layout_.contacts; ++i) resolve_restitution(model, i);
    couple();
  }

  Equations finished() {
    add("field", rate(free_));
    add("field_tangent", with_tangent(free_));
    add("sliding", concatenated({rate(closed_), closed_.force, closed_.weight}));
    add("sliding_tangent", concatenated({with_tangent(closed_), closed_.force, closed_.weight}));
    layout_.mass_varies = !smallest_pivot().is_constant();
    add("events", event_outputs());
    add("contact", contact_outputs());
    add("impact", impact_outputs());
    add("jets", jet_outputs());
    add("observe", observables_);
    add("energy", energy_outputs());
    add("divergence", {divergence()});
    std::vector<ExprVector*> outputs;
    for (Equations::Named& kernel : kernels_) outputs.push_back(&kernel.outputs);
    share_sines(concatenated({closed_.acceleration, closed_.first_order}), outputs);
    return {graph_,
            layout_,
            std::move(kernels_),
            event_jets(),
            M_,
            f_,
            r_,
            stacked(pushes_f_, pushes_r_),
            stacked(rows_v_, rows_z_),
            drift_,
            own_responses()};
  }

 private:
  /// An acceleration with its rates and contact forces: the motion in a mode.
  struct Motion {
    ExprVector acceleration;  // v̇
    ExprVector first_order;   // ż
    ExprVector force;         // λ; empty without contacts
    ExprVector weight;        // w of the Filippov switches
  };

  void add(const std::string& name, ExprVector outputs) { kernels_.push_back({name, std::move(outputs)}); }

  ExprVector symbols(Slot slot, std::size_t first, std::size_t count) const {
    ExprVector result;
    for (std::size_t i = 0; i < count; ++i)
      result.push_back(graph_->symbol(input_name({slot, static_cast<std::uint32_t>(first + i)})));
    return result;
  }

  ExprVector placeholders(const std::string& stem, std::size_t count) const {
    ExprVector result;
    for (std::size_t i = 0; i < count; ++i) result.push_back(graph_->symbol(fmt::format("#{}{}", stem, i)));
    return result;
  }

  void make_symbols() {
    const Layout& l = layout_;
    t_ = symbols(Slot::time, 0, 1).front();
    q_ = symbols(Slot::state, 0, l.n);
    v_ = symbols(Slot::state, l.n, l.n);
    z_ = symbols(Slot::state, 2 * l.n, l.first_order);
    x_ = concatenated({q_, v_, z_});
    p_ = symbols(Slot::parameter, 0, l.parameters);
    masks_ = symbols(Slot::mode, l.contact_mask(0), l.contacts);
    signs_ = symbols(Slot::mode, l.sign(0), l.switches);
    filippov_ = symbols(Slot::mode, l.filippov_mask(0), l.switches);
    elasticity_ = symbols(Slot::mode, l.elasticity(0), l.contacts);
  }

  /// Parameters whose expression contains a varied one, directly or through others, move with it.
  void make_followers(const Model& model, const KernelOptions& options) {
    for (std::size_t c = 0; c < layout_.varied.size(); ++c) {
      std::vector<bool> moves(model.parameters.size(), false);
      moves[layout_.varied[c]] = true;
      Direction direction{{p_[layout_.varied[c]]}, {one_}};
      for (std::size_t j = layout_.varied[c] + 1; j < model.parameters.size(); ++j) {
        if (!options.followed.empty() && !options.followed[j]) continue;
        for (std::size_t i = 0; i < j; ++i)
          if (moves[i] && depends_on(model.parameters[j].value, model.parameters[i].symbol)) moves[j] = true;
        if (!moves[j]) continue;
        const std::size_t index = layout_.parameter_inputs();
        layout_.followers.push_back({c, j});
        direction.symbols.push_back(p_[j]);
        direction.weights.push_back(symbols(Slot::parameter, index, 1).front());
      }
      varied_.push_back(std::move(direction));
    }
  }

  /// Everything the kernels need from the model, rebuilt with the kernels' symbols.
  void import(const Model& model, const KernelOptions& options) {
    const auto bare = [](const std::vector<Located>& located) {
      ExprVector result;
      for (const Located& item : located) result.push_back(item.expr);
      return result;
    };
    ExprVector gaps;
    ExprVector restitutions;
    ExprVector switches;
    for (const Contact& contact : model.contacts) gaps.push_back(contact.gap.expr);
    for (const Contact& contact : model.contacts) restitutions.push_back(contact.restitution.expr);
    for (const Switch& s : model.switches) switches.push_back(s.s);
    M_ = translated(model, bare(model.mass));
    h_ = translated(model, gaps);
    restitution_ = translated(model, restitutions);
    s_ = translated(model, switches);
    surfaces_ = translated(model, options.surfaces);
    observables_ = translated(model, options.observables);
    f_ = translated(model, model.pieced_force);
    r_ = translated(model, model.pieced_rates);
    // A switching function may be piecewise itself, by other switches: within a mode it is smooth as well.
    s_ = branches_by_sign(s_, s_, signs_);
    if (!s_.empty()) {
      const std::vector<std::uint32_t> ids = reachable(s_);
      const std::unordered_set<std::uint32_t> inside(ids.begin(), ids.end());
      for (const Expr& sign : signs_) layout_.nested_switches = layout_.nested_switches || inside.contains(sign.id());
    }
    layout_.roots = has_root_of_a_size(model.pieced_force) || has_root_of_a_size(model.pieced_rates);
  }

  ExprVector translated(const Model& model, const ExprVector& roots) const {
    if (roots.empty()) return {};
    ExprVector from = {model.t};
    ExprVector to = {t_};
    const auto pair = [&](const ExprVector& theirs, const ExprVector& ours) {
      from.insert(from.end(), theirs.begin(), theirs.end());
      to.insert(to.end(), ours.begin(), ours.end());
    };
    pair(model.q, q_);
    pair(model.v, v_);
    pair(model.z, z_);
    for (std::size_t i = 0; i < model.parameters.size(); ++i) pair({model.parameters[i].symbol}, {p_[i]});
    for (std::size_t k = 0; k < model.switches.size(); ++k) pair({model.switches[k].side}, {signs_[k]});
    return substitute(roots, *graph_, [&](Expr e) -> std::optional<Expr> {
      const auto found = std::find(from.begin(), from.end(), e);
      if (found == from.end()) return std::nullopt;
      return to[static_cast<std::size_t>(found - from.begin())];
    });
  }

  /// e and ∂(e w)/∂w of an impact from this state, w = −γ. A contact that leaves has the e of the slowest impacts, and there the law,
  /// which need not have a value for w < 0 nor a derivative at 0, is not computed with.
  void resolve_restitution(const Model& model, std::size_t i) {
    slope_.push_back(restitution_[i]);
    by_speed_.push_back(model.contacts[i].by_speed.has_value());
    if (!by_speed_[i]) return;
    layout_.restitution_by_speed = true;
    const Expr e = translated(model, {model.contacts[i].by_speed->expr}).front();
    const Expr w = graph_->symbol("approach");
    const Expr slope = e + w * differentiate(e, w);
    const auto at_speed = [&](Expr law) {
      const Expr from[] = {w};
      const Expr to[] = {-gamma_[i]};
      return select(apply(Op::positive, -gamma_[i]), substitute(law, from, to), restitution_[i]);
    };
    slope_[i] = at_speed(slope);
    restitution_[i] = at_speed(e);
  }

  /// kᵢ eᵢ. Of a contact that is not struck, or not elastic, the law is not asked: 0 · ∞ would spoil the others.
  Expr elastic_part(std::size_t i) const {
    if (!by_speed_[i]) return elasticity_[i] * restitution_[i];
    return select(apply(Op::positive, elasticity_[i] * masks_[i]), restitution_[i], zero_);
  }

  /// γ, n, κ of the contacts, the factors of M and the free motion.
  void factorise() {
    const std::size_t n = layout_.n;
    for (const Expr& h : h_) {
      ExprVector normal;
      for (const Expr& q : q_) normal.push_back(differentiate(h, q));
      const Expr gamma = n == 0 ? differentiate(h, t_) : dot(normal, v_) + differentiate(h, t_);
      Expr kappa = differentiate(gamma, t_);
      for (std::size_t j = 0; j < n; ++j) kappa = kappa + differentiate(gamma, q_[j]) * v_[j];
      normal_.push_back(std::move(normal));
      gamma_.push_back(gamma);
      kappa_.push_back(kappa);
    }
    M_factors_.emplace(ExprMatrix(n, M_));
    free_.acceleration = M_factors_->solve(f_);
    free_.first_order = r_;
  }

  /// The closed contacts' forces λ and the Filippov weights w, by the masked Schur complement of docs/theory.md, "Contact kept".
  void couple() {
    const std::size_t m = layout_.contacts;
    for (std::size_t i = 0; i < m; ++i) {
      rows_v_.push_back(normal_[i]);
      rows_z_.push_back(ExprVector(layout_.first_order, zero_));
      pushes_f_.push_back(normal_[i]);
      pushes_r_.push_back(ExprVector(layout_.first_order, zero_));
      drift_.push_back(kappa_[i]);
      coupling_masks_.push_back(masks_[i]);
    }
    const Jumps jumps_f(f_, signs_);
    const Jumps jumps_r(r_, signs_);
    for (std::size_t k = 0; k < layout_.switches; ++k) add_filippov(k, jumps_f, jumps_r);
    for (const ExprVector& push : pushes_f_) responses_.push_back(M_factors_->solve(push));
    const std::size_t size = drift_.size();
    coupling_.emplace(coupling_masks_, joined(rows_v_, rows_z_), joined(responses_, pushes_r_),
                      [&](std::size_t i, std::size_t j) { return delassus(i, j); });
    if (size == 0) {
      closed_ = free_;
      return;
    }
    const ExprVector unknowns = multipliers(free_.acceleration, free_.first_order, drift_);
    closed_ = pushed(free_.acceleration, free_.first_order, unknowns);
  }

  /// The switch's row s_v v̇ + s_z ż + (s_q v + s_t) = 0 and the jump of force and rates across it, which w scales.
  void add_filippov(std::size_t k, const Jumps& jumps_f, const Jumps& jumps_r) {
    const auto gradient = [&](const ExprVector& symbols) {
      ExprVector result;
      for (const Expr& symbol : symbols) result.push_back(differentiate(s_[k], symbol));
      return result;
    };
    rows_v_.push_back(gradient(v_));
    rows_z_.push_back(gradient(z_));
    pushes_f_.push_back(jumps_f.across(k));
    pushes_r_.push_back(jumps_r.across(k));
    drift_.push_back(product(gradient(q_), v_) + differentiate(s_[k], t_));
    coupling_masks_.push_back(filippov_[k]);
  }

  /// What row i gains by a unit of the multiplier j.
  Expr delassus(std::size_t i, std::size_t j) const {
    return product(rows_v_[i], responses_[j]) + product(rows_z_[i], pushes_r_[j]);
  }

  static std::vector<ExprVector> joined(const std::vector<ExprVector>& of_v, const std::vector<ExprVector>& of_z) {
    std::vector<ExprVector> all;
    for (std::size_t u = 0; u < of_v.size(); ++u) all.push_back(concatenated({of_v[u], of_z[u]}));
    return all;
  }

  Expr product(const ExprVector& a, const ExprVector& b) const { return a.empty() ? zero_ : dot(a, b); }

  /// What the rows lack, −(row·v̇ + row·ż + drift), turned into multipliers.
  ExprVector multipliers(const ExprVector& acceleration, const ExprVector& first_order, const ExprVector& drift) const {
    ExprVector lack;
    for (std::size_t i = 0; i < drift.size(); ++i) {
      const Expr excess = product(rows_v_[i], acceleration) + product(rows_z_[i], first_order) + drift[i];
      lack.push_back(-(coupling_masks_[i] * excess));
    }
    return coupling_->solve(lack);
  }

  Motion pushed(const ExprVector& acceleration, const ExprVector& first_order, const ExprVector& unknowns) const {
    Motion motion{acceleration, first_order, {}, {}};
    for (std::size_t u = 0; u < unknowns.size(); ++u) {
      for (std::size_t i = 0; i < layout_.n; ++i)
        motion.acceleration[i] = motion.acceleration[i] + responses_[u][i] * unknowns[u];
      for (std::size_t i = 0; i < layout_.first_order; ++i)
        motion.first_order[i] = motion.first_order[i] + pushes_r_[u][i] * unknowns[u];
      (u < layout_.contacts ? motion.force : motion.weight).push_back(unknowns[u]);
    }
    for (Expr& a : motion.acceleration) a = hold(a);
    for (Expr& r : motion.first_order) r = hold(r);
    return motion;
  }

  ExprVector rate(const Motion& motion) const { return concatenated({v_, motion.acceleration, motion.first_order}); }

  /// ẋ, δv̇ and δż of all columns. The acceleration, forces and weights enter the residuals
  ///   f + Σ λᵢ nᵢ + Σ w D − M v̇,   r + Σ w E,   row·v̇ + row·ż + drift
  /// as placeholders, so that M ∂v̇ = ∂f − ∂M v̇ + … and nothing is differentiated through the elimination.
  ExprVector with_tangent(const Motion& motion) const {
    const Linearisation linear = linearised(motion);
    const ExprVector X = symbols(Slot::tangent, 0, layout_.N() * layout_.columns());
    ExprVector accelerations;
    ExprVector first_order;
    for (std::size_t c = 0; c < layout_.columns(); ++c) {
      ExprVector column;
      for (std::size_t i = 0; i < layout_.N(); ++i) column.push_back(X[layout_.tangent(i, c)]);
      const Motion moved = tangent_column(linear, column, c);
      accelerations.insert(accelerations.end(), moved.acceleration.begin(), moved.acceleration.end());
      first_order.insert(first_order.end(), moved.first_order.begin(), moved.first_order.end());
    }
    return concatenated({rate(motion), accelerations, first_order});
  }

  /// Partial derivatives of the three residuals: by component of x, then by varied parameter.
  struct Linearisation {
    std::vector<ExprVector> force, first_order, drift;
    bool coupled = false;
  };

  Linearisation linearised(const Motion& motion) const {
    const bool coupled = !motion.force.empty() || !motion.weight.empty();
    const ExprVector acceleration = placeholders("a", layout_.n);
    const ExprVector first_order = placeholders("r", layout_.first_order);
    const ExprVector unknowns = placeholders("u", coupled ? drift_.size() : 0);
    ExprVector residuals = f_;
    for (std::size_t i = 0; i < layout_.n; ++i)
      for (std::size_t j = 0; j < layout_.n; ++j) residuals[i] = residuals[i] - M_[i * layout_.n + j] * acceleration[j];
    ExprVector rates = r_;
    for (std::size_t u = 0; u < unknowns.size(); ++u) {
      for (std::size_t i = 0; i < layout_.n; ++i) residuals[i] = residuals[i] + pushes_f_[u][i] * unknowns[u];
      for (std::size_t i = 0; i < rates.size(); ++i) rates[i] = rates[i] + pushes_r_[u][i] * unknowns[u];
    }
    ExprVector drift;
    for (std::size_t u = 0; u < unknowns.size(); ++u)
      drift.push_back(product(rows_v_[u], acceleration) + product(rows_z_[u], first_order) + drift_[u]);
    const ExprVector values = concatenated({motion.acceleration, motion.first_order, motion.force, motion.weight});
    const ExprVector names = concatenated({acceleration, first_order, unknowns});
    const auto partials = [&](const ExprVector& roots) {
      std::vector<ExprVector> result;
      for (const Expr& x : x_) result.push_back(filled(differentiate(roots, x), names, values));
      for (const Direction& direction : varied_) result.push_back(filled(along(roots, direction), names, values));
      return result;
    };
    return {partials(residuals), partials(rates), partials(drift), coupled};
  }

  /// The roots with placeholders replaced by what they stand for; held, as every column uses them.
  ExprVector filled(const ExprVector& roots, const ExprVector& names, const ExprVector& values) const {
    if (roots.empty()) return {};
    ExprVector result = substitute(roots, *graph_, [&](Expr e) -> std::optional<Expr> {
      const auto found = std::find(names.begin(), names.end(), e);
      if (found == names.end()) return std::nullopt;
      return values[static_cast<std::size_t>(found - names.begin())];
    });
    for (Expr& e : result) e = hold(e);
    return result;
  }

  /// Σ_j partial_j δx_j (+ the parameter's own partial in its column).
  ExprVector directional(const std::vector<ExprVector>& partials, const ExprVector& column, std::size_t c) const {
    const std::size_t size = partials.empty() ? 0 : partials.front().size();
    ExprVector result;
    for (std::size_t i = 0; i < size; ++i) {
      ExprVector terms;
      for (std::size_t j = 0; j < layout_.N(); ++j) terms.push_back(partials[j][i] * column[j]);
      if (c >= layout_.state_columns) terms.push_back(partials[layout_.N() + c - layout_.state_columns][i]);
      result.push_back(graph_->sum(terms));
    }
    return result;
  }

  /// δv̇ and δż of one column.
  Motion tangent_column(const Linearisation& linear, const ExprVector& column, std::size_t c) const {
    const ExprVector acceleration = M_factors_->solve(directional(linear.force, column, c));
    const ExprVector first_order = directional(linear.first_order, column, c);
    if (!linear.coupled) return {acceleration, first_order, {}, {}};
    const ExprVector unknowns = multipliers(acceleration, first_order, directional(linear.drift, column, c));
    return pushed(acceleration, first_order, unknowns);
  }

  /// Values, first rates and, for gaps, second rates along a given ẋ (in the place of the first tangent column).
  ExprVector event_outputs() const {
    const ExprVector x_dot = symbols(Slot::tangent, 0, layout_.N());
    const auto rate_of = [&](Expr e) {
      Expr rate = differentiate(e, t_);
      for (std::size_t j = 0; j < x_.size(); ++j) rate = rate + differentiate(e, x_[j]) * x_dot[j];
      return rate;
    };
    ExprVector out = concatenated({h_, s_, surfaces_, gamma_});
    for (const Expr& s : concatenated({s_, surfaces_})) out.push_back(rate_of(s));
    for (const Expr& gamma : gamma_) out.push_back(rate_of(gamma));
    out.push_back(smallest_pivot());
    return out;
  }

  /// g, ġ = g_x ẋ + g_t and g̈ = ∂ġ/∂x ẋ + ∂ġ/∂t + g_x ẍ of all event functions. No field in it: x(t) may be any curve.
  ExprVector event_jets() const {
    const std::size_t N = layout_.N();
    const ExprVector x_dot = symbols(Slot::tangent, 0, N);
    const ExprVector x_ddot = symbols(Slot::tangent, N, N);
    const ExprVector values = concatenated({h_, s_, surfaces_});
    ExprVector rates;
    ExprVector seconds;
    for (const Expr& g : values) {
      ExprVector gradient;
      for (const Expr& x : x_) gradient.push_back(differentiate(g, x));
      const Expr rate = differentiate(g, t_) + product(gradient, x_dot);
      Expr second = differentiate(rate, t_) + product(gradient, x_ddot);
      for (std::size_t j = 0; j < N; ++j) second = second + differentiate(rate, x_[j]) * x_dot[j];
      rates.push_back(rate);
      seconds.push_back(second);
    }
    return concatenated({values, rates, seconds});
  }

  static ExprVector stacked(const std::vector<ExprVector>& of_v, const std::vector<ExprVector>& of_z) {
    ExprVector all;
    for (std::size_t u = 0; u < of_v.size(); ++u) {
      all.insert(all.end(), of_v[u].begin(), of_v[u].end());
      all.insert(all.end(), of_z[u].begin(), of_z[u].end());
    }
    return all;
  }

  ExprVector own_responses() const {
    ExprVector all;
    for (std::size_t u = 0; u < drift_.size(); ++u) all.push_back(delassus(u, u));
    return all;
  }

  /// Of M, if it varies: where it reaches zero the mechanics ends, also under forces that vanish there.
  Expr smallest_pivot() const {
    Expr smallest = one_;
    bool found = false;
    for (const Expr& pivot : M_factors_->pivots()) {
      if (pivot.is_constant()) continue;
      smallest = found ? apply(Op::min, smallest, pivot) : pivot;
      found = true;
    }
    return smallest;
  }

  ExprVector contact_outputs() const {
    const std::size_t m = layout_.contacts;
    ExprVector normals;
    ExprVector responses;
    ExprVector G;
    for (std::size_t i = 0; i < m; ++i) {
      normals.insert(normals.end(), normal_[i].begin(), normal_[i].end());
      responses.insert(responses.end(), responses_[i].begin(), responses_[i].end());
      for (std::size_t j = 0; j < m && has_delassus_matrix(layout_); ++j) G.push_back(delassus(i, j));
    }
    return concatenated({h_, gamma_, slope_, restitution_, normals, responses, G});
  }

  /// M (v⁺ − v) = Σ nᵢ Λᵢ and nᵢ·(v⁺ − v) = −(1 + kᵢ eᵢ) γᵢ for the contacts in the mask.
  ExprVector impact_outputs() const {
    const std::size_t m = layout_.contacts;
    const std::size_t n = layout_.n;
    if (m == 0) return {};
    ExprVector reversal;
    for (std::size_t i = 0; i < m; ++i) reversal.push_back((1.0 + elastic_part(i)) * gamma_[i]);
    const std::vector<ExprVector> responses(responses_.begin(), responses_.begin() + static_cast<std::ptrdiff_t>(m));
    const Coupling factors(masks_, normal_, responses, [&](std::size_t i, std::size_t j) { return delassus(i, j); });
    const auto jump = [&](const ExprVector& base, const ExprVector& wanted) {
      ExprVector lack;
      for (std::size_t i = 0; i < m; ++i) lack.push_back(-(masks_[i] * (product(normal_[i], base) + wanted[i])));
      return factors.solve(lack);
    };
    const auto plus = [&](ExprVector base, const ExprVector& impulses) {
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < m; ++j) base[i] = base[i] + responses_[j][i] * impulses[j];
      for (Expr& e : base) e = hold(e);
      return base;
    };
    const ExprVector impulses = jump(ExprVector(n, zero_), reversal);
    const ExprVector change = plus(ExprVector(n, zero_), impulses);
    const ExprVector change_names = placeholders("d", n);
    const ExprVector impulse_names = placeholders("u", m);
    ExprVector momentum(n, zero_);  // Σ nᵢ Λᵢ − M (v⁺ − v)
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) momentum[i] = momentum[i] - M_[i * n + j] * change_names[j];
      for (std::size_t j = 0; j < m; ++j) momentum[i] = momentum[i] + normal_[j][i] * impulse_names[j];
    }
    ExprVector law;  // n·(v⁺ − v) + (1 + k e) γ
    for (std::size_t j = 0; j < m; ++j) law.push_back(product(normal_[j], change_names) + reversal[j]);
    const ExprVector names = concatenated({change_names, impulse_names});
    const ExprVector values = concatenated({change, impulses});
    ExprVector out;
    for (std::size_t i = 0; i < n; ++i) out.push_back(v_[i] + change[i]);
    out.insert(out.end(), impulses.begin(), impulses.end());
    for (const Direction& direction : impact_directions()) {
      const ExprVector free = M_factors_->solve(filled(along(momentum, direction), names, values));
      ExprVector column = plus(free, jump(free, filled(along(law, direction), names, values)));
      for (std::size_t i = 0; i < n; ++i)
        if (direction.symbols.front() == v_[i]) column[i] = column[i] + 1.0;
      out.insert(out.end(), column.begin(), column.end());
    }
    return out;
  }

  std::vector<Direction> impact_directions() const {
    std::vector<Direction> directions;
    for (const Expr& x : concatenated({q_, v_, {t_}})) directions.push_back({{x}, {one_}});
    directions.insert(directions.end(), varied_.begin(), varied_.end());
    return directions;
  }

  ExprVector jet_outputs() const {
    const ExprVector roots = concatenated({h_, gamma_, s_, surfaces_});
    std::vector<Direction> directions;
    for (const Expr& x : concatenated({x_, {t_}})) directions.push_back({{x}, {one_}});
    directions.insert(directions.end(), varied_.begin(), varied_.end());
    ExprVector out;
    for (const Expr& root : roots)
      for (const Direction& direction : directions) out.push_back(along({root}, direction).front());
    return out;
  }

  ExprVector energy_outputs() const {
    const std::size_t n = layout_.n;
    Expr twice = zero_;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) twice = twice + v_[i] * M_[i * n + j] * v_[j];
    const Expr kinetic = 0.5 * twice;
    const ExprVector x_dot = symbols(Slot::tangent, 0, layout_.N());
    Expr power = differentiate(kinetic, t_);
    for (std::size_t j = 0; j < 2 * n; ++j) power = power + differentiate(kinetic, x_[j]) * x_dot[j];
    return {kinetic, power};
  }

  /// tr F_x of the free motion: Σ ∂v̇ᵢ/∂vᵢ + Σ ∂żⱼ/∂zⱼ.
  Expr divergence() const {
    Expr trace = zero_;
    for (std::size_t i = 0; i < layout_.n; ++i)
      trace = trace + M_factors_->solve(differentiate(f_, v_[i]))[i];  // M does not depend on v
    for (std::size_t j = 0; j < layout_.first_order; ++j) trace = trace + differentiate(r_[j], z_[j]);
    return trace;
  }

  std::shared_ptr<Graph> graph_;
  Layout layout_;
  std::vector<Equations::Named> kernels_;
  Expr zero_, one_, t_;
  ExprVector q_, v_, z_, x_, p_, masks_, signs_, filippov_, elasticity_;
  ExprVector M_, f_, r_, h_, restitution_, slope_, s_, surfaces_, observables_;
  std::vector<bool> by_speed_;  // per contact
  std::vector<ExprVector> normal_;
  ExprVector gamma_, kappa_;
  std::vector<Direction> varied_;
  std::optional<Elimination> M_factors_;
  Motion free_, closed_;
  // Rows that closed contacts and Filippov switches add: row_v·v̇ + row_z·ż + drift = 0, held by pushes on f and r.
  std::vector<ExprVector> rows_v_, rows_z_, pushes_f_, pushes_r_, responses_;
  ExprVector drift_, coupling_masks_;
  std::optional<Coupling> coupling_;
};

}  // namespace

const ExprVector& Equations::outputs(const std::string& name) const {
  const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const Named& k) { return k.name == name; });
  assert(found != kernels.end());
  return found->outputs;
}

Equations equations_of(const Model& model, const KernelOptions& options) { return Builder(model, options).finished(); }

}  // namespace saltus
