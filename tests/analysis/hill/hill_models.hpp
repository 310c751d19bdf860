#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "saltus/analysis/hill/hill_equation.hpp"
#include "saltus/model/model.hpp"

namespace saltus {

/// A [hill] model with parameters alpha and beta and what else the text says.
inline std::shared_ptr<const Model> hill_model(const std::string& g, const std::string& period = "pi",
                                               const std::string& damping = "0") {
  const std::string text = "[parameters]\nalpha = 1\nbeta = 0\n[hill]\ng = \"" + g + "\"\nperiod = \"" + period +
                           "\"\nrestitution = 0.5\ndamping = \"" + damping + "\"\n";
  const ModelReading reading = read_model("hill.toml", text);
  EXPECT_TRUE(reading.model) << rendered(reading.diagnostics);
  return reading.model;
}

inline const HillEquation& mathieu() {
  static const HillEquation equation(*hill_model("alpha + 2*beta*cos(2*t)"), 4);
  return equation;
}

inline const HillEquation& meissner() {
  static const HillEquation equation(*hill_model("if(cos(2*t) > 0, alpha + 2*beta, alpha - 2*beta)"), 4);
  return equation;
}

/// exp of [0 1; −k 0] over a time: the monodromy for a constant stiffness k.
inline Eigen::Matrix2d constant_stiffness(double k, double t) {
  const double w = std::sqrt(std::abs(k));
  const double c = k > 0.0 ? std::cos(w * t) : std::cosh(w * t);
  const double s = w == 0.0 ? t : (k > 0.0 ? std::sin(w * t) : std::sinh(w * t)) / w;
  Eigen::Matrix2d phi;
  phi << c, s, -k * s, c;
  return phi;
}

}  // namespace saltus
