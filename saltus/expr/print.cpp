#include "saltus/expr/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "saltus/base/text.hpp"

namespace saltus {
namespace {

/// How tightly a piece of text holds together; a looser piece inside a tighter place gets parentheses.
enum class Binding { condition, sum, product, power, atom };

struct Piece {
  std::string text;
  Binding binding;
};

/// A product taken apart as it is written: number · numerator / denominator.
struct Fraction {
  double number = 1.0;
  std::vector<Expr> above;
  std::vector<Expr> below;
};

Fraction as_fraction(Expr e) {
  Fraction fraction;
  std::vector<Expr> factors;
  if (e.op() == Op::product) {
    for (std::size_t i = 0; i < e.arity(); ++i) factors.push_back(e.arg(i));
  } else {
    factors.push_back(e);
  }
  for (const Expr& factor : factors) {
    if (factor.is_constant()) {
      fraction.number = factor.value();
    } else if (is_integer_power(factor) && factor.arg(1).value() < 0.0) {
      fraction.below.push_back(pow(factor.arg(0), -static_cast<int>(factor.arg(1).value())));
    } else {
      fraction.above.push_back(factor);
    }
  }
  return fraction;
}

/// Writes an expression; what differs between plain text and LaTeX is in the virtual functions.
class Writer {
 public:
  explicit Writer(std::size_t limit) : limit_(limit) {}
  virtual ~Writer() = default;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  Piece piece(Expr e) {
    if (overflow_) return {"…", Binding::atom};
    Piece result = written(e);
    if (result.text.size() > limit_) {
      overflow_ = true;
      result = {"…", Binding::atom};
    }
    return result;
  }

  std::string inside(Expr e, Binding place) { return wrapped(piece(e), place); }

 protected:
  virtual std::string number(double value) const = 0;
  virtual Binding number_binding(const std::string& text) const = 0;
  virtual std::string symbol(const std::string& name) const = 0;
  virtual std::string parenthesized(const std::string& text) const = 0;
  virtual std::string_view times() const = 0;
  virtual std::string_view word(Op op) const = 0;  // and, or, not
  virtual Piece divided(const std::string& above, const std::vector<std::string>& below) = 0;
  virtual Piece raised(Expr base, Expr exponent) = 0;
  virtual Piece call(Expr e) = 0;
  virtual Piece relation(Expr s, std::string_view plain) = 0;

  std::string wrapped(const Piece& piece, Binding place) const {
    return piece.binding < place ? parenthesized(piece.text) : piece.text;
  }

 private:
  Piece written(Expr e) {
    switch (e.op()) {
      case Op::constant: {
        const std::string text = number(e.value());
        return {text, e.value() < 0.0 ? Binding::sum : number_binding(text)};
      }
      case Op::symbol: return {symbol(e.name()), Binding::atom};
      case Op::hold: return written(e.arg(0));
      case Op::sum: return {sum(e), Binding::sum};
      case Op::product: return product(e);
      case Op::power:
        if (is_integer_power(e) && e.arg(1).value() < 0.0) return product(e);
        return raised(e.arg(0), e.arg(1));
      default: return e.is_condition() ? condition(e) : call(e);
    }
  }

  /// Positive terms before negative ones, then by text: an order that does not depend on the graph's.
  std::string sum(Expr e) {
    struct Written {
      bool negative;
      std::string text;
    };
    std::vector<Written> terms;
    for (std::size_t i = 0; i < e.arity(); ++i) {
      const bool negative = as_term(e.arg(i)).coefficient < 0.0;
      terms.push_back({negative, inside(negative ? -e.arg(i) : e.arg(i), Binding::product)});
    }
    std::sort(terms.begin(), terms.end(), [](const Written& a, const Written& b) {
      return a.negative != b.negative ? b.negative : a.text < b.text;
    });
    std::string text;
    for (const Written& term : terms) {
      if (!text.empty()) text += term.negative ? " - " : " + ";
      else if (term.negative) text += "-";
      text += term.text;
      if (text.size() > limit_) break;
    }
    return text;
  }

  Piece product(Expr e) {
    const Fraction fraction = as_fraction(e);
    const bool negative = fraction.number < 0.0;
    const double magnitude = std::abs(fraction.number);
    std::vector<std::string> above;
    for (const Expr& factor : fraction.above) above.push_back(inside(factor, Binding::product));
    std::sort(above.begin(), above.end());
    if (magnitude != 1.0 || above.empty()) above.insert(above.begin(), number(magnitude));
    const std::string numerator = fmt::format("{}", fmt::join(above, times()));
    std::vector<std::string> below;
    for (const Expr& factor : fraction.below) below.push_back(inside(factor, Binding::product));
    std::sort(below.begin(), below.end());
    Piece result = below.empty() ? Piece{numerator, Binding::product} : divided(numerator, below);
    if (negative) result = {"-" + wrapped(result, Binding::product), Binding::sum};
    return result;
  }

