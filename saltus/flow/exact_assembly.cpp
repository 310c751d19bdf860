#include "saltus/flow/exact_assembly.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/flow/exact_arithmetic.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

/// Powers of two that make rows and columns of A about equally large (Osborne): a spring of stiffness w² then counts as w.
Vector balancing(const Matrix& A) {
  Vector scale = Vector::Ones(A.rows());
  for (int pass = 0; pass < 20; ++pass) {
    bool changed = false;
    for (Index i = 0; i < A.rows(); ++i) {
      double row = 0.0;
      double column = 0.0;
      for (Index j = 0; j < A.rows(); ++j) {
        if (j == i) continue;
        row += std::abs(A(i, j)) * scale[j] / scale[i];
        column += std::abs(A(j, i)) * scale[i] / scale[j];
      }
      if (row == 0.0 || column == 0.0) continue;
      const double factor = std::exp2(std::round(0.5 * std::log2(row / column)));
      if (factor == 1.0) continue;
      scale[i] *= factor;
      changed = true;
    }
    if (!changed) break;
  }
  return scale;
}

/// ‖A²⁰‖^(1/20) in the row-sum norm: between the spectral radius and the norm, 0 for a chain of integrators.
double growth_of(const Matrix& A) {
  const double norm = A.rows() > 0 ? A.cwiseAbs().rowwise().sum().maxCoeff() : 0.0;
  if (norm == 0.0) return 0.0;
  const Matrix one = A / norm;
  const Matrix two = one * one;
  const Matrix four = two * two;
  const Matrix sixteen = (four * four) * (four * four);
  const double twenty = (sixteen * four).cwiseAbs().rowwise().sum().maxCoeff();
  return norm * std::pow(twenty, 1.0 / 20.0);
}

class Assembly {
 public:
  Assembly(const Kernels& kernels, const std::vector<double>& p, const Mode& mode)
      : kernels_(kernels), layout_(kernels.layout()), p_(p), mode_inputs_(mode_inputs(mode)) {
    result_.mode = mode;
    result_.masked = mode.is_masked();
    result_.N = layout_.N();
    result_.beyond.assign(layout_.switches, nullptr);
  }

  ExactMode result() {
    result_.linear = !result_.mode.any_held();  // what ends a hold is not linear
    if (result_.linear) read();
    if (result_.linear) {
      fill();
      choose_step();
      for (const AffineValue& value : events_) result_.events.push_back(row_of(value));
      for (std::size_t i = layout_.N(); i < field_.size(); ++i) result_.multipliers.push_back(row_of(field_[i]));
      fill_guards();
      fill_powers();
    }
    return std::move(result_);
  }

 private:
  AffineInputs inputs() const { return {layout_.N(), p_, mode_inputs_}; }

  void read() {
    const std::size_t N = layout_.N();
    const bool masked = result_.mode.is_masked();
    const std::size_t varied = layout_.varied.size();
    const std::size_t multipliers = masked ? layout_.contacts + layout_.switches : 0;
    if (varied == 0) {
      field_ = affine_outputs(kernels_.program(masked ? "sliding" : "field"), inputs(), N + multipliers);
    } else {
      // ẋ, the columns, then λ and w. With a zero tangent the parameter columns are F_p, the others 0.
      const std::size_t end = N + layout_.tangent_rates();
      const auto all =
          affine_outputs(kernels_.program(masked ? "sliding_tangent" : "field_tangent"), inputs(), end + multipliers);
      const auto at = [&](std::size_t i) { return all.begin() + static_cast<std::ptrdiff_t>(i); };
      field_.assign(at(0), at(N));
      field_.insert(field_.end(), at(end), at(end + multipliers));
      for (std::size_t c = 0; c < varied; ++c) {
        parameter_rates_.insert(parameter_rates_.end(), layout_.n, AffineValue{});  // δq̇ = δv = 0
        for (std::size_t i = layout_.n; i < N; ++i)
          parameter_rates_.push_back(all[N + layout_.tangent_rate(i, layout_.state_columns + c)]);
      }
    }
    if (!result_.mode.any_closed()) {
      trace_ = affine_outputs(kernels_.program("divergence"), inputs(), 1).front();
    } else {
      Mode open = result_.mode;
      for (std::size_t i = 0; i < layout_.contacts; ++i) open.open(i);
      const std::vector<double> free = mode_inputs(open);
      trace_ = affine_outputs(kernels_.program("divergence"), {layout_.N(), p_, free}, 1).front();
    }
    const std::size_t events = layout_.contacts + layout_.switches + layout_.surfaces;
    if (events > 0) events_ = affine_outputs(kernels_.program("events"), inputs(), events);
    for (const auto* values : {&field_, &parameter_rates_})
      for (const AffineValue& value : *values) {
        result_.linear = result_.linear && !value.left && std::isfinite(value.constant);
        result_.basis.include(value);
      }
    for (const AffineValue& value : events_)
      if (!value.left) result_.basis.include(value);
    result_.m = result_.basis.size();
    result_.trace = trace_.left ? 0.0 : trace_.constant;
  }

