#pragma once

#include <optional>
#include <string>
#include <vector>

#include "saltus/analysis/orbits/orbit_plan.hpp"
#include "saltus/driver/request.hpp"
#include "saltus/result/json_text.hpp"

namespace saltus {

/// An orbit as a file holds it.
struct StoredOrbit {
  std::vector<double> varied = {};  // values of the varied parameters in the file, in the order of `names`
  std::vector<std::string> names = {};
  Vector x = {};
  long returns = 1;
  double period = 0.0;  // 0: not known
  std::string label = {};
  std::optional<PlannedOrbit> orbit = {};  // with its sequence, of special points
};

/// The orbits of a file, and of its recipe the case, the settings and the model.
struct StoredOrbits {
  std::vector<StoredOrbit> orbits;
  std::string case_name;
  std::vector<Assignment> assignments;
  std::vector<std::string> components;  // empty: the file does not say
  std::string model_text;               // the same
  std::optional<Diagnostic> warning;    // the text of the model is another one
};

/// A file written by `saltus orbit` or `saltus continue`, or by anybody: every index, length and name of a kind in it is checked
/// against the model before it is used. Throws Error(file) with the place of what is wrong, Error(usage) if components, contacts
/// or switches of the file's model have other names or another order.
StoredOrbits read_orbits(const std::string& path, const Model& model, double forcing_period);

/// So many segments of an orbit, and returns, are solved for together: memory grows with their square, time with their cube.
std::size_t most_segments(std::size_t dimension);

/// Throws Error(file) if the orbit cannot be one of the model.
void require_fitting(const StoredOrbit& stored, const Model& model);

Json to_json(const PlannedOrbit& orbit);

}  // namespace saltus
