#pragma once
// Orbits of the examples in a test's own words.

#include <gtest/gtest.h>

#include <memory>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "saltus/analysis/branches/orbit_branch.hpp"
#include "tests/support/impact_oscillator_closed_form.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus::test {

inline std::string digits(double value) {
  std::ostringstream out;
  out.precision(17);
  out << value;
  return out.str();
}

/// A model with varied parameters, ready for orbits; the last of the varied ones is followed.
class Orbits {
 public:
  Orbits(const std::string& name, const std::vector<std::string>& varied, const std::vector<Assignment>& set,
         const std::string& case_name = "")
      : model_(read_model_file("examples/" + name + ".toml").model) {
    setup_ = *set_up(*model_, case_name, set).setup;
    KernelOptions wanted;
    for (const std::string& parameter : varied) wanted.varied.push_back(*parameter_index(*model_, parameter));
    wanted.followed = followed_parameters(*model_, case_name, set, wanted.varied);
    if (model_->section) {
      wanted.surfaces = {model_->section->surface.expr};
      place_.section = Watch{0, model_->section->direction, model_->section->modulo ? 2.0 * std::numbers::pi : 0.0};
    }
    kernels_ = std::make_unique<Kernels>(*model_, wanted);
    rates_ = std::make_unique<ParameterRates>(model_, kernels_->layout(), setup_.parameters);
  }

  OrbitSystem system() const { return {*kernels_, options(), *rates_, place_}; }
  static FlowOptions options() {
    return {.rtol = 1e-12, .atol = 1e-13, .tangent_rtol = 1e-12, .method = FlowMethod::runge_kutta};
  }
  const Kernels& kernels() const { return *kernels_; }
  const ParameterRates& rates() const { return *rates_; }
  const Setup& setup() const { return setup_; }
  Vector initial() const {
    return Eigen::Map<const Vector>(setup_.initial.data(), static_cast<Eigen::Index>(setup_.initial.size()));
  }

  /// The orbit of k returns near x.
  PlannedOrbit near(const Vector& x, long k = 1) const {
    const PlanReading read = read_plan(*kernels_, options(), *rates_, rates_->start(), x, k, place_);
    if (!read.orbit) throw std::runtime_error(read.problem);
    const CorrectedOrbit found = nearby_orbit(system(), *read.orbit, {});
    if (!found.orbit) throw std::runtime_error(found.problem);
    return *found.orbit;
  }

  BranchOptions bounds(double lower, double upper) const {
    BranchOptions options;
    options.curve.lower = lower;
    options.curve.upper = upper;
    options.names = event_names(*model_);
    return options;
  }

 private:
  std::shared_ptr<const Model> model_;
  Setup setup_;
  ReturnPlace place_;
  std::unique_ptr<Kernels> kernels_;
  std::unique_ptr<ParameterRates> rates_;
};

inline const BranchPoint& labelled(const Branch& branch, const std::string& label) {
  for (const BranchPoint& point : branch.points)
    if (point.label == label) return point;
  throw std::runtime_error("no point " + label);
}

inline std::vector<std::string> labels_of(const Branch& branch) {
  std::vector<std::string> labels;
  for (const BranchPoint& point : branch.points)
    if (!point.label.empty()) labels.push_back(point.label);
  return labels;
}

}  // namespace saltus::test
