#include "saltus/flow/held_field.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "saltus/numerics/decompositions.hpp"
#include "saltus/numerics/hull.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

constexpr double part_of_time = 1e-3;
constexpr double farthest = 1e3;  // a gauge beyond which it does not matter how far zero is from the hull

/// All sides of the chosen switches, the rest of the mode as it is.
std::vector<Mode> sides_of(const Mode& mode, std::span<const std::size_t> switches) {
  std::vector<Mode> corners;
  for (std::size_t code = 0; code < std::size_t{1} << switches.size(); ++code) {
    Mode corner = mode;
    for (std::size_t i = 0; i < switches.size(); ++i) corner.pass(switches[i], (code >> i & 1) != 0 ? 1.0 : -1.0);
    corners.push_back(std::move(corner));
  }
  return corners;
}

/// f′(0) by four values, with error h⁴.
template <class Function>
auto derivative(double h, Function f) {
  return ((8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h)).eval();
}

double spread(const Eigen::RowVectorXd& row) { return row.maxCoeff() - row.minCoeff(); }

/// What rounding of a field makes of ṡ, relative to the sizes of its terms.
constexpr double rounding_of_rates = 1e-12;

}  // namespace

/// The fields of all sides, and the rate of each held function in them: ṡ or s̈.
struct HeldField::Sides {
  std::vector<FieldValue> fields;
  Matrix rates;

  Vector weights() const { return weights_of_zero(rates); }
};

HeldField::HeldField(const Mechanism& mechanism, const Mode& mode) : mechanism_(mechanism), mode_(mode) {
  for (std::size_t k = 0; k < mode.switches().size(); ++k)
    if (mode.is_held(k)) held_.push_back(k);
  std::copy_if(held_.begin(), held_.end(), std::back_inserter(kept_),
               [&](std::size_t k) { return !mechanism.layout().has_root(k, mechanism.parameters()); });
  if (kept_.empty()) kept_ = held_;
  corners_ = sides_of(mode, held_);
}

/// s of the held functions.
Vector HeldField::values(double t, const Vector& x) const {
  const Vector all = mechanism_.events(t, x, Vector::Zero(x.size()), corners_.front()).value;
  Vector result(index(kept_.size()));
  for (std::size_t i = 0; i < kept_.size(); ++i) result[index(i)] = all[index(mechanism_.layout().contacts + kept_[i])];
  return result;
}

Matrix HeldField::gradients(double t, const Vector& x) const {
  const Matrix jets = mechanism_.jets(t, x, corners_.front());
  Matrix result(index(kept_.size()), x.size());
  for (std::size_t i = 0; i < kept_.size(); ++i)
    result.row(index(i)) = jets.row(index(mechanism_.layout().switch_jet(kept_[i]))).head(x.size());
  return result;
}

Vector HeldField::across(double t, const Vector& x) const {
  constexpr double short_way = 1e-7;
  const Matrix G = gradients(t, x);
  return short_way * (x.cwiseAbs().maxCoeff() + 1e-3) * solution_despite_noise(G, G.rowwise().norm());
}

/// The nearest state with s = 0.
Vector HeldField::on_surfaces(double t, Vector x) const {
  for (int count = 0; count < 4; ++count) {
    const Vector s = values(t, x);
    if (s.cwiseAbs().maxCoeff() == 0.0) break;
    x -= solution_despite_noise(gradients(t, x), s);
  }
  return x;
}

/// The field of one side on the surfaces.
FieldValue HeldField::side(double t, const Vector& x, const Mode& corner) const {
  if (!mechanism_.has_roots()) return mechanism_.field(t, x, corner);
  const Vector way = across(t, x);
  const FieldValue here = mechanism_.field(t, x + way, corner);
  const FieldValue there = mechanism_.field(t, x - way, corner);
  return {0.5 * (here.rate + there.rate), 0.5 * (here.force + there.force), 0.5 * (here.weight + there.weight)};
}

