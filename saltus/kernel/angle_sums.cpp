#include "saltus/kernel/angle_sums.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "saltus/expr/substitute.hpp"
#include "saltus/kernel/inputs.hpp"

namespace saltus {
namespace {

using Ids = std::set<std::uint32_t>;

bool is_sine(Expr e) { return e.op() == Op::sin || e.op() == Op::cos; }

/// A term of an angle: ± the part.
struct SignedPart {
  double sign;
  Expr part;
};

std::vector<SignedPart> parts_of(Expr angle) {
  std::vector<SignedPart> parts;
  for (std::size_t i = 0; i < angle.arity(); ++i) {
    const Expr term = angle.arg(i);
    const double coefficient = term.is_constant() ? term.value() : as_term(term).coefficient;
    const bool negative = coefficient < 0.0;
    parts.push_back({negative ? -1.0 : 1.0, negative ? -term : term});
  }
  return parts;
}

/// An angle of time and parameters alone: its parts would be shared by nobody, and linear models know it by its sine.
bool is_of_time(Expr angle) {
  const Expr roots[] = {angle};
  const std::vector<Expr> symbols = symbols_of(roots);
  return std::all_of(symbols.begin(), symbols.end(), [](Expr symbol) {
    const auto input = input_of(symbol.name());
    return input && (input->slot == Slot::time || input->slot == Slot::parameter);
  });
}

/// The arguments of all sines, and those among them that can be taken apart: sums whose parts hold no sine themselves.
struct Angles {
  Ids all;
  Ids sums;
};

Angles angles_of(const ExprVector& roots, Graph& graph) {
  Angles angles;
  Ids holds_sine;  // reachable() names arguments before what uses them
  for (const std::uint32_t id : reachable(roots)) {
    const Expr e = graph.at(id);
    bool inside = is_sine(e);
    for (std::size_t i = 0; i < e.arity(); ++i) inside = inside || holds_sine.contains(e.arg(i).id());
    if (inside) holds_sine.insert(id);
    if (!is_sine(e)) continue;
    const Expr angle = e.arg(0);
    angles.all.insert(angle.id());
    if (angle.op() == Op::sum && !holds_sine.contains(angle.id()) && !is_of_time(angle)) angles.sums.insert(angle.id());
  }
  return angles;
}

/// Arguments of sines that are left when `taken_apart` are.
Ids remaining(const Angles& angles, const Ids& taken_apart, Graph& graph) {
  Ids left;
  for (const std::uint32_t id : angles.all) {
    if (!taken_apart.contains(id)) {
      left.insert(id);
      continue;
    }
    for (const SignedPart& part : parts_of(graph.at(id)))
      if (!part.part.is_constant()) left.insert(part.part.id());
  }
  return left;
}

/// The sums whose parts stand as angles of their own anyway, or all of them if that leaves fewer sines.
Ids worth_taking_apart(const Angles& angles, Graph& graph) {
  Ids known;
  for (const std::uint32_t id : angles.sums) {
    const std::vector<SignedPart> parts = parts_of(graph.at(id));
    const bool has_all = std::all_of(parts.begin(), parts.end(), [&](const SignedPart& part) {
      return part.part.is_constant() || (angles.all.contains(part.part.id()) && part.part.op() != Op::sum);
    });
    if (has_all) known.insert(id);
  }
  const bool all = remaining(angles, angles.sums, graph).size() < remaining(angles, known, graph).size();
  return all ? angles.sums : known;
}

struct SineCosineOf {
  Expr sine;
  Expr cosine;
};

SineCosineOf by_addition_theorems(Expr angle) {
  std::optional<SineCosineOf> total;
  for (const SignedPart& part : parts_of(angle)) {
    const Expr s = part.sign * sin(part.part);
    const Expr c = cos(part.part);
    total = total ? SineCosineOf{hold(total->sine * c + total->cosine * s), hold(total->cosine * c - total->sine * s)}
                  : SineCosineOf{s, c};
  }
  return *total;
}

}  // namespace

void share_sines(const ExprVector& motion, const std::vector<ExprVector*>& roots) {
  if (motion.empty()) return;
  Graph& graph = motion.front().graph();
  const Ids chosen = worth_taking_apart(angles_of(motion, graph), graph);
  if (chosen.empty()) return;
  ExprVector all;
  for (const ExprVector* some : roots) all.insert(all.end(), some->begin(), some->end());
  const ExprVector rewritten = substitute(all, graph, [&](Expr e) -> std::optional<Expr> {
    if (!is_sine(e) || !chosen.contains(e.arg(0).id())) return std::nullopt;
    const SineCosineOf both = by_addition_theorems(e.arg(0));
    return e.op() == Op::sin ? both.sine : both.cosine;
  });
  auto next = rewritten.begin();
  for (ExprVector* some : roots)
    for (Expr& e : *some) e = *next++;
}

}  // namespace saltus
