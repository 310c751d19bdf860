#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "saltus/base/setting.hpp"
#include "saltus/base/text.hpp"
#include "saltus/expr/evaluate.hpp"
#include "saltus/expr/parse.hpp"
#include "saltus/expr/print.hpp"
#include "saltus/model/scope.hpp"
#include "saltus/model/surface_jump.hpp"
#include "saltus/model/varied_setup.hpp"

namespace saltus {
namespace {

/// Values by name: parameters, and the initial state with t = 0 for the checks.
using Values = std::unordered_map<std::string, double>;

/// What the model, the case and the settings say, read once and not changed afterwards.
class SetupText {
 public:
  SetupText(const Model& model, std::vector<Diagnostic>& diagnostics) : model_(model), diagnostics_(diagnostics) {
    for (const Parameter& parameter : model.parameters) {
      parameters_.emplace(parameter.name, Located{parameter.value, parameter.span});
      parameter_names_.push_back(parameter.name);
    }
    const std::vector<std::string> components = model.component_names();
    for (std::size_t i = 0; i < components.size(); ++i) initial_.emplace(components[i], model.initial[i]);
    for (const Contact& contact : model.contacts) at_start_.push_back(contact.gap.expr);
    for (const std::vector<Located>* list : {&model.mass, &model.force, &model.rates})
      for (const Located& each : *list) at_start_.push_back(each.expr);
    if (model.hill) at_start_.push_back(model.hill->g.expr);
  }

  void apply(const std::string& case_name) {
    if (case_name.empty()) return;
    const auto found =
        std::find_if(model_.cases.begin(), model_.cases.end(), [&](const Case& c) { return c.name == case_name; });
    if (found == model_.cases.end()) {
      report_unknown_case(case_name);
      return;
    }
    for (const auto& [name, value] : found->parameters) parameters_.at(name) = value;
    for (const auto& [name, value] : found->initial) initial_.at(name) = value;
    case_ = &*found;
  }

  void apply(const Assignment& assignment) {
    const auto source = std::make_shared<SourceText>(said("⟨set⟩ ") + printable(assignment.name),
                                                     assignment.name + "=" + assignment.value);
    const auto parameter = parameters_.find(assignment.name);
    const auto component = initial_.find(assignment.name);
    if (parameter == parameters_.end() && component == initial_.end()) {
      report_unknown(assignment, source);
      return;
    }
    (parameter != parameters_.end() ? parameter->second : component->second) = read(assignment, source);
  }

  const Model& model() const { return model_; }
  const Case* variant() const { return case_; }
  const std::vector<std::string>& parameter_names() const { return parameter_names_; }
  const Located& parameter(const std::string& name) const { return parameters_.at(name); }
  const Located& initial(const std::string& name) const { return initial_.at(name); }
  /// What the checks look at in the initial state.
  const std::vector<Expr>& at_start() const { return at_start_; }

 private:
  void report_unknown_case(const std::string& case_name) {
    std::vector<std::string> names;
    for (const Case& variant : model_.cases) names.push_back(variant.name);
    add_error(diagnostics_, {model_.source, 0, 0, 0}, fmt::format("unknown case '{}'", printable(case_name)),
              names.empty() ? "no case: the model has none" : fmt::format("one of {}", listed(names, 20)),
              did_you_mean(case_name, names));
  }

  void report_unknown(const Assignment& assignment, const std::shared_ptr<const SourceText>& source) {
    std::vector<std::string> known = parameter_names_;
    const std::vector<std::string> components = model_.component_names();
    known.insert(known.end(), components.begin(), components.end());
    std::vector<std::string> expected;
    if (!parameter_names_.empty()) expected.push_back(fmt::format("a parameter ({})", listed(parameter_names_, 12)));
    if (!components.empty()) expected.push_back(fmt::format("an initial value ({})", listed(components, 12)));
    add_error(diagnostics_, {source, 1, 1, std::max(1, character_count(assignment.name))},
              fmt::format("unknown name '{}'", printable(assignment.name)),
              fmt::format("{}", fmt::join(expected, " or ")), did_you_mean(assignment.name, known));
  }

