#include "saltus/analysis/motions/translations.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <string>

#include "saltus/expr/evaluate.hpp"
#include "saltus/numerics/decompositions.hpp"
#include "saltus/numerics/lattice.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

/// The conditions on translations of some components at some parameters: rows · δ = 0, and whole rows · δ ∈ ℤ.
struct Conditions {
  std::vector<Vector> fixed, whole;
};

void add_conditions(const Invariance& invariance, std::span<const double> parameters, Conditions& conditions) {
  std::map<std::string, double> values;
  for (std::size_t i = 0; i < invariance.parameters.size(); ++i) values[invariance.parameters[i]] = parameters[i];
  const auto value_of = [&](const std::string& name) { return values.at(name); };
  const std::vector<std::size_t>& components = invariance.components;
  for (const LinearForm& form : invariance.forms) {
    Vector row = Vector::Zero(index(components.size()));
    for (std::size_t j = 0; j < components.size(); ++j)
      if (const auto found = form.coefficients.find(components[j]); found != form.coefficients.end())
        row[index(j)] = evaluate(found->second, value_of);
    if (row.isZero(0.0)) continue;
    if (!row.allFinite()) row = row.unaryExpr([](double c) { return c == 0.0 ? 0.0 : 1.0; });
    if (form.period > 0.0) conditions.whole.push_back(row / form.period);
    else conditions.fixed.push_back(row);
  }
}

Matrix rows_of(const std::vector<Vector>& rows, std::size_t columns) {
  std::vector<const Vector*> distinct;
  for (const Vector& row : rows) {
    const auto is_same = [&](const Vector* other) { return *other == row || *other == -row; };
    if (std::none_of(distinct.begin(), distinct.end(), is_same)) distinct.push_back(&row);
  }
  Matrix matrix(index(distinct.size()), index(columns));
  for (std::size_t i = 0; i < distinct.size(); ++i) matrix.row(index(i)) = distinct[i]->transpose();
  return matrix;
}

/// The parameters with varied ones moved a little, and what follows them: a translation that depends on them is none at both.
std::vector<double> moved_parameters(const Layout& layout, std::span<const double> parameters) {
  std::vector<double> moved(parameters.begin(), parameters.end());
  for (std::size_t c = 0; c < layout.varied.size(); ++c) {
    const double change =
        0.0127317 * std::max(1e-3, std::abs(parameters[layout.varied[c]])) / (1.0 + 0.618 * static_cast<double>(c));
    moved[layout.varied[c]] += change;
    for (std::size_t k = 0; k < layout.followers.size(); ++k)
      if (layout.followers[k].column == c)
        moved[layout.followers[k].parameter] += change * parameters[layout.parameters + k];
  }
  return moved;
}

/// Rows of some components as rows of all N.
Matrix spread(const Matrix& columns, const std::vector<std::size_t>& components, std::size_t N) {
  Matrix all = Matrix::Zero(index(N), columns.cols());
  for (std::size_t j = 0; j < components.size(); ++j) all.row(index(components[j])) = columns.row(index(j));
  return all;
}

Translations under(const Conditions& conditions, const Invariance& invariance, std::size_t N) {
  const std::size_t size = invariance.components.size();
  if (size == 0) return {};
  const LatticeSolution found = solve_on_lattice(rows_of(conditions.fixed, size), rows_of(conditions.whole, size));
  return {spread(found.cyclic, invariance.components, N), spread(found.lattice, invariance.components, N)};
}

}  // namespace

Translations::Translations(Matrix cyclic, Matrix lattice) : cyclic_(std::move(cyclic)), lattice_(std::move(lattice)) {
  if (cyclic_.cols() > 0) {
    // Each direction is told by a component of its own.
    const Echelon e = echelon(cyclic_.transpose());
    held_ = e.columns;
    cyclic_ = e.reduced.transpose();
    for (auto column : lattice_.colwise())
      for (std::size_t k = 0; k < held_.size(); ++k) column -= column[held_[k]] * cyclic_.col(index(k));
  }
  if (lattice_.cols() == 0) return;
  pivots_ = echelon(lattice_.transpose()).columns;
  Matrix square(lattice_.cols(), lattice_.cols());
  for (std::size_t i = 0; i < pivots_.size(); ++i) square.row(index(i)) = lattice_.row(pivots_[i]);
  inverse_ = LuFactors(square).inverse();
}

Translations Translations::of_angles(std::size_t dimension, const std::vector<double>& periods) {
  Matrix lattice = Matrix::Zero(index(dimension), 0);
  for (std::size_t i = 0; i < periods.size(); ++i) {
    if (!(periods[i] > 0.0)) continue;
    lattice.conservativeResize(Eigen::NoChange, lattice.cols() + 1);
    lattice.col(lattice.cols() - 1) = periods[i] * Vector::Unit(index(dimension), index(i));
  }
  return {Matrix::Zero(index(dimension), 0), lattice};
}

