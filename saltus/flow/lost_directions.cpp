#include "saltus/flow/lost_directions.hpp"

#include "saltus/flow/held_field.hpp"
#include "saltus/numerics/decompositions.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {

Matrix kept_gradients(const Mechanism& mechanism, double t, const Vector& x, const Mode& mode) {
  const std::size_t m = mechanism.layout().contacts;
  const Matrix jets = mechanism.jets(t, x, mode);
  std::vector<Vector> rows;
  const auto add = [&](std::size_t row) { rows.push_back(jets.row(index(row)).head(x.size()).transpose()); };
  for (std::size_t i = 0; i < m; ++i) {
    const Kept kept = row_of(mode.contacts()[i]).kept;
    if (kept != Kept::nothing) add(i);
    if (kept == Kept::value_and_rate) add(mechanism.layout().rate_jet(i));
  }
  for (std::size_t k = 0; k < mode.switches().size(); ++k)
    if (mode.slides_alone(k)) add(mechanism.layout().switch_jet(k));
  if (mode.any_held()) {
    const Matrix held = HeldField(mechanism, mode).kept_gradients(t, x);
    for (Index i = 0; i < held.rows(); ++i) rows.push_back(held.row(i).transpose());
  }
  Matrix all(index(rows.size()), x.size());
  for (std::size_t i = 0; i < rows.size(); ++i) all.row(index(i)) = rows[i].transpose();
  return all;
}

std::size_t lost_directions(const Mechanism& mechanism, double t, const Vector& x, const Mode& mode) {
  constexpr double dependent_below = 1e-7;  // what differences leave of gradients of rates
  if (!mode.annihilates()) return 0;
  Matrix rows = kept_gradients(mechanism, t, x, mode);
  for (Index i = 0; i < rows.rows(); ++i)
    if (const double size = rows.row(i).norm(); size > 0.0) rows.row(i) /= size;
  const Vector sigma = singular_values(rows);
  return static_cast<std::size_t>((sigma.array() > dependent_below).count());
}

}  // namespace saltus