/// ṡ of the held functions, in the middle of all sides.
Vector HeldField::function_rates(double t, const Vector& x) const {
  Vector sum = Vector::Zero(index(kept_.size()));
  for (const Mode& corner : corners_) {
    const Vector rate = mechanism_.events(t, x, side(t, x, corner).rate, corner).rate;
    for (std::size_t i = 0; i < kept_.size(); ++i)
      sum[index(i)] += rate[index(mechanism_.layout().contacts + kept_[i])];
  }
  return sum / static_cast<double>(corners_.size());
}

/// A time in which the state changes by a small part of itself.
double HeldField::small_time(double t, const Vector& x) const {
  double speed = 0.0;
  for (const Mode& corner : corners_) speed = std::max(speed, side(t, x, corner).rate.cwiseAbs().maxCoeff());
  const double turn = speed > 0.0 ? (x.cwiseAbs().maxCoeff() + 1e-3) / speed : 1e-3;
  return part_of_time * std::max(turn, 1e-4 * std::abs(t));
}

/// s̈ of the held functions when the motion leaves in a direction along their surfaces.
Vector HeldField::along(double t, const Vector& x, const Vector& direction) const {
  const bool roots = mechanism_.has_roots();
  return derivative(small_time(t, x), [&](double dt) {
    const Vector moved = x + dt * direction;
    return function_rates(t + dt, roots ? on_surfaces(t + dt, moved) : moved);
  });
}

HeldField::Sides HeldField::look(double t, const Vector& x) const {
  const bool some_second = std::any_of(kept_.begin(), kept_.end(), [&](std::size_t k) { return is_second(k); });
  Sides sides{{}, Matrix(index(kept_.size()), index(corners_.size()))};
  for (std::size_t c = 0; c < corners_.size(); ++c) {
    sides.fields.push_back(side(t, x, corners_[c]));
    const Vector& F = sides.fields.back().rate;
    const Vector first = mechanism_.events(t, x, F, corners_[c]).rate;
    const Vector second = some_second ? along(t, x, F) : Vector();
    for (std::size_t i = 0; i < kept_.size(); ++i)
      sides.rates(index(i), index(c)) =
          is_second(kept_[i]) ? second[index(i)] : first[index(mechanism_.layout().contacts + kept_[i])];
  }
  clear_rests(t, x, sides);
  return sides;
}

/// On a surface where all sides come to rest, as on a root of its function, ṡ is nothing but rounding.
void HeldField::clear_rests(double t, const Vector& x, Sides& sides) const {
  if (!mechanism_.has_roots()) return;
  const Vector noise = rounding_of_rates * sizes_of_rates(t, x, sides);
  for (std::size_t i = 0; i < kept_.size(); ++i)
    if (!is_second(kept_[i]) && sides.rates.row(index(i)).cwiseAbs().maxCoeff() <= noise[index(i)])
      sides.rates.row(index(i)).setZero();
}

/// Of the terms whose sum is ṡ, the largest on any side; 0 where a surface has no finite normal.
Vector HeldField::sizes_of_rates(double t, const Vector& x, const Sides& sides) const {
  const Matrix G = gradients(t, x).cwiseAbs();
  Vector sizes = Vector::Zero(G.rows());
  for (const FieldValue& field : sides.fields) sizes = sizes.cwiseMax(G * field.rate.cwiseAbs());
  for (double& size : sizes) size = std::isfinite(size) ? size : 0.0;
  return sizes;
}

FieldValue HeldField::at(double t, const Vector& x) const {
  Vector held = x;
  if (mechanism_.has_roots()) project_state(t, held);
  const Sides sides = look(t, held);
  const Vector alpha = sides.weights();
  FieldValue sum{Vector::Zero(x.size()), Vector::Zero(index(mechanism_.layout().contacts)),
                 Vector::Zero(index(mechanism_.layout().switches))};
  for (std::size_t c = 0; c < corners_.size(); ++c) {
    sum.rate += alpha[index(c)] * sides.fields[c].rate;
    sum.force += alpha[index(c)] * sides.fields[c].force;
    sum.weight += alpha[index(c)] * sides.fields[c].weight;
  }
  for (const std::size_t k : held_) sum.weight[index(k)] = 0.5;
  sum.weight[index(held_.front())] = 0.5 * (1.0 + std::min(gauge_of_zero(sides.rates), farthest));
  return sum;
}