  /// The value of an assignment, in a graph of its own: a model is shared and never changed.
  Located read(const Assignment& assignment, const std::shared_ptr<const SourceText>& source) {
    constexpr std::size_t longest = 20'000;
    const int before = character_count(assignment.name) + 1;
    const SourceSpan whole{source, 1, before + 1, before + std::max(1, character_count(assignment.value))};
    Expr expr = graph_.constant(0.0);
    if (assignment.value.size() > longest || invalid_utf8(assignment.value)) {
      add_error(diagnostics_, whole, "the value cannot be read",
                fmt::format("an expression of at most {} characters", longest));
      return {expr, whole};
    }
    NameScope scope;
    scope.find = [&](const std::string& name, std::size_t, std::size_t) -> std::optional<Expr> {
      return parameters_.contains(name) ? std::optional(graph_.symbol(name)) : std::nullopt;
    };
    scope.names = [&] { return parameter_names_; };
    scope.expectation =
        parameter_names_.empty() ? "a number" : fmt::format("a parameter ({})", listed(parameter_names_, 12));
    scope.place = fmt::format("in the value of {}", printable(assignment.name));
    try {
      const ParsedExpr parsed = parse_expr(assignment.value, graph_, scope);
      for (const ParseProblem& problem : parsed.problems) {
        const int first = before + character_count(std::string_view(assignment.value).substr(0, problem.first));
        const int last = before + character_count(std::string_view(assignment.value).substr(0, problem.last));
        add_error(diagnostics_, {source, 1, first + 1, std::max(first + 1, last)}, problem.message, problem.expected,
                  problem.suggestion);
      }
      expr = parsed.expr;
    } catch (const GraphLimit& limit) { add_error(diagnostics_, whole, limit.what(), "a smaller expression"); }
    return {expr, whole};
  }

  const Model& model_;
  std::vector<Diagnostic>& diagnostics_;
  Graph graph_;
  std::vector<std::string> parameter_names_;
  std::map<std::string, Located> parameters_;  // what each is set to
  std::map<std::string, Located> initial_;
  std::vector<Expr> at_start_;
  const Case* case_ = nullptr;
};

/// The numbers behind a text, and the checks that need them.
class SetupNumbers {
 public:
  /// `fixed` are values of parameters and components of the initial state that stand above the text.
  SetupNumbers(const SetupText& text, const Values& fixed, std::vector<Diagnostic>& diagnostics)
      : text_(text), model_(text.model()), diagnostics_(diagnostics), values_(fixed) {}

  std::optional<Setup> setup() {
    Setup result;
    for (const std::string& name : text_.parameter_names()) result.parameters.push_back(value_of_parameter(name));
    if (has_errors(diagnostics_)) return std::nullopt;
    for (const std::string& name : model_.component_names()) {
      const Located& given = text_.initial(name);
      const auto fixed = values_.find(name);
      const double value = fixed == values_.end() ? number(given.expr) : fixed->second;
      if (!std::isfinite(value))
        error(given.span, fmt::format("the initial value of {} is not a finite number", name), "a finite number");
      result.initial.push_back(value);
      state_[name] = value;
    }
    if (has_errors(diagnostics_)) return std::nullopt;
    state_["t"] = 0.0;
    result.forcing_period = forcing_period();
    check_hill();
    check_contacts();
    check_mass();
    check_fields();
    return has_errors(diagnostics_) ? std::nullopt : std::optional(result);
  }

  /// After `setup`. Looks at many states, so that it is done once and not for every point of a sweep.
  void check_section() {
    if (!model_.section) return;
    const auto jump = surface_jump(model_.section->surface.expr, model_, [&](const std::string& name) {
      const auto found = state_.find(name);
      return found == state_.end() ? value_of_parameter(name) : found->second;
    });
    if (jump)
      error(model_.section->surface.span, fmt::format("the surface of the section {}", in_words(*jump)),
            "a continuous expression, which is zero where it is crossed", advice(*jump));
  }

 private:
  /// An error; in a case it says so, and where the case is.
  Diagnostic& error(const SourceSpan& span, std::string message, std::string expected, std::string suggestion = "") {
    if (text_.variant()) message += fmt::format(" in case '{}'", printable(text_.variant()->name));
    Diagnostic& added = add_error(diagnostics_, span, std::move(message), std::move(expected), std::move(suggestion));
    if (text_.variant()) added.notes.push_back({Severity::note, text_.variant()->span, "the case is here", "", "", {}});
    return added;
  }

  /// An expression of parameters as a number.
  double number(Expr e) {
    return evaluate(e, [&](const std::string& name) { return value_of_parameter(name); });
  }

  /// An expression of SetupText::at_start at the initial state and t = 0. All of them are evaluated together.
  double at_start(Expr e) {
    const std::vector<Expr>& all = text_.at_start();
    if (start_.empty())
      start_ = evaluate(all, [&](const std::string& name) {
        const auto found = state_.find(name);
        return found == state_.end() ? value_of_parameter(name) : found->second;
      });
    return start_[static_cast<std::size_t>(std::find(all.begin(), all.end(), e) - all.begin())];
  }