  /// Rows of values as matrices stored by columns, x part and u part.
  void matrices(std::span<const AffineValue> rows, std::vector<double>& x, std::vector<double>& u) const {
    const std::size_t N = layout_.N();
    x.assign(N * N, 0.0);
    u.assign(N * result_.m, 0.0);
    for (std::size_t i = 0; i < N; ++i) {
      for (std::size_t j = 0; j < rows[i].coefficients.size(); ++j) x[j * N + i] = rows[i].coefficients[j];
      const std::vector<double> row = result_.basis.row_of(rows[i]);
      for (std::size_t j = 0; j < row.size(); ++j) u[j * N + i] = row[j];
    }
  }

  void fill() {
    const std::size_t N = layout_.N();
    const std::span<const AffineValue> field(field_);
    matrices(field.first(N), result_.A, result_.B);
    const std::span<const AffineValue> rates(parameter_rates_);
    for (std::size_t c = 0; c < layout_.varied.size(); ++c) {
      result_.dA.emplace_back();
      result_.dB.emplace_back();
      matrices(rates.subspan(c * N, N), result_.dA.back(), result_.dB.back());
    }
    fill_rates();
  }

  void fill_rates() {
    std::vector<double> unit(result_.m, 0.0);
    std::vector<double> image(result_.m);
    for (std::size_t j = 0; j < result_.m; ++j) {
      unit[j] = 1.0;
      result_.basis.derivative(unit.data(), image.data());
      unit[j] = 0.0;
      for (std::size_t i = 0; i < result_.m; ++i)
        if (image[i] != 0.0) result_.S.push_back({i, j, image[i]});
    }
  }

  void fill_guards() {
    result_.guards = guards_of(result_.mode);
    fill_guard_ends();
  }

  /// sign · (value − offset) and its rate; the first function of time is 1.
  void fill_guard_ends() {
    const std::size_t quads = (result_.guards.size() + 3) / 4;
    const std::size_t rows = 8 * quads;
    result_.guard_quads = quads;
    result_.guard_ends.assign(rows * result_.M(), 0.0);
    for (std::size_t g = 0; g < result_.guards.size(); ++g) {
      const Guard& guard = result_.guards[g];
      const ExactRow& row = result_.row_of(guard, layout_);
      result_.linear = result_.linear && row.affine;
      result_.guard_errors.push_back(row.error);
      for (const auto& [j, c] : row.value) result_.guard_ends[j * rows + g] = guard.sign * c;
      for (const auto& [j, c] : row.rate) result_.guard_ends[j * rows + 4 * quads + g] = guard.sign * c;
      result_.guard_ends[layout_.N() * rows + g] -= guard.sign * guard.offset;
    }
  }

