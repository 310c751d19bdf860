#include <cassert>
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>

#include "saltus/kernel/product_plan.hpp"
#include "saltus/kernel/program.hpp"
#include "saltus/kernel/program_builder.hpp"

namespace saltus {
namespace {

constexpr double largest_chain = 64.0;

bool is_whole(double k) { return k == std::floor(k) && std::abs(k) <= largest_chain; }

/// x^−k with a whole k, which a product may collect into its denominator.
bool is_reciprocal_power(Expr e) { return is_integer_power(e) && e.arg(1).value() < 0.0; }

/// k (eᵘ − 1).
struct ExponentialDifference {
  double k;
  Expr exponential;
};
std::optional<ExponentialDifference> exponential_difference(Expr e) {
  if (e.op() != Op::sum || e.arity() != 2 || !e.arg(0).is_constant()) return std::nullopt;
  Expr term = e.arg(1);
  double k = 1.0;
  if (term.op() == Op::product && term.arity() == 2 && term.arg(0).is_constant()) {
    k = term.arg(0).value();
    term = term.arg(1);
  }
  if (term.op() != Op::exp || k != -e.arg(0).value()) return std::nullopt;
  return ExponentialDifference{k, term};
}

/// Who uses a node: this decides what is fused into an fma and what is worth a value of its own.
class Uses {
 public:
  explicit Uses(std::span<const Expr> outputs) {
    for (const Expr& output : outputs) ++slot(output).as_value;
    for (const std::uint32_t id : reachable(outputs)) count_arguments(outputs.front().graph().at(id));
  }

  /// Somewhere a reciprocal of it is taken.
  bool divides(Expr e) const { return of_[e.id()].as_divisor; }
  /// A product that occurs only as a term of sums.
  bool is_fused(Expr e) const { return e.op() == Op::product && of_[e.id()].as_value == 0; }
  /// A reciprocal of one product only: that product divides. Otherwise it is computed once and multiplied with.
  bool is_denominator(Expr e) const {
    return is_reciprocal_power(e) && of_[e.id()].as_value == 0 && of_[e.id()].in_products == 1;
  }

 private:
  struct Count {
    std::uint32_t as_value = 0;  // an output, or the argument of anything but a sum or a product
    std::uint32_t in_products = 0;
    bool as_divisor = false;
  };

  void count_arguments(Expr e) {
    if (is_reciprocal_power(e)) slot(e.arg(0)).as_divisor = true;
    for (std::size_t i = 0; i < e.arity(); ++i) {
      Count& count = slot(e.arg(i));
      if (e.op() == Op::product) {
        ++count.in_products;
      } else if (e.op() != Op::sum || !is_product(e.arg(i))) {
        ++count.as_value;
      }
    }
  }
  static bool is_product(Expr e) { return e.op() == Op::product; }
  Count& slot(Expr e) {
    if (of_.size() <= e.id()) of_.resize(e.id() + 1U);
    return of_[e.id()];
  }

  std::vector<Count> of_;
};

class Lowering {
 public:
  Lowering(std::span<const Expr> outputs, const InputMap& inputs)
      : outputs_(outputs), graph_(outputs.front().graph()), inputs_(inputs), uses_(outputs) {
    plan_products();
    values_.resize(graph_.size());
    known_.resize(graph_.size(), false);
  }

  Program program() {
    std::vector<Signed> results;
    for (const Expr& output : outputs_) {
      visit(output.id());
      const bool is_number = !output.is_condition() || output.op() == Op::truth;
      const Signed result = value(output);
      results.push_back(is_number ? result : builder_.select(result, builder_.constant(1.0), builder_.constant(0.0)));
    }
    return builder_.finish(results);
  }

 private:
  /// A term of a sum: the value `left`, or the product left · right that an fma adds.
  struct AddedTerm {
    Signed left;
    Signed right;
    bool is_product;
  };

  void plan_products() {
    plan_.first_pair = static_cast<std::uint32_t>(graph_.size());
    for (const std::uint32_t id : reachable(outputs_)) {
      const Expr e = graph_.at(id);
      if (e.op() != Op::product) continue;
      product_index_[id] = plan_.products.size();
      ProductPlan::Product product{{}, uses_.is_fused(e)};
      for (std::size_t i = 0; i < e.arity(); ++i) {
        const Expr factor = e.arg(i);
        if (uses_.is_denominator(factor)) product.fused = false;
        const bool is_sign = factor.is_constant() && std::abs(factor.value()) == 1.0;
        if (!is_sign && !uses_.is_denominator(factor)) product.factors.push_back(factor.id());
      }
      plan_.products.push_back(std::move(product));
    }
    plan_.share();
    pair_values_.resize(plan_.pairs.size());
    pair_known_.resize(plan_.pairs.size(), false);
  }