void HeldField::write(double t, Strided<const double> y, Strided<double> out, bool with_columns) const {
  const Layout& layout = mechanism_.layout();
  const std::size_t N = layout.N();
  Vector x(index(N));
  for (std::size_t i = 0; i < N; ++i) x[index(i)] = y[i];
  const FieldValue field = at(t, x);
  for (std::size_t i = 0; i < N; ++i) out[i] = field.rate[index(i)];
  std::size_t behind = N;
  if (with_columns) {
    Matrix tangent(index(N), index(layout.columns()));
    for (std::size_t c = 0; c < layout.columns(); ++c)
      for (std::size_t i = 0; i < N; ++i) tangent(index(i), index(c)) = y[N + layout.tangent(i, c)];
    const Matrix rates = column_rates(t, x, tangent);
    for (std::size_t c = 0; c < layout.columns(); ++c)
      for (std::size_t i = layout.n; i < N; ++i) out[N + layout.tangent_rate(i, c)] = rates(index(i), index(c));
    behind += layout.tangent_rates();
  }
  for (std::size_t i = 0; i < layout.contacts; ++i) out[behind + i] = field.force[index(i)];
  for (std::size_t k = 0; k < layout.switches; ++k) out[behind + layout.contacts + k] = field.weight[index(k)];
}

double HeldField::gauge(double t, const Vector& x) const { return gauge_of_zero(look(t, x).rates); }

bool HeldField::is_determined(double t, const Vector& x) const {
  const Sides sides = look(t, x);
  Matrix both(sides.rates.rows() + x.size(), sides.rates.cols());
  both.topRows(sides.rates.rows()) = sides.rates;
  for (std::size_t c = 0; c < corners_.size(); ++c) both.col(index(c)).tail(x.size()) = sides.fields[c].rate;
  return dimension_of_hull(both) == dimension_of_hull(sides.rates);
}

bool HeldField::is_smooth(double t, const Vector& x) const {
  constexpr double near = 1e-8;
  constexpr double steep = 100.0;  // changes of the field in a small time, relative to the change of the state
  const double size = x.cwiseAbs().maxCoeff() + 1e-3;
  const double time = small_time(t, x) / part_of_time;
  const Vector F = at(t, x).rate;
  for (Index i = 0; i < x.size(); ++i)
    for (const double side : {-1.0, 1.0}) {
      const Vector beside = x + side * near * size * Vector::Unit(x.size(), i);
      const Vector changed = at(t, beside).rate - F;
      if (!(changed.cwiseAbs().maxCoeff() * time <= steep * near * size)) return false;
    }
  return true;
}

bool HeldField::rests_on_surfaces(double t, const Vector& x, double scale) const {
  constexpr double small = 1e-6;
  const Sides sides = look(t, x);
  const Vector passing = function_rates(t, x);
  for (std::size_t i = 0; i < kept_.size(); ++i)
    if (is_second(kept_[i]) &&
        !(std::abs(passing[index(i)]) <= small * scale * sides.rates.row(index(i)).cwiseAbs().maxCoeff()))
      return false;
  return true;
}

bool HeldField::is_left_to(double side, double t, const Vector& x) const {
  constexpr double beyond_doubt = 1e-8;
  const Index row = index(mechanism_.layout().contacts + held_.front());
  const Vector way = across(t, x);
  return std::all_of(corners_.begin(), corners_.end(), [&](const Mode& corner) {
    const auto speed = [&](double off) {
      const Vector F = mechanism_.field(t, x + off * way, corner).rate;
      return side * mechanism_.events(t, x, F, corner).rate[row];
    };
    const double by_roots = 0.5 * std::abs(speed(1.0) - speed(-1.0));
    return 0.5 * (speed(1.0) + speed(-1.0)) > beyond_doubt * by_roots;
  });
}