  void choose_step() {
    const Index N = index(layout_.N());
    const Matrix A = Eigen::Map<const Matrix>(result_.A.data(), N, N);
    const Vector scale = balancing(A);
    const Matrix balanced = scale.cwiseInverse().asDiagonal() * A * scale.asDiagonal();
    const double rho = std::max(growth_of(balanced), result_.basis.fastest());
    set_step(rho);
    const Vector weight = scale.cwiseInverse();
    result_.weight.assign(weight.data(), weight.data() + N);
    norm_ = balanced.rows() > 0 ? balanced.cwiseAbs().rowwise().sum().maxCoeff() : 0.0;
    const Matrix B =
        scale.cwiseInverse().asDiagonal() * Eigen::Map<const Matrix>(result_.B.data(), N, index(result_.m)).cwiseAbs();
    forcing_ = B.size() > 0 ? B.rowwise().sum().maxCoeff() : 0.0;
  }

  /// A chain of integrators is a polynomial of time: all of it in one step, if it is not too long for that.
  void set_step(double rho) {
    int powers = 0;
    for (const TimeBasis::Block& block : result_.basis.blocks()) powers = std::max(powers, block.highest);
    const int index = std::max(4, static_cast<int>(layout_.N()) + powers + 1);
    const bool is_polynomial = rho == 0.0 && index <= highest_degree;
    result_.step = is_polynomial ? std::numeric_limits<double>::infinity() : rho > 0.0 ? 1.0 / rho : 1.0;
    result_.unit = is_polynomial ? 1.0 : result_.step;
    if (is_polynomial) result_.degree = index;
    result_.quads = (static_cast<std::size_t>(result_.degree) + 4) / 4;
  }

  /// row Â: the rate of a row along the motion.
  std::vector<double> rate_of(const std::vector<double>& row) const {
    const std::size_t N = layout_.N();
    const std::size_t m = result_.m;
    std::vector<double> rate(N + m, 0.0);
    for (std::size_t j = 0; j < N; ++j)
      for (std::size_t i = 0; i < N; ++i) rate[j] += row[i] * result_.A[j * N + i];
    for (std::size_t j = 0; j < m; ++j)
      for (std::size_t i = 0; i < N; ++i) rate[N + j] += row[i] * result_.B[j * N + i];
    std::vector<double> unit(m, 0.0);
    std::vector<double> image(m);
    for (std::size_t j = 0; j < m; ++j) {
      unit[j] = 1.0;
      result_.basis.derivative(unit.data(), image.data());
      for (std::size_t i = 0; i < m; ++i) rate[N + j] += row[N + i] * image[i];
      unit[j] = 0.0;
    }
    return rate;
  }

  ExactRow row_of(const AffineValue& value) const {
    ExactRow row;
    row.affine = !value.left;
    if (!row.affine) return row;
    std::vector<double> all = value.coefficients;
    all.resize(layout_.N(), 0.0);
    const std::vector<double> time = result_.basis.row_of(value);
    all.insert(all.end(), time.begin(), time.end());
    const auto terms_of = [](const std::vector<double>& numbers) {
      std::vector<ExactRow::Term> terms;
      for (std::size_t i = 0; i < numbers.size(); ++i)
        if (numbers[i] != 0.0) terms.push_back({i, numbers[i]});
      return terms;
    };
    row.value = terms_of(all);
    row.rate = terms_of(rate_of(all));
    fill_series(row, all);
    bound_cubic(row, all);
    return row;
  }

  void fill_series(ExactRow& row, std::vector<double> derivative) const {
    row.series.assign(4 * result_.quads * result_.M(), 0.0);
    for (std::size_t k = 0; k <= static_cast<std::size_t>(result_.degree); ++k) {
      for (std::size_t j = 0; j < result_.M(); ++j) row.series[4 * result_.quads * j + k] = derivative[j];
      derivative = rate_of(derivative);
      for (double& c : derivative) c *= result_.unit / static_cast<double>(k + 1);
    }
  }

