#pragma once

#include <string>
#include <vector>

#include "saltus/driver/request.hpp"
#include "saltus/kernel/program.hpp"

namespace saltus {

/// The stages between the model file and compiled code that can be looked at.
enum class Stage { model, expr, kernel };

/// `saltus show`: a bug is found by finding the first wrong stage.
struct ShowRequest : Request {
  Stage stage = Stage::model;
  std::string kernel;  // only this one; empty: all
};

/// One expression of the model, and where it is written.
struct ShownExpr {
  std::string name;  // "force on z", "gap of contact 'floor'"
  Expr expr;
  SourceSpan span;
};

struct ShownKernel {
  std::string name;
  std::size_t nodes = 0;  // of its expressions
  Program program;
};

struct ShowResult {
  PreparedModel prepared;
  Stage stage = Stage::model;
  std::vector<ShownExpr> expressions;  // stages model and expr
  std::vector<ShownKernel> kernels;    // stage kernel
  const std::vector<Diagnostic>& warnings() const { return prepared.warnings; }
};

/// Throws Error(usage) if there is no such kernel.
ShowResult run(const ShowRequest& request);

}  // namespace saltus