Vector Translations::drift(const Vector& difference) const {
  Vector y(index(held_.size()));
  for (std::size_t k = 0; k < held_.size(); ++k) y[index(k)] = difference[held_[k]];
  return y;
}

Vector Translations::without_drift(const Vector& difference) const {
  if (held_.empty()) return difference;
  Vector rest = difference - cyclic_ * drift(difference);
  for (const Index i : held_) rest[i] = 0.0;  // not merely to rounding
  return rest;
}

/// Where a difference without drift is in the lattice, in units of its columns.
Vector Translations::phases(const Vector& rest) const {
  Vector at(index(pivots_.size()));
  for (std::size_t k = 0; k < pivots_.size(); ++k) at[index(k)] = rest[pivots_[k]];
  return inverse_ * at;
}

Vector Translations::turns(const Vector& difference) const {
  if (pivots_.empty()) return Vector::Zero(difference.size());
  return lattice_ * phases(without_drift(difference)).array().round().matrix();
}

Vector Translations::remainder(const Vector& difference) const {
  Vector rest = without_drift(difference);
  if (!pivots_.empty()) rest -= lattice_ * phases(rest).array().round().matrix();
  return rest;
}

Drift Translations::drift_of(const Vector& difference) const {
  Drift drift;
  for (Index i = 0; i < difference.size() && !held_.empty(); ++i)
    if (!cyclic_.row(i).isZero(0.0)) drift[static_cast<std::size_t>(i)] = difference[i];
  return drift;
}

double Translations::period(Index i) const {
  constexpr int most_columns = 64;  // of the lattice, in the translation of a single component
  if (pivots_.empty() || i >= lattice_.rows() || lattice_.row(i).isZero(0.0)) return 0.0;
  const Vector unit = Vector::Unit(lattice_.rows(), i);
  const Vector n = phases(unit);
  if (!(lattice_ * n).isApprox(unit, 1e-9)) return 0.0;
  const double largest = n.cwiseAbs().maxCoeff();
  for (int k = 1; k <= most_columns; ++k) {
    const Vector times = (static_cast<double>(k) / largest) * n;
    if ((times - times.array().round().matrix()).cwiseAbs().maxCoeff() < 1e-8) return static_cast<double>(k) / largest;
  }
  return 0.0;
}

std::vector<double> Translations::periods(std::size_t count) const {
  std::vector<double> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(period(index(i)));
  return all;
}

bool Translations::is_turned(Eigen::Index i) const {
  return i < lattice_.rows() && lattice_.cols() > 0 && !lattice_.row(i).isZero(0.0);
}

bool Translations::is_carried(Eigen::Index i) const {
  const bool drifts = i < cyclic_.rows() && cyclic_.cols() > 0 && !cyclic_.row(i).isZero(0.0);
  return drifts || (is_turned(i) && period(i) <= 0.0);
}

std::vector<double> Translations::invariants(const Vector& x) const {
  Vector rest = without_drift(x);
  std::vector<double> result(2 * static_cast<std::size_t>(x.size()), 0.0);
  const Vector at = pivots_.empty() ? Vector() : phases(rest);
  if (!pivots_.empty()) rest -= lattice_ * at;
  for (std::size_t i = 0; i < static_cast<std::size_t>(x.size()); ++i) {
    result[2 * i] = rest[index(i)];
    result[2 * i + 1] = rest[index(i)] * rest[index(i)];
  }
  for (std::size_t k = 0; k < pivots_.size(); ++k) {
    const auto i = static_cast<std::size_t>(pivots_[k]);
    result[2 * i] = std::cos(2.0 * std::numbers::pi * at[index(k)]);
    result[2 * i + 1] = std::sin(2.0 * std::numbers::pi * at[index(k)]);
  }
  return result;
}

Translations translations_of(const Invariance& invariance, std::size_t N, std::span<const double> parameters) {
  Conditions conditions;
  add_conditions(invariance, parameters, conditions);
  return under(conditions, invariance, N);
}

Translations translations_of(const Kernels& kernels, std::span<const double> parameters) {
  const Layout& layout = kernels.layout();
  const Invariance& invariance = kernels.invariance();
  Conditions conditions;
  add_conditions(invariance, parameters, conditions);
  if (!layout.varied.empty()) add_conditions(invariance, moved_parameters(layout, parameters), conditions);
  return under(conditions, invariance, layout.N());
}

}  // namespace saltus