  /// How far the cubic through values and rates at the ends of a step can be from the row: h⁴/384 max|s⁗|.
  void bound_cubic(ExactRow& row, const std::vector<double>& value) const {
    const double infinity = std::numeric_limits<double>::infinity();
    row.error.by_u = infinity;  // not known: look at every step
    if (!std::isfinite(result_.step) || result_.basis.has_powers()) return;
    const std::vector<double> fourth = rate_of(rate_of(rate_of(rate_of(value))));
    const double h = result_.step;
    const double factor = h * h * h * h / 384.0;
    const double growth = std::exp(norm_ * h);
    double of_x = 0.0;
    double of_u = 0.0;
    for (std::size_t i = 0; i < layout_.N(); ++i) of_x += std::abs(fourth[i]) / result_.weight[i];
    for (std::size_t i = layout_.N(); i < fourth.size(); ++i) of_u += std::abs(fourth[i]);
    row.error.by_x = factor * growth * of_x;
    row.error.by_u = factor * (growth * of_x * h * forcing_ + of_u);
  }

  /// exp of the augmented system, column by column: its Taylor terms, and their sum over one step.
  void fill_powers() {
    const std::size_t N = layout_.N();
    const std::size_t M = result_.M();
    const auto terms = static_cast<std::size_t>(result_.degree) + 1;
    if (N <= largest_tabulated) result_.powers.resize(terms * N * M);
    const std::size_t parts = std::isfinite(result_.step) ? ExactMode::parts : 0;
    result_.over.assign(parts + 1, {std::vector<double>(N * M), std::vector<double>(result_.m * result_.m)});
    result_.over_step_p.assign(layout_.varied.size(), std::vector<double>(N * M, 0.0));
    TaylorPath path;
    std::vector<double> z(M, 0.0);
    for (std::size_t j = 0; j < M; ++j) {
      z[j] = 1.0;
      exact_arithmetic(N).expand(result_, z.data(), z.data() + N, path);
      z[j] = 0.0;
      double factor = 1.0;
      for (std::size_t k = 0; N <= largest_tabulated && k < terms; ++k, factor *= result_.unit)
        for (std::size_t i = 0; i < N; ++i) result_.powers[(k * M + j) * N + i] = factor * path.x[k * N + i];
      for (std::size_t part = 0; part <= parts; ++part) fill_part(part, j, path);
      for (std::size_t c = 0; parts > 0 && c < layout_.varied.size(); ++c)
        exact_arithmetic(N).carry_parameter(result_, path, c, result_.step, result_.over_step_p[c].data() + j * N);
    }
  }

  /// Column j of the matrices over parts of a step, from its path.
  void fill_part(std::size_t part, std::size_t j, const TaylorPath& path) {
    const std::size_t N = layout_.N();
    const std::size_t m = result_.m;
    const double tau = part == 0 ? 0.0 : result_.step * static_cast<double>(part) / ExactMode::parts;
    exact_arithmetic(N).evaluate(path.x.data(), path.degree, tau, result_.over[part].z.data() + j * N, N);
    for (std::size_t i = 0; j >= N && i < m; ++i) {
      double sum = 0.0;
      for (int k = path.degree; k >= 0; --k) sum = sum * tau + path.u[static_cast<std::size_t>(k) * m + i];
      result_.over[part].u[(j - N) * m + i] = sum;
    }
  }

  const Kernels& kernels_;
  const Layout& layout_;
  const std::vector<double>& p_;
  std::vector<double> mode_inputs_;
  std::vector<AffineValue> field_, parameter_rates_, events_;
  AffineValue trace_;
  double norm_ = 0.0;
  double forcing_ = 0.0;
  ExactMode result_;
};

}  // namespace

ExactMode assembled_mode(const Kernels& kernels, const std::vector<double>& parameter_inputs, const Mode& mode) {
  return Assembly(kernels, parameter_inputs, mode).result();
}

}  // namespace saltus
