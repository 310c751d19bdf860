#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "saltus/model/model.hpp"

namespace saltus {

/// The numbers of a model for many values of some of its parameters and initial values: the text is read once. Not changed after
/// construction, safe in many threads; the model must live as long.
class VariedSetup {
 public:
  /// Settings of what is varied are left out of `assignments`.
  VariedSetup(const Model& model, const std::string& case_name, const std::vector<Assignment>& assignments,
              std::vector<std::string> varied);
  ~VariedSetup();

  /// What `set_up` gives with these values as the last assignments, to the last bit. Nothing: it would report an error.
  std::optional<Setup> at(std::span<const double> values) const;

 private:
  struct Reading;
  std::unique_ptr<Reading> reading_;
  std::vector<std::string> varied_;
};

}  // namespace saltus