  /// What to do for a node: compute another one first, or (with `add_term`) add term `which` of a sum to its total.
  struct Step {
    std::uint32_t which;
    bool add_term;
  };
  struct Frame {
    std::uint32_t id;
    std::size_t next = 0;
    std::vector<Step> steps;
    std::optional<Signed> total;  // of a sum, as far as it is added up
  };

  void add_operand_steps(Expr e, std::vector<Step>& steps) const {
    for (std::size_t i = 0; i < e.arity(); ++i) {
      const Expr arg = e.arg(i);
      if (arg.is_constant()) continue;
      const bool divides = e.op() == Op::product && uses_.is_denominator(arg);
      steps.push_back({divides ? arg.arg(0).id() : arg.id(), false});
    }
  }

  /// Plain terms first, then the products on top, each by one fma. A term is added as soon as it is known, so that few
  /// values wait for their use.
  void add_sum_steps(Expr e, std::vector<Step>& steps) const {
    for (const bool products : {false, true}) {
      for (std::size_t i = 0; i < e.arity(); ++i) {
        const Expr term = e.arg(i);
        if (uses_.is_fused(term) != products) continue;
        if (products) add_operand_steps(term, steps);
        if (!products && !term.is_constant()) steps.push_back({term.id(), false});
        steps.push_back({static_cast<std::uint32_t>(i), true});
      }
    }
  }

  Frame frame_of(std::uint32_t id) const {
    Frame frame{id};
    const Expr e = graph_.at(id);
    if (const auto difference = divisor_of_exponentials(e)) {
      add_operand_steps(difference->exponential, frame.steps);
      frame.steps.push_back({difference->exponential.id(), false});
    } else if (e.op() == Op::sum) {
      add_sum_steps(e, frame.steps);
    } else {
      add_operand_steps(e, frame.steps);
    }
    return frame;
  }

  /// Of x/(eˣ − 1), as rates of ion channels have it, hardly a digit is left near x = 0, and none of its derivatives: tanh(u/2) (eᵘ + 1) keeps them all.
  std::optional<ExponentialDifference> divisor_of_exponentials(Expr e) const {
    return uses_.divides(e) ? exponential_difference(e) : std::nullopt;
  }
  Signed exponential_divisor(const ExponentialDifference& e) {
    const Signed half_u[] = {builder_.mul(builder_.constant(0.5), value(e.exponential.arg(0)))};
    const Signed around = builder_.mul(builder_.apply(Code::tanh, half_u), builder_.constant(e.k));
    return builder_.mul(around, builder_.add(value(e.exponential), builder_.constant(1.0)));
  }

  /// Depth first, with a stack of its own: an expression may nest deeper than the machine's stack allows.
  void visit(std::uint32_t root) {
    std::vector<Frame> stack;
    if (!known_[root]) stack.push_back(frame_of(root));
    while (!stack.empty()) {
      Frame& top = stack.back();
      const Expr e = graph_.at(top.id);
      if (top.next == top.steps.size()) {
        values_[top.id] = top.total ? *top.total : computed(e);
        known_[top.id] = true;
        stack.pop_back();
        continue;
      }
      const Step step = top.steps[top.next++];
      if (step.add_term) {
        top.total = sum_with(top.total, e.arg(step.which));
      } else if (!known_[step.which]) {
        stack.push_back(frame_of(step.which));
      }
    }
  }

  Signed value(Expr e) {
    if (e.is_constant()) return builder_.constant(e.value());
    assert(known_[e.id()]);
    return values_[e.id()];
  }

  Signed computed(Expr e) {
    switch (e.op()) {
      case Op::constant:
      case Op::truth: return builder_.constant(e.value());
      case Op::symbol: return symbol(e);
      case Op::sum: return exponential_divisor(*divisor_of_exponentials(e));
      case Op::product: return product(e);
      case Op::power: return power(e);
      case Op::sin: return builder_.sine(value(e.arg(0)));
      case Op::cos: return builder_.cosine(value(e.arg(0)));
      case Op::abs: return builder_.abs(value(e.arg(0)));
      case Op::sign: return builder_.sign(value(e.arg(0)));
      case Op::hold: return value(e.arg(0));
      case Op::select: return builder_.select(value(e.arg(0)), value(e.arg(1)), value(e.arg(2)));
      default: return function(e);
    }
  }

  Signed symbol(Expr e) {
    const std::optional<InputRef> from = inputs_(e.name());
    if (!from) throw Error(ExitCode::fault, fmt::format("no kernel knows where to read '{}'", e.name()));
    return builder_.input(*from);
  }

  Signed function(Expr e) {
    std::vector<Signed> args;
    for (std::size_t i = 0; i < e.arity(); ++i) args.push_back(value(e.arg(i)));
    return builder_.apply(code_of(e.op()), args);
  }