std::optional<double> HeldField::time_let_go(double t, const Vector& x, double pace) const {
  constexpr double shortest = 1e-13;
  const Vector F = at(t, x).rate;
  const auto is_over = [&](double after) { return gauge(t + after, x + after * F) > 1.0; };
  for (double time = pace; 0.01 * time > shortest * std::abs(t) && time > 1e-12 * pace; time *= 0.1)
    if (is_over(0.1 * time) && is_over(0.01 * time)) return time;
  return std::nullopt;
}

std::optional<double> HeldField::side_let_go(double t, const Vector& x) const {
  if (held_.size() != 1) return std::nullopt;
  const Matrix rates = look(t, x).rates;
  return std::abs(rates(0, 0)) < std::abs(rates(0, 1)) ? -1.0 : 1.0;
}

// ---- derivatives -------------------------------------------------------------------------------------------------------

/// ∂ value(field, t, x) along columns of (x, p): those behind the states move their parameter, and all that follows it, too.
template <class Function>
Matrix HeldField::differences(double t, const Vector& x, const Matrix& directions, Function value) const {
  const Layout& layout = mechanism_.layout();
  const double size = x.cwiseAbs().maxCoeff() + 1e-3;
  const Vector here = value(*this, t, x);
  Matrix result = Matrix::Zero(here.size(), directions.cols());
  for (Index c = 0; c < directions.cols(); ++c) {
    const double length = directions.col(c).cwiseAbs().maxCoeff();
    const bool of_parameter = c >= index(layout.state_columns) && layout.state_columns > 0;
    if (!(length > 0.0) && !of_parameter) continue;
    const double h = part_of_time * size / std::max(length, of_parameter ? 1.0 : 0.0);
    result.col(c) = derivative(h, [&](double by) -> Vector {
      if (!of_parameter) return value(*this, t, x + by * directions.col(c));
      std::vector<double> p(mechanism_.parameters(), mechanism_.parameters() + layout.parameter_inputs());
      const std::size_t column = static_cast<std::size_t>(c) - layout.state_columns;
      for (std::size_t f = 0; f < layout.followers.size(); ++f)
        if (layout.followers[f].column == column) p[layout.followers[f].parameter] += by * p[layout.parameters + f];
      p[layout.varied[column]] += by;
      const Mechanism moved(mechanism_.kernels(), p);
      return value(HeldField(moved, mode_), t, x + by * directions.col(c));
    });
  }
  return result;
}

Matrix HeldField::column_rates(double t, const Vector& x, const Matrix& tangent) const {
  return differences(t, x, tangent,
                     [](const HeldField& field, double at, const Vector& y) { return field.at(at, y).rate; });
}

/// What is zero while the motion is held: s of all held functions, then ṡ of those whose s̈ the sides enter.
Vector HeldField::constraints(double t, const Vector& x) const {
  const Vector s = values(t, x);
  const Vector rates = function_rates(t, x);
  std::vector<double> all(s.begin(), s.end());
  for (std::size_t i = 0; i < kept_.size(); ++i)
    if (is_second(kept_[i])) all.push_back(rates[index(i)]);
  return Eigen::Map<const Vector>(all.data(), index(all.size()));
}

Matrix HeldField::kept_gradients(double t, const Vector& x) const {
  const auto value = [](const HeldField& field, double at, const Vector& y) { return field.constraints(at, y); };
  std::vector<Vector> columns;  // one by one: a column behind those of the state would be a parameter's
  for (Index i = 0; i < x.size(); ++i) columns.push_back(differences(t, x, Vector(Vector::Unit(x.size(), i)), value));
  Matrix J(columns.front().size(), x.size());
  for (Index i = 0; i < x.size(); ++i) J.col(i) = columns[static_cast<std::size_t>(i)];
  return J;
}