  /// Parameters may be set to expressions of any others, so their order is found on the way.
  double value_of_parameter(const std::string& name) {
    if (const auto known = values_.find(name); known != values_.end()) return known->second;
    const Located& given = text_.parameter(name);
    const auto open = std::find(open_.begin(), open_.end(), name);
    if (open != open_.end()) {
      std::vector<std::string> chain(open, open_.end());
      chain.push_back(name);
      error(given.span, fmt::format("the parameter '{}' depends on itself: {}", name, fmt::join(chain, " → ")),
            "values that end in numbers");
      return values_[name] = 0.0;
    }
    open_.push_back(name);
    const double value = number(given.expr);
    open_.pop_back();
    if (const auto known = values_.find(name); known != values_.end()) return known->second;  // part of a cycle
    if (!std::isfinite(value))
      error(given.span, fmt::format("the value of parameter '{}' is not a finite number", name), "a finite number");
    return values_[name] = std::isfinite(value) ? value : 0.0;
  }

  void require_restitution(const Located& restitution, const std::string& whose) {
    const double e = number(restitution.expr);
    if (e >= 0.0 && e <= 1.0) return;
    error(restitution.span, fmt::format("the restitution of {} is {}", whose, six_digits(e)),
          "a number between 0 and 1");
  }

  double require_period(const Located& period, const std::string& what) {
    const double value = number(period.expr);
    if (value > 0.0 && std::isfinite(value)) return value;
    error(period.span, fmt::format("{} is {}", what, six_digits(value)), "a positive number");
    return 0.0;
  }

  double forcing_period() {
    if (model_.section && model_.section->modulo) require_period(*model_.section->modulo, "the modulus of the section");
    if (model_.hill) return require_period(model_.hill->period, "the period of the stiffness g");
    return model_.forcing_period ? require_period(*model_.forcing_period, "the period of the forcing") : 0.0;
  }

  void check_hill() {
    if (!model_.hill) return;
    require_restitution(model_.hill->restitution, "[hill]");
    if (!std::isfinite(at_start(model_.hill->g.expr)))
      error(model_.hill->g.span, "the stiffness g is not a finite number at t = 0", "a finite number");
    if (model_.hill->damping && !std::isfinite(number(model_.hill->damping->expr)))
      error(model_.hill->damping->span, "the damping is not a finite number", "a finite number");
  }

  void check_contacts() {
    for (const Contact& contact : model_.contacts) {
      require_restitution(contact.restitution, fmt::format("contact '{}'", contact.name));
      const double gap = at_start(contact.gap.expr);
      double scale = 1.0;
      for (const auto& [name, value] : state_) scale = std::max(scale, std::abs(value));
      constexpr double rounding = 1e-12;
      if (gap >= -rounding * scale) continue;
      if (std::isnan(gap)) {
        error(contact.gap.span,
              fmt::format("the gap of contact '{}' is not a number at the initial state", contact.name),
              "a finite number");
      } else {
        report_penetration(contact, gap);
      }
    }
  }

  /// Points at the initial value that is to blame, if one is given in the text, and at the gap.
  void report_penetration(const Contact& contact, double gap) {
    const Expr roots[] = {contact.gap.expr};
    const std::vector<Expr> used = symbols_of(roots);
    std::vector<std::string> values;
    SourceSpan place = contact.gap.span;
    for (const std::string& name : model_.coordinates) {
      if (std::none_of(used.begin(), used.end(), [&](const Expr& e) { return e.name() == name; })) continue;
      const SourceSpan& given = text_.initial(name).span;
      if (values.empty() && given.line > 0) place = given;
      values.push_back(fmt::format("{} = {}", name, six_digits(state_.at(name))));
    }
    Diagnostic& added =
        error(place,
              fmt::format("the initial state is inside the obstacle of contact '{}': its gap is {}", contact.name,
                          six_digits(gap)),
              "an initial gap of 0 or more", fmt::format("the motion starts from {}", listed(values, 6)));
    if (place.line != contact.gap.span.line)
      added.notes.push_back({Severity::note, contact.gap.span, "the gap is here", "", "", {}});
  }