  Piece condition(Expr e) {
    switch (e.op()) {
      case Op::truth: return {e.value() != 0.0 ? "1 > 0" : "0 > 1", Binding::condition};
      case Op::positive: return relation(e.arg(0), ">");
      case Op::nonnegative: return relation(e.arg(0), ">=");
      case Op::negation:
        if (e.arg(0).op() == Op::positive) return relation(e.arg(0).arg(0), "<=");
        if (e.arg(0).op() == Op::nonnegative) return relation(e.arg(0).arg(0), "<");
        return {fmt::format("{} {}", word(e.op()), parenthesized(piece(e.arg(0)).text)), Binding::condition};
      default:
        return {fmt::format("{} {} {}", parenthesized(piece(e.arg(0)).text), word(e.op()),
                            parenthesized(piece(e.arg(1)).text)),
                Binding::condition};
    }
  }

  std::size_t limit_;
  bool overflow_ = false;
};

class PlainWriter final : public Writer {
 public:
  using Writer::Writer;

 private:
  std::string number(double value) const override { return printed_number(value); }
  Binding number_binding(const std::string& text) const override {
    return text.find_first_of("/*") == std::string::npos ? Binding::atom : Binding::product;
  }
  std::string symbol(const std::string& name) const override { return name; }
  std::string parenthesized(const std::string& text) const override { return "(" + text + ")"; }
  std::string_view times() const override { return "*"; }
  std::string_view word(Op op) const override { return name_of(op); }

  Piece divided(const std::string& above, const std::vector<std::string>& below) override {
    const std::string divisor = below.size() == 1 ? below.front() : fmt::format("({})", fmt::join(below, "*"));
    return {above + "/" + divisor, Binding::product};
  }
  Piece raised(Expr base, Expr exponent) override {
    return {inside(base, Binding::atom) + "^" + inside(exponent, Binding::atom), Binding::power};
  }
  Piece call(Expr e) override {
    std::vector<std::string> args;
    for (std::size_t i = 0; i < e.arity(); ++i) args.push_back(piece(e.arg(i)).text);
    return {fmt::format("{}({})", name_of(e.op()), fmt::join(args, ", ")), Binding::atom};
  }
  Piece relation(Expr s, std::string_view plain) override {
    return {fmt::format("{} {} 0", piece(s).text, plain), Binding::condition};
  }
};

class LatexWriter final : public Writer {
 public:
  using Writer::Writer;

 private:
  std::string number(double value) const override {
    std::string text = printed_number(value);
    if (const auto slash = text.find('/'); slash != std::string::npos) {
      const auto end = std::min(text.find('*'), text.size());
      const std::string sign = text.starts_with('-') ? "-" : "";
      text = fmt::format("{}\\tfrac{{{}}}{{{}}}{}", sign, text.substr(sign.size(), slash - sign.size()),
                         text.substr(slash + 1, end - slash - 1), text.substr(end));
    }
    if (const auto exponent = text.find('e'); exponent != std::string::npos)
      text = fmt::format("{}\\cdot 10^{{{}}}", text.substr(0, exponent), std::stoi(text.substr(exponent + 1)));
    if (const auto pi = text.find("*pi"); pi != std::string::npos) text.replace(pi, 3, "\\pi");
    if (text == "pi") text = "\\pi";
    return text;
  }
  Binding number_binding(const std::string& text) const override {
    return text.find('\\') == std::string::npos ? Binding::atom : Binding::product;
  }
  std::string symbol(const std::string& name) const override { return latex_symbol(name); }
  std::string parenthesized(const std::string& text) const override { return "\\left(" + text + "\\right)"; }
  std::string_view times() const override { return "\\,"; }
  std::string_view word(Op op) const override {
    return op == Op::both ? "\\land" : op == Op::either ? "\\lor" : "\\lnot";
  }

