#include "saltus/kernel/parameter_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "saltus/base/text.hpp"
#include "saltus/expr/differentiate.hpp"
#include "saltus/expr/evaluate.hpp"

namespace saltus {
namespace {

/// An expression of parameters as a number.
double number(const Model& model, const std::vector<double>& values, Expr of_parameters) {
  return evaluate(of_parameters, [&](const std::string& name) { return values[*parameter_index(model, name)]; });
}

}  // namespace

ParameterRates::ParameterRates(std::shared_ptr<const Model> model, const Layout& layout, std::vector<double> values)
    : model_(std::move(model)), varied_(layout.varied), followers_(layout.followers), values_(std::move(values)) {
  // All derivatives now: the graph is not to be changed later, when several threads may read it.
  const auto slopes_of = [&](Expr value, std::size_t before) {
    std::vector<Slope> slopes;
    for (std::size_t i = 0; i < before; ++i) {
      const Expr symbol = model_->parameters[i].symbol;
      if (depends_on(value, symbol)) slopes.push_back({i, differentiate(value, symbol)});
    }
    return slopes;
  };
  for (const Follower& follower : followers_)
    slopes_.push_back(slopes_of(model_->parameters[follower.parameter].value, follower.parameter));
  if (model_->forcing_period && !varied_.empty())
    period_slopes_ = slopes_of(model_->forcing_period->expr, model_->parameters.size());
}

std::vector<double> ParameterRates::start() const {
  std::vector<double> result;
  for (const std::size_t j : varied_) result.push_back(values_[j]);
  return result;
}

ParameterPoint ParameterRates::at(std::span<const double> varied) const {
  std::vector<double> values = values_;
  for (std::size_t c = 0; c < varied_.size(); ++c) values[varied_[c]] = varied[c];
  std::vector<std::size_t> following;
  if (!std::equal(varied.begin(), varied.end(), start().begin()))  // where nothing moved, nothing follows
    for (const Follower& follower : followers_) following.push_back(follower.parameter);
  std::sort(following.begin(), following.end());  // an expression uses only parameters that stand before it
  for (const std::size_t j : following) values[j] = number(*model_, values, model_->parameters[j].value);

  ParameterPoint point;
  point.inputs = values;
  point.period = model_->forcing_period ? number(*model_, values, model_->forcing_period->expr) : 0.0;
  point.problem = problem_of(values, point.period);
  for (std::size_t c = 0; c < varied_.size(); ++c) {
    const std::vector<double> rate = rates(values, c);
    for (const Follower& follower : followers_)
      if (follower.column == c) point.inputs.push_back(rate[follower.parameter]);
    if (!model_->forcing_period) continue;
    double slope = 0.0;
    for (const Slope& s : period_slopes_)
      if (rate[s.by] != 0.0) slope += rate[s.by] * number(*model_, values, s.value);
    point.period_rates.push_back(slope);
  }
  return point;
}

std::string ParameterRates::problem_of(const std::vector<double>& values, double period) const {
  for (std::size_t j = 0; j < values.size(); ++j)
    if (!std::isfinite(values[j]))
      return fmt::format("the value of parameter '{}' is not a finite number", model_->parameters[j].name);
  if (model_->forcing_period && !(period > 0.0 && std::isfinite(period)))
    return fmt::format("the period of the forcing is {}", six_digits(period));
  for (const Contact& contact : model_->contacts) {
    const double e = number(*model_, values, contact.restitution.expr);
    if (!(e >= 0.0 && e <= 1.0))
      return fmt::format("the restitution of contact '{}' is {}", contact.name, six_digits(e));
  }
  return "";
}

std::vector<double> ParameterRates::rates(const std::vector<double>& values, std::size_t column) const {
  std::vector<double> rate(values.size(), 0.0);
  rate[varied_[column]] = 1.0;
  for (std::size_t f = 0; f < followers_.size(); ++f) {
    if (followers_[f].column != column) continue;
    for (const Slope& s : slopes_[f])
      if (rate[s.by] != 0.0) rate[followers_[f].parameter] += rate[s.by] * number(*model_, values, s.value);
  }
  return rate;
}

std::vector<bool> followed_parameters(const Model& model, const std::string& case_name,
                                      const std::vector<Assignment>& assignments,
                                      const std::vector<std::size_t>& varied) {
  std::vector<bool> followed(model.parameters.size(), true);
  const auto keep = [&](const std::string& name) {
    if (const auto j = parameter_index(model, name)) followed[*j] = false;
  };
  for (const Case& variant : model.cases)
    if (variant.name == case_name)
      for (const auto& entry : variant.parameters) keep(entry.first);
  for (const Assignment& assignment : assignments) keep(assignment.name);
  for (const std::size_t j : varied) followed[j] = false;
  return followed;
}

std::optional<std::size_t> parameter_index(const Model& model, const std::string& name) {
  for (std::size_t j = 0; j < model.parameters.size(); ++j)
    if (model.parameters[j].name == name) return j;
  return std::nullopt;
}

}  // namespace saltus
