#pragma once

#include <optional>
#include <vector>

#include "saltus/kernel/tape.hpp"
#include "saltus/model/model.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {

/// The integrands as programs of (t, q, v, p).
class TimeIntegrands {
 public:
  explicit TimeIntegrands(const Model& model);

  std::size_t switches() const { return switches_; }

  /// p = M v, G = f + Ṁ v and their derivatives by q and v.
  struct Forms {
    Vector p, G;
    Matrix p_q, p_v, G_q, G_v;
  };
  void evaluate(double t, const Vector& x, const std::vector<double>& parameters, Forms& to) const;

  /// Values of the switching functions, then per function its derivatives by q, v, t.
  Vector surfaces(double t, const Vector& x, const std::vector<double>& parameters) const;

 private:
  static std::vector<Expr> forms(const Model& model);

  static Tape<double> program(const Model& model, const std::vector<Expr>& outputs);

  std::size_t n_;
  std::size_t switches_ = 0;
  Tape<double> forms_;
  std::optional<Tape<double>> surfaces_;
};

}  // namespace saltus