  static Code code_of(Op op) {
    static const std::unordered_map<Op, Code> codes = {
        {Op::sqrt, Code::sqrt},   {Op::exp, Code::exp},           {Op::log, Code::log},
        {Op::tan, Code::tan},     {Op::asin, Code::asin},         {Op::acos, Code::acos},
        {Op::atan, Code::atan},   {Op::atan2, Code::atan2},       {Op::sinh, Code::sinh},
        {Op::cosh, Code::cosh},   {Op::tanh, Code::tanh},         {Op::min, Code::min},
        {Op::max, Code::max},     {Op::positive, Code::positive}, {Op::nonnegative, Code::nonnegative},
        {Op::both, Code::both},   {Op::either, Code::either},     {Op::negation, Code::negation},
        {Op::floor, Code::floor},
    };
    return codes.at(op);
  }

  /// x^k by multiplications, x^(k + ½) with a square root, anything else by the library.
  Signed power(Expr e) {
    const Signed base = value(e.arg(0));
    const double exponent = e.arg(1).is_constant() ? e.arg(1).value() : std::nan("");
    const double k = std::abs(exponent);
    if (!is_whole(k) && !is_whole(k - 0.5)) {
      const Signed args[] = {base, value(e.arg(1))};
      return builder_.apply(Code::pow, args);
    }
    const auto whole = static_cast<int>(k);
    Signed result = whole > 0 ? builder_.power(base, whole) : builder_.constant(1.0);
    if (!is_whole(k)) {
      const Signed args[] = {base};
      const Signed root = builder_.apply(Code::sqrt, args);
      result = whole > 0 ? builder_.mul(result, root) : root;
    }
    return exponent < 0.0 ? builder_.div(builder_.constant(1.0), result) : result;
  }

  /// The factor of a product after sharing: a node, or a pair that several products have in common.
  Signed factor_value(std::uint32_t factor) {
    if (factor < plan_.first_pair) return value(graph_.at(factor));
    const std::uint32_t k = factor - plan_.first_pair;
    if (!pair_known_[k]) {
      const auto [a, b] = plan_.pairs[k];  // nests as deep as a product is long, at most 16
      pair_values_[k] = builder_.mul(factor_value(a), factor_value(b));
      pair_known_[k] = true;
    }
    return pair_values_[k];
  }

  /// ± the product of all but the last factor, and the last one; a product with a denominator is one value.
  AddedTerm split_product(Expr e) {
    const auto& factors = plan_.products[product_index_.at(e.id())].factors;
    bool negative = false;
    std::optional<Signed> denominator;
    for (std::size_t i = 0; i < e.arity(); ++i) {
      const Expr factor = e.arg(i);
      if (factor.is_constant(-1.0)) negative = true;
      if (!uses_.is_denominator(factor)) continue;
      const Signed power = builder_.power(value(factor.arg(0)), static_cast<int>(-factor.arg(1).value()));
      denominator = denominator ? builder_.mul(*denominator, power) : power;
    }
    Signed left = factors.empty() ? builder_.constant(1.0) : factor_value(factors.front());
    if (negative) left = -left;
    for (std::size_t i = 1; i + 1 < factors.size(); ++i) left = builder_.mul(left, factor_value(factors[i]));
    if (factors.size() > 1 && !denominator) return {left, factor_value(factors.back()), true};
    if (factors.size() > 1) left = builder_.mul(left, factor_value(factors.back()));
    return {denominator ? builder_.div(left, *denominator) : left, {}, false};
  }

  Signed product(Expr e) {
    const AddedTerm term = split_product(e);
    return term.is_product ? builder_.mul(term.left, term.right) : term.left;
  }

  Signed sum_with(const std::optional<Signed>& total, Expr term) {
    const AddedTerm added = uses_.is_fused(term) ? split_product(term) : AddedTerm{value(term), {}, false};
    if (!added.is_product) return total ? builder_.add(*total, added.left) : added.left;
    return total ? builder_.fma(added.left, added.right, *total) : builder_.mul(added.left, added.right);
  }

  std::span<const Expr> outputs_;
  Graph& graph_;
  const InputMap& inputs_;
  Uses uses_;
  ProductPlan plan_;
  std::unordered_map<std::uint32_t, std::size_t> product_index_;
  ProgramBuilder builder_;
  std::vector<Signed> values_;
  std::vector<bool> known_;
  std::vector<Signed> pair_values_;
  std::vector<bool> pair_known_;
};

}  // namespace

Program lower(std::span<const Expr> outputs, const InputMap& inputs) {
  if (outputs.empty()) return {};
  return Lowering(outputs, inputs).program();
}

LoopProgram lower_loop(std::span<const Expr> outputs, std::span<const Expr> accumulated, const InputMap& inputs) {
  std::vector<Expr> all(outputs.begin(), outputs.end());
  all.insert(all.end(), accumulated.begin(), accumulated.end());
  return {lower(all, inputs), outputs.size(), std::nullopt};
}

}  // namespace saltus
