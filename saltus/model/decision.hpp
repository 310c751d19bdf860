#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "saltus/expr/expr.hpp"
#include "saltus/model/model.hpp"

namespace saltus {

/// Turns conditions on the motion into conditions on the sides σ_k = ±1 of switching surfaces s_k = 0, which it finds on the way.
///
/// A surface should be smooth and crossed, not touched: then it is met once, well scaled, and does not jump when another is
/// passed. So a condition s > 0 is taken apart first:
///   |u| < w           u < w and u > −w; likewise max, min, and u² < w² and other even powers
///   a b > 0           a and b on equal sides; positive factors and odd powers drop out
///   x < if(c, a, b)   x < a where c holds, x < b where not; likewise sign
///   mod(u, T) < d     the sides of sin(2πu/T) and sin(2π(u − d)/T) tell
/// What is left is a surface. A kink that stays inside it (one that does not jump) gets a surface of its own, so that the motion
/// halts there and each s_k is smooth up to the next halt.
class Decision {
 public:
  Decision(Graph& graph, std::vector<Expr> variables);

  /// The condition s > 0 on sides. What holds on a surface itself is not asked: a motion passes it in no time.
  Expr above(Expr s);
  /// A condition of the model, on sides. Conditions on parameters alone stay as they are.
  Expr condition(Expr c);

  /// True if e depends on the state or on time.
  bool changes(Expr e);
  /// ⌊u⌋ changes where sin(2πu) = 0: the surface, and ⌊u⌋ on its two sides. See the comment in the source.
  struct WholeParts {
    Expr surface, above, below;
  };
  WholeParts whole_parts(Expr u) { return whole_parts(u, u); }
  /// The same with whole numbers of `value`, which is u with its pieces told apart.
  WholeParts whole_parts(Expr u, Expr value);

  /// e with the first choice inside it (if, sign, max, min) taken by a condition: what it is above and below. Nothing if there is none.
  struct Split {
    Expr condition, above, below;
  };
  std::optional<Split> split(Expr e);

  /// What is told about the surfaces that are found from now on.
  void look_at(const SourceSpan& span) { span_ = span; }
  const std::vector<Switch>& switches() const { return switches_; }
  /// s_k or −s_k: what is positive if the condition on the single side holds. Nothing for other conditions.
  std::optional<Expr> fact(Expr condition) const;

 private:
  /// Whether s = 0 counts. It matters where s is zero for a while, as max(x, 0), floor(x), if(x > 1, 1, 0) are.
  enum class Zero { out, in };
  /// A term p · core of a sum, and the rest of it.
  struct Part {
    Expr p, core, rest;
  };
  static Zero opposite(Zero zero) { return zero == Zero::in ? Zero::out : Zero::in; }
  Expr positive(Expr s, Zero zero);
  Expr side_of(Expr s) { return positive(s, Zero::out); }
  Expr not_zero(Expr s);
  Expr on_sides(Expr c);
  Expr decided(Expr s, Zero zero);
  Expr of_product(Expr s);
  Expr of_sum(Expr s, Zero zero);
  std::optional<Expr> of_extreme_term(Expr s, Zero zero);
  std::optional<Expr> of_floor_term(Expr s, Zero zero);
  std::optional<Expr> of_even_powers(Expr s, Zero zero);
  std::optional<Expr> of_root(Expr s, Zero zero);
  Expr of_jump(Expr s, Zero zero);
  template <class Wanted>
  std::optional<Part> part(Expr s, Wanted wanted);
  std::vector<Expr> inside(Expr s);
  Expr surface(Expr s);
  std::vector<std::size_t> switches_inside(Expr s);
  bool moves_in_steps(Expr e);
  std::string as_written(Expr s) const;
  Expr by_sign_of(Expr p, Expr if_positive, Expr if_negative);

  Graph& graph_;
  std::vector<Expr> variables_;
  SourceSpan span_;
  std::vector<Switch> switches_;
  std::unordered_map<std::uint32_t, std::size_t> surface_index_;  // by the surface with its first coefficient made 1
  std::unordered_map<std::uint64_t, Expr> decided_;  // by expression and zero
  std::unordered_map<std::uint32_t, bool> changes_;
  std::unordered_map<std::uint32_t, Expr> named_stairs_;  // what stands for floor(u) in a surface
  int parts_ = 0;  // into which the condition at hand has been taken apart
};

}  // namespace saltus
