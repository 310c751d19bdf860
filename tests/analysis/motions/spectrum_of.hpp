#pragma once

#include <gtest/gtest.h>
// The spectrum of a model's motion in one call, for tests.

#include <stdexcept>
#include <string>
#include <vector>

#include "saltus/analysis/motions/lyapunov.hpp"
#include "saltus/expr/evaluate.hpp"

namespace saltus::test {

/// A spectrum whose motion came to its end.
inline LyapunovSpectrum whole(const LyapunovSpectrum& spectrum) {
  EXPECT_EQ(spectrum.outcome, Outcome::reached_end);
  return spectrum;
}

/// A model with its numbers and kernels, with its section if it has one.
class Mechanics {
 public:
  static Mechanics of(const std::string& text, const std::string& case_name = "",
                      const std::vector<Assignment>& set = {}, const std::vector<unsigned>& widths = {1}) {
    return Mechanics(read_model("model.toml", text), case_name, set, widths);
  }
  static Mechanics example(const std::string& name, const std::string& case_name = "",
                           const std::vector<Assignment>& set = {}, const std::vector<unsigned>& widths = {1}) {
    return Mechanics(read_model_file("examples/" + name + ".toml"), case_name, set, widths);
  }

  const Kernels& kernels() const { return *kernels_; }
  const Setup& setup() const { return setup_; }
  double value_of(const std::string& name) const {
    for (std::size_t i = 0; i < model_->parameters.size(); ++i)
      if (model_->parameters[i].name == name) return setup_.parameters[i];
    throw std::runtime_error("no parameter " + name);
  }
  LyapunovStart start() const {
    return {Eigen::Map<const Vector>(setup_.initial.data(), static_cast<Eigen::Index>(setup_.initial.size())),
            setup_.parameters, setup_.forcing_period};
  }
  LyapunovOptions with_section(LyapunovOptions options) const {
    if (!model_->section) return options;
    const auto value = [&](const std::string& name) { return value_of(name); };
    const auto& section = *model_->section;
    options.section = Watch{0, section.direction, section.modulo ? evaluate(section.modulo->expr, value) : 0.0};
    return options;
  }
  LyapunovSpectrum spectrum(const LyapunovOptions& options) const {
    return lyapunov_spectra(*kernels_, {start()}, with_section(options)).front();
  }

 private:
  Mechanics(const ModelReading& reading, const std::string& case_name, const std::vector<Assignment>& set,
            const std::vector<unsigned>& widths)
      : model_(reading.model) {
    if (!model_) throw std::runtime_error(rendered(reading.diagnostics));
    const SetupReading numbers = set_up(*model_, case_name, set);
    if (!numbers.setup) throw std::runtime_error(rendered(numbers.diagnostics));
    setup_ = *numbers.setup;
    KernelOptions wanted;
    if (model_->section) wanted.surfaces = {model_->section->surface.expr};
    kernels_ = std::make_shared<const Kernels>(*model_, wanted, widths);
  }

  std::shared_ptr<const Model> model_;
  Setup setup_;
  std::shared_ptr<const Kernels> kernels_;
};

}  // namespace saltus::test
