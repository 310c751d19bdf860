#include "saltus/driver/time_dependence.hpp"

#include <fmt/format.h>

#include <cmath>
#include <unordered_map>

#include "saltus/base/text.hpp"
#include "saltus/expr/evaluate.hpp"

namespace saltus {
namespace {

/// Everything that moves the model, with its place.
std::vector<Located> moving_parts(const Model& model) {
  std::vector<Located> all;
  for (const auto* part : {&model.mass, &model.force, &model.rates}) all.insert(all.end(), part->begin(), part->end());
  for (const Contact& contact : model.contacts) {
    all.push_back(contact.gap);
    all.push_back(contact.restitution);
  }
  return all;
}

std::optional<SourceSpan> use_of_t(const Model& model) {
  for (const Located& each : moving_parts(model))
    if (depends_on(each.expr, model.t)) return each.span;
  return std::nullopt;
}

/// Values of the parts at a state beside the initial one. States and instants are spread irregularly, so that no switching
/// instant is among them.
class Probe {
 public:
  Probe(const PreparedModel& prepared, std::vector<Expr> parts) : model_(*prepared.model), parts_(std::move(parts)) {
    for (std::size_t i = 0; i < model_.parameters.size(); ++i)
      values_[model_.parameters[i].name] = prepared.setup.parameters[i];
    for (const auto* symbols : {&model_.q, &model_.v, &model_.z})
      for (const Expr& symbol : *symbols) state_.push_back(symbol.name());
    initial_ = prepared.setup.initial;
  }

  static double irregular(std::size_t i) {
    return std::fmod(0.2718281828459045 + 0.6180339887498949 * static_cast<double>(i), 1.0);
  }

  std::vector<double> at(double t, std::size_t state) {
    for (std::size_t i = 0; i < state_.size(); ++i)
      values_[state_[i]] = initial_[i] + 0.5 * (irregular(7 * state + 3 * i + 1) - 0.5);
    values_[model_.t.name()] = t;
    return evaluate(parts_, [&](const std::string& name) { return values_.at(name); });
  }

 private:
  const Model& model_;
  std::vector<Expr> parts_;
  std::vector<std::string> state_;
  std::vector<double> initial_;
  std::unordered_map<std::string, double> values_;
};

std::optional<Diagnostic> no_repetition(const PreparedModel& prepared) {
  const double T = prepared.setup.forcing_period;
  std::vector<Located> parts;
  std::vector<Expr> exprs;
  for (const Located& each : moving_parts(*prepared.model))
    if (depends_on(each.expr, prepared.model->t)) {
      parts.push_back(each);
      exprs.push_back(each.expr);
    }
  if (parts.empty()) return std::nullopt;
  Probe probe(prepared, exprs);
  constexpr std::size_t instants = 23;
  for (std::size_t k = 0; k < instants; ++k) {
    const double t = T * Probe::irregular(k);
    const std::vector<double> now = probe.at(t, k);
    const std::vector<double> later = probe.at(t + T, k);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const double size = std::max({1.0, std::abs(now[i]), std::abs(later[i])});
      if (!(std::abs(now[i] - later[i]) > 1e-8 * size)) continue;  // not finite: no motion there
      return Diagnostic{Severity::warning,
                        parts[i].span,
                        fmt::format("this does not repeat after the forcing period {}: in the same state it is {} at "
                                    "t = {} and {} one period later",
                                    six_digits(T), six_digits(now[i]), six_digits(t), six_digits(later[i])),
                        "",
                        "correct the period in [forcing], or this expression",
                        {}};
    }
  }
  return std::nullopt;
}

}  // namespace

bool depends_on_time(const Model& model) { return use_of_t(model).has_value(); }

std::optional<Diagnostic> doubtful_time(const PreparedModel& prepared) {
  if (is_hill(prepared)) return std::nullopt;
  if (prepared.setup.forcing_period > 0.0) return no_repetition(prepared);
  const auto place = use_of_t(*prepared.model);
  if (!place) return std::nullopt;
  return Diagnostic{Severity::warning,
                    *place,
                    "the model depends on t, but has no [forcing]",
                    "",
                    "add [forcing] with its period, or the motion is judged as one without forcing",
                    {}};
}

void require_repeating(const PreparedModel& prepared) {
  std::optional<Diagnostic> doubt = doubtful_time(prepared);
  if (!doubt) return;
  doubt->severity = Severity::error;
  if (prepared.setup.forcing_period == 0.0) doubt->suggestion = "add [forcing] with its period";
  throw ModelError(ExitCode::model, {*doubt});
}

}  // namespace saltus
