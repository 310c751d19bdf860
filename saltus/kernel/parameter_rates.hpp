#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "saltus/kernel/layout.hpp"
#include "saltus/model/model.hpp"

namespace saltus {

/// All numbers that a motion needs of the parameters, at one value of the varied ones.
struct ParameterPoint {
  std::vector<double> inputs;        // all parameters, then the followers' rates: Layout::parameter_inputs()
  double period = 0.0;               // of the forcing, 0: autonomous
  std::vector<double> period_rates;  // ∂period/∂p of the varied parameters; empty without forcing
  std::string problem;  // why the model has no meaning here ("the restitution of contact 'stop' is 1.2"); else empty
};

/// The parameters of a model as functions of a few varied ones. Those whose value in the model file is an expression of a
/// varied one follow it (Layout::followers), with the rates ∂p_j/∂p_c by the chain rule over these expressions; all others
/// keep the number they have.
class ParameterRates {
 public:
  /// `layout`: of kernels with the varied parameters; `values`: all parameters, Setup::parameters.
  ParameterRates(std::shared_ptr<const Model> model, const Layout& layout, std::vector<double> values);

  std::size_t count() const { return varied_.size(); }
  /// The varied ones as given.
  std::vector<double> start() const;
  /// Everything with the varied parameters at `varied`, one number for each.
  ParameterPoint at(std::span<const double> varied) const;
  ParameterPoint at_start() const { return at(start()); }

 private:
  /// ∂(value of a follower or of the period)/∂(another parameter), as an expression of parameters.
  struct Slope {
    std::size_t by;
    Expr value;
  };
  std::string problem_of(const std::vector<double>& values, double period) const;
  /// ∂p/∂p_c of all parameters.
  std::vector<double> rates(const std::vector<double>& values, std::size_t column) const;

  std::shared_ptr<const Model> model_;
  std::vector<std::size_t> varied_;
  std::vector<Follower> followers_;
  std::vector<double> values_;
  std::vector<std::vector<Slope>> slopes_;  // one list per follower
  std::vector<Slope> period_slopes_;
};

/// Which parameters keep to their expression in the model file, for KernelOptions::followed: those that are not varied
/// themselves and that neither the case nor an assignment sets.
std::vector<bool> followed_parameters(const Model& model, const std::string& case_name,
                                      const std::vector<Assignment>& assignments,
                                      const std::vector<std::size_t>& varied);

/// Index of a parameter; nothing if there is none of the name.
std::optional<std::size_t> parameter_index(const Model& model, const std::string& name);

}  // namespace saltus