  Piece divided(const std::string& above, const std::vector<std::string>& below) override {
    return {fmt::format("\\frac{{{}}}{{{}}}", above, fmt::join(below, "\\,")), Binding::product};
  }
  Piece raised(Expr base, Expr exponent) override {
    return {fmt::format("{}^{{{}}}", inside(base, Binding::atom), piece(exponent).text), Binding::power};
  }
  Piece call(Expr e) override {
    std::vector<std::string> args;
    for (std::size_t i = 0; i < e.arity(); ++i) args.push_back(piece(e.arg(i)).text);
    if (e.op() == Op::sqrt) return {fmt::format("\\sqrt{{{}}}", args[0]), Binding::atom};
    if (e.op() == Op::abs) return {fmt::format("\\left|{}\\right|", args[0]), Binding::atom};
    if (e.op() == Op::floor) return {fmt::format("\\left\\lfloor {}\\right\\rfloor", args[0]), Binding::atom};
    if (e.op() == Op::select)
      return {
          fmt::format("\\begin{{cases}}{} & {}\\\\ {} & \\text{{otherwise}}\\end{{cases}}", args[1], args[0], args[2]),
          Binding::sum};
    static constexpr std::array own = {Op::exp,  Op::log,  Op::sin,  Op::cos, Op::tan,
                                       Op::sinh, Op::cosh, Op::tanh, Op::min, Op::max};
    const bool known = std::find(own.begin(), own.end(), e.op()) != own.end();
    const std::string name = known                ? fmt::format("\\{}", name_of(e.op()))
                             : e.op() == Op::asin ? "\\arcsin"
                             : e.op() == Op::acos ? "\\arccos"
                             : e.op() == Op::atan ? "\\arctan"
                                                  : fmt::format("\\operatorname{{{}}}", name_of(e.op()));
    return {fmt::format("{}\\left({}\\right)", name, fmt::join(args, ", ")), Binding::atom};
  }
  Piece relation(Expr s, std::string_view plain) override {
    const std::string_view sign = plain == ">=" ? "\\ge" : plain == "<=" ? "\\le" : plain;
    return {fmt::format("{} {} 0", piece(s).text, sign), Binding::condition};
  }
};

/// value = p/q with small p, q such that p/q is the same double.
std::string fraction_text(double value) {
  for (int q = 2; q <= 1000; ++q) {
    const double p = std::round(value * q);
    if (std::abs(p) > 1e5) return "";
    if (p != 0.0 && p / q == value) return fmt::format("{}/{}", static_cast<long>(p), q);
  }
  return "";
}

std::string escaped(const std::string& name) {
  std::string text;
  for (const char c : name) text += c == '_' ? std::string("\\_") : std::string(1, c);
  return text;
}

}  // namespace

std::string printed_number(double value) {
  std::string decimal = shortest(value);
  if (decimal.size() <= 7 || !std::isfinite(value)) return decimal;
  if (std::string text = fraction_text(value); !text.empty()) return text;
  const double turns = value / std::numbers::pi;
  if (turns == 1.0) return "pi";
  if (turns == std::round(turns) && std::abs(turns) < 1000 && turns * std::numbers::pi == value)
    return fmt::format("{}*pi", static_cast<long>(turns));
  for (int q = 2; q <= 12; ++q) {
    const double p = std::round(turns * q);
    if (p != 0.0 && std::abs(p) < 1000 && p / q * std::numbers::pi == value)
      return fmt::format("{}/{}*pi", static_cast<long>(p), q);
  }
  return decimal;
}

std::string printed(Expr e, std::size_t limit) { return PlainWriter(limit).piece(e).text; }

std::string latex(Expr e, std::size_t limit) { return LatexWriter(limit).piece(e).text; }

std::string latex_symbol(const std::string& name) {
  static constexpr std::array greek = {"alpha",  "beta",  "gamma",  "delta", "epsilon", "zeta",  "eta",   "theta",
                                       "iota",   "kappa", "lambda", "mu",    "nu",      "xi",    "rho",   "sigma",
                                       "tau",    "phi",   "chi",    "psi",   "omega",   "Gamma", "Delta", "Theta",
                                       "Lambda", "Xi",    "Sigma",  "Phi",   "Psi",     "Omega"};
  const bool dotted = name.ends_with('\'');
  std::string stem = dotted ? name.substr(0, name.size() - 1) : name;
  std::string index;
  if (const auto underscore = stem.find('_'); underscore != std::string::npos && underscore > 0) {
    index = stem.substr(underscore + 1);
    stem.resize(underscore);
  } else if (const auto digit = stem.find_last_not_of("0123456789") + 1; digit < stem.size() && digit > 0) {
    index = stem.substr(digit);
    stem.resize(digit);
  }
  if (std::find(greek.begin(), greek.end(), stem) != greek.end()) stem = "\\" + stem;
  else if (stem.size() > 1) stem = fmt::format("\\mathrm{{{}}}", escaped(stem));
  if (dotted) stem = fmt::format("\\dot{{{}}}", stem);
  if (index.empty()) return stem;
  const bool digits = index.find_first_not_of("0123456789") == std::string::npos;
  const std::string shown = escaped(index);
  return digits || index.size() == 1 ? fmt::format("{}_{{{}}}", stem, shown)
                                     : fmt::format("{}_{{\\mathrm{{{}}}}}", stem, shown);
}

}  // namespace saltus