Vector HeldField::kept_rates(double t, const Vector& x) const {
  return derivative(small_time(t, x), [&](double dt) { return constraints(t + dt, x); });
}

void HeldField::project_state(double t, Vector& x) const {
  for (int count = 0; count < 3; ++count) {
    const Vector excess = constraints(t, x);
    if (excess.cwiseAbs().maxCoeff() == 0.0) return;
    x -= solution_despite_noise(kept_gradients(t, x), excess);
  }
}

void HeldField::project_columns(double t, const Vector& x, Matrix& tangent) const {
  const auto value = [](const HeldField& field, double at, const Vector& y) { return field.constraints(at, y); };
  // Off the surfaces roots change ṡ by no law that is linear: only columns along them are seen without.
  const int rounds = mechanism_.has_roots() ? 2 : 1;
  for (int count = 0; count < rounds; ++count) {
    const Matrix excess = differences(t, x, tangent, value);
    const Matrix J = kept_gradients(t, x);
    for (Index c = 0; c < tangent.cols(); ++c) tangent.col(c) -= solution_despite_noise(J, excess.col(c));
  }
}

// ---- which derivative ------------------------------------------------------------------------------------------------------

std::optional<Mode> HeldField::held_by(const Mechanism& mechanism, Mode mode, std::span<const std::size_t> switches,
                                       double t, const Vector& x, double scale) {
  constexpr double small = 1e-4;
  for (std::size_t k = 0; k < mode.switches().size(); ++k)
    if (mode.is_held(k)) mode.pass(k, mode.side(k));
  Mode first = mode;
  Mode second = mode;
  for (const std::size_t k : switches) {
    mode.hold(k, 1);
    first.hold(k, 1);
    second.hold(k, 2);
  }
  const HeldField by_first(mechanism, first);
  const Sides sides = by_first.look(t, x);
  const Matrix& once = sides.rates;
  const Matrix twice = HeldField(mechanism, second).look(t, x).rates;
  const Vector noise = rounding_of_rates / by_first.small_time(t, x) * by_first.sizes_of_rates(t, x, sides);
  for (std::size_t row = 0; row < by_first.kept_.size(); ++row) {
    const double by_one = spread(once.row(index(row)));
    const double by_two = spread(twice.row(index(row)));
    if (!std::isfinite(by_one) || !std::isfinite(by_two)) return std::nullopt;
    const bool rests = mechanism.has_roots() && once.row(index(row)).isZero(0.0) && by_two <= noise[index(row)];
    const bool enters_first = rests || by_one > small * scale * by_two;
    if (!enters_first && !(by_two > 0.0)) return std::nullopt;
    mode.hold(by_first.kept_[row], enters_first ? 1 : 2);
  }
  if (!HeldField(mechanism, mode).follows_kept(t, x)) return std::nullopt;
  return mode;
}

/// Where the kept functions are zero those that are roots of them must be so too: elsewhere on the surfaces, all along them.
bool HeldField::follows_kept(double t, const Vector& x) const {
  constexpr double way = 1e-2;
  constexpr double same = 1e-2;
  if (kept_.size() == held_.size()) return true;
  const SingularFactors factors = singular_factors(kept_gradients(t, x));
  const double size = x.cwiseAbs().maxCoeff() + 1e-3;
  for (Index c = 0; c < x.size(); ++c) {
    if (c < factors.sigma.size() && factors.sigma[c] > 1e-9 * factors.sigma[0]) continue;
    Vector beside = x + way * size * factors.V.col(c);
    project_state(t, beside);
    const Vector s = mechanism_.events(t, beside, Vector::Zero(x.size()), corners_.front()).value;
    for (const std::size_t k : held_)
      if (!(std::abs(s[index(mechanism_.layout().contacts + k)]) <= same * way * size)) return false;
  }
  return true;
}

}  // namespace saltus
