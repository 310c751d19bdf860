#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "saltus/base/error.hpp"

namespace saltus {

/// What a node of the expression graph is. The arguments are listed behind each.
enum class Op : std::uint8_t {
  constant,
  symbol,
  sum,      // two or more terms, a constant first
  product,  // two or more factors, a constant first
  power,    // base, exponent
  sqrt,
  exp,
  log,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,  // y, x
  sinh,
  cosh,
  tanh,
  abs,
  sign,
  min,          // two arguments
  max,          // two arguments
  truth,        // a condition that is always true (value 1) or never (value 0)
  positive,     // condition s > 0
  nonnegative,  // condition s ≥ 0
  both,         // condition a and b
  either,       // condition a or b
  negation,     // condition not a
  select,       // condition, value if it holds, value if not
  hold,         // the argument itself, kept apart from the sums and products around it: computed once, used often
  floor,        // the largest whole number that is not above the argument
};

std::string_view name_of(Op op);
bool is_condition(Op op);

class Graph;

/// An immutable value in the expression graph. Equal expressions of one graph are the same node, so `==` is equality
/// of mathematics up to the simplifications of this file. Cheap to copy; valid as long as its graph lives.
class Expr {
 public:
  Expr() = default;
  Expr(Graph& graph, std::uint32_t id) : graph_(&graph), id_(id) {}

  Graph& graph() const { return *graph_; }
  std::uint32_t id() const { return id_; }
  explicit operator bool() const { return graph_ != nullptr; }

  Op op() const;
  std::size_t arity() const;
  Expr arg(std::size_t i) const;
  /// The number of a constant (or 0/1 of a truth); the name of a symbol.
  double value() const;
  const std::string& name() const;

  bool is_constant() const { return op() == Op::constant; }
  bool is_constant(double c) const { return is_constant() && value() == c; }
  bool is_condition() const { return saltus::is_condition(op()); }

  friend bool operator==(const Expr& a, const Expr& b) { return a.graph_ == b.graph_ && a.id_ == b.id_; }

 private:
  Graph* graph_ = nullptr;
  std::uint32_t id_ = 0;
};

/// A graph grew beyond its limit: the model is too large or nests too deeply.
class GraphLimit : public Error {
 public:
  using Error::Error;
};

/// Owner of the nodes. Grows only; a node's arguments have smaller ids than the node itself, so that walking ids upwards
/// visits arguments first. Building a node simplifies it: constants are folded, neutral elements removed, sums and
/// products flattened, their equal terms collected and put in an order that depends on the mathematics alone,
/// not on the order of building.
class Graph {
 public:
  struct Limits {
    std::size_t nodes = 2'000'000;
    std::size_t arguments = 20'000'000;
    int depth = 4000;
  };
  struct Node {
    Op op;
    int depth;
    double value;
    std::uint64_t hash;  // of the structure below, names and numbers included
    std::vector<std::uint32_t> args;
    std::string name;
  };

  Graph() = default;
  explicit Graph(Limits limits) : limits_(limits) {}
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  Expr constant(double value);
  Expr symbol(std::string_view name);
  Expr truth(bool value);
  Expr sum(std::span<const Expr> terms);
  Expr product(std::span<const Expr> factors);
  Expr power(Expr base, Expr exponent);
  Expr function(Op op, std::span<const Expr> args);
  Expr condition(Op op, std::span<const Expr> args);
  Expr select(Expr condition, Expr if_true, Expr if_false);
  /// Any of the above by its operation.
  Expr make(Op op, std::span<const Expr> args);

  std::size_t size() const { return nodes_.size(); }
  const Node& node(std::uint32_t id) const { return nodes_[id]; }
  Expr at(std::uint32_t id) { return {*this, id}; }

 private:
  Expr intern(Op op, double value, std::string_view name, std::vector<std::uint32_t> args);
  Expr scaled(double c, Expr core);

  Limits limits_;
  std::size_t argument_count_ = 0;
  std::deque<Node> nodes_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
};

Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator/(Expr a, Expr b);
Expr operator-(Expr a);
Expr operator+(Expr a, double b);
Expr operator+(double a, Expr b);
Expr operator-(Expr a, double b);
Expr operator-(double a, Expr b);
Expr operator*(double a, Expr b);
Expr operator/(Expr a, double b);
Expr operator/(double a, Expr b);

Expr pow(Expr base, int exponent);
Expr pow(Expr base, Expr exponent);
Expr apply(Op op, Expr x);
Expr apply(Op op, Expr x, Expr y);
Expr sqrt(Expr x);
Expr sin(Expr x);
Expr cos(Expr x);
/// Condition a > b.
Expr greater(Expr a, Expr b);
/// Condition a ≥ b.
Expr greater_equal(Expr a, Expr b);
Expr select(Expr condition, Expr if_true, Expr if_false);
/// x as a value of its own that sums and products around it do not take apart; a symbol or constant is one already.
Expr hold(Expr x);

/// A number of a sum's term or of a product in front: 3 x y = 3 · (x y).
struct Term {
  double coefficient;
  Expr core;
};
Term as_term(Expr e);

/// An exponent that is a whole number |k| ≤ 64, else nothing: x^k is then a chain of products.
bool is_integer_power(Expr e);
/// The same with an even number.
bool is_even_power(Expr e);

/// Ids of everything that the roots are made of, arguments before the nodes that use them.
std::vector<std::uint32_t> reachable(std::span<const Expr> roots);

/// True if `e` contains `symbol`.
bool depends_on(Expr e, Expr symbol);

/// The symbols in `e`, in order of their names.
std::vector<Expr> symbols_of(std::span<const Expr> roots);

}  // namespace saltus
