#pragma once

#include <memory>
#include <string>
#include <vector>

#include "saltus/driver/request.hpp"

namespace saltus {

enum class Notation { text, latex };

/// `saltus equations`: the equations of motion as derived.
struct EquationsRequest : Request {
  Notation notation = Notation::text;
};

struct EquationsResult {
  PreparedModel prepared;
  Notation notation = Notation::text;
  std::shared_ptr<Graph> graph;  // of what was derived here
  std::vector<Expr> gap_rates;   // γ = ∂h/∂q · v + ∂h/∂t of each contact
  const std::vector<Diagnostic>& warnings() const { return prepared.warnings; }
};

EquationsResult run(const EquationsRequest& request);

}  // namespace saltus