  /// Cholesky: M = L Lᵀ exists exactly for a positive definite M.
  void check_mass() {
    const std::size_t n = model_.n();
    std::vector<double> M;
    for (std::size_t i = 0; i < n * n; ++i) {
      M.push_back(at_start(model_.mass[i].expr));
      if (std::isfinite(M.back())) continue;
      error(model_.mass[i].span,
            fmt::format("entry ({}, {}) of the mass matrix is not a finite number at the initial state", i / n + 1,
                        i % n + 1),
            "a finite number");
      return;
    }
    if (!is_symmetric(M)) return;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = M[i * n + j];
        for (std::size_t k = 0; k < j; ++k) sum -= M[i * n + k] * M[j * n + k];
        if (i == j && !(sum > 0.0)) {
          report_indefinite(i);
          return;
        }
        M[i * n + j] = i == j ? std::sqrt(sum) : sum / M[j * n + j];
      }
    }
  }

  bool is_symmetric(const std::vector<double>& M) {
    constexpr double tolerance = 1e-9;
    const std::size_t n = model_.n();
    double size = 0.0;
    for (const double entry : M) size = std::max(size, std::abs(entry));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (std::abs(M[i * n + j] - M[j * n + i]) <= tolerance * size) continue;
        error(model_.mass[i * n + j].span,
              fmt::format(
                  "the mass matrix is not symmetric at the initial state: entry ({}, {}) is {}, entry ({}, {}) is {}",
                  i + 1, j + 1, six_digits(M[i * n + j]), j + 1, i + 1, six_digits(M[j * n + i])),
              "equal entries on both sides of the diagonal");
        return false;
      }
    }
    return true;
  }

  void report_indefinite(std::size_t row) {
    const std::vector<std::string> upto(model_.coordinates.begin(),
                                        model_.coordinates.begin() + static_cast<std::ptrdiff_t>(row + 1));
    error(model_.mass[row * model_.n() + row].span, "the mass matrix is not positive definite at the initial state",
          "a positive kinetic energy for every motion",
          row + 1 == model_.n() ? "" : fmt::format("already its part for {} is not", listed(upto, 6)));
  }

  void check_fields() {
    for (std::size_t i = 0; i < model_.force.size(); ++i)
      require_finite(model_.force[i], fmt::format("the force on '{}'", model_.coordinates[i]));
    for (std::size_t i = 0; i < model_.rates.size(); ++i)
      require_finite(model_.rates[i], fmt::format("the rate of '{}'", model_.states[i]));
  }

  void require_finite(const Located& value, const std::string& what) {
    if (std::isfinite(at_start(value.expr))) return;
    error(value.span, fmt::format("{} is not a finite number at the initial state", what), "a finite number",
          "choose another [initial] state, or look for a division by zero");
  }

  const SetupText& text_;
  const Model& model_;
  std::vector<Diagnostic>& diagnostics_;
  Values values_;                  // of parameters, and of components that are fixed
  Values state_;                   // initial state and t
  std::vector<double> start_;      // SetupText::at_start as numbers
  std::vector<std::string> open_;  // parameters whose value is being found
};

}  // namespace

SetupReading set_up(const Model& model, const std::string& case_name, const std::vector<Assignment>& assignments) {
  SetupReading reading;
  SetupText text(model, reading.diagnostics);
  text.apply(case_name);
  if (has_errors(reading.diagnostics)) return reading;
  for (const Assignment& assignment : assignments) text.apply(assignment);
  if (has_errors(reading.diagnostics)) return reading;
  SetupNumbers numbers(text, {}, reading.diagnostics);
  reading.setup = numbers.setup();
  if (reading.setup) numbers.check_section();
  if (has_errors(reading.diagnostics)) reading.setup.reset();
  return reading;
}

struct VariedSetup::Reading {
  std::vector<Diagnostic> diagnostics;
  SetupText text;
  explicit Reading(const Model& model) : text(model, diagnostics) {}
};

VariedSetup::VariedSetup(const Model& model, const std::string& case_name, const std::vector<Assignment>& assignments,
                         std::vector<std::string> varied)
    : reading_(std::make_unique<Reading>(model)), varied_(std::move(varied)) {
  reading_->text.apply(case_name);
  for (const Assignment& assignment : assignments)
    if (std::find(varied_.begin(), varied_.end(), assignment.name) == varied_.end()) reading_->text.apply(assignment);
}

VariedSetup::~VariedSetup() = default;

std::optional<Setup> VariedSetup::at(std::span<const double> values) const {
  if (has_errors(reading_->diagnostics)) return std::nullopt;
  Values fixed;
  for (std::size_t i = 0; i < varied_.size(); ++i) fixed[varied_[i]] = values[i];
  std::vector<Diagnostic> diagnostics;
  return SetupNumbers(reading_->text, fixed, diagnostics).setup();
}

}  // namespace saltus
