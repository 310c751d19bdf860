#include "saltus/flow/exact_mode.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "saltus/flow/index.hpp"

namespace saltus {

// ---- functions of time ------------------------------------------------------------------------------------------------

void TimeBasis::include(const AffineValue& value) {
  for (const TimeTerm& term : value.terms) {
    auto block = std::find_if(blocks_.begin(), blocks_.end(),
                              [&](const Block& b) { return std::abs(b.w - term.w) <= 1e-14 * term.w; });
    if (block == blocks_.end()) block = blocks_.insert(blocks_.end(), {term.w, 0});
    block->highest = std::max(block->highest, term.power);
  }
}

std::size_t TimeBasis::size() const {
  std::size_t size = 0;
  for (const Block& block : blocks_) size += static_cast<std::size_t>(block.highest + 1) * (block.w > 0.0 ? 2 : 1);
  return size;
}

double TimeBasis::fastest() const {
  double fastest = 0.0;
  for (const Block& block : blocks_) fastest = std::max(fastest, block.w);
  return fastest;
}

bool TimeBasis::has_powers() const {
  return std::any_of(blocks_.begin(), blocks_.end(), [](const Block& block) { return block.highest > 0; });
}

void TimeBasis::values(double t, double* u) const {
  for (const Block& block : blocks_) {
    const double cosine = block.w > 0.0 ? std::cos(block.w * t) : 1.0;
    const double sine = block.w > 0.0 ? std::sin(block.w * t) : 0.0;
    double power = 1.0;
    for (int j = 0; j <= block.highest; ++j) {
      *u++ = power * cosine;
      if (block.w > 0.0) *u++ = power * sine;
      power *= t / (j + 1);
    }
  }
}

void TimeBasis::derivative(const double* u, double* out) const {
  for (const Block& block : blocks_) {
    if (block.w > 0.0) {
      for (int j = 0; j <= block.highest; ++j, u += 2, out += 2) {
        out[0] = (j > 0 ? u[-2] : 0.0) - block.w * u[1];
        out[1] = (j > 0 ? u[-1] : 0.0) + block.w * u[0];
      }
    } else {
      for (int j = 0; j <= block.highest; ++j, ++u, ++out) *out = j > 0 ? u[-1] : 0.0;
    }
  }
}

std::vector<double> TimeBasis::row_of(const AffineValue& value) const {
  std::vector<double> row(size(), 0.0);
  row[0] = value.constant;
  for (const TimeTerm& term : value.terms) {
    std::size_t first = 0;
    for (const Block& block : blocks_) {
      const std::size_t width = block.w > 0.0 ? 2 : 1;
      if (std::abs(block.w - term.w) <= 1e-14 * term.w) {
        const std::size_t at = first + width * static_cast<std::size_t>(term.power);
        const double factorial = std::tgamma(term.power + 1.0);
        row[at] += factorial * term.cosine;
        if (width == 2) row[at + 1] += factorial * term.sine;
        break;
      }
      first += width * static_cast<std::size_t>(block.highest + 1);
    }
  }
  return row;
}

// ---- arithmetic ---------------------------------------------------------------------------------------------------------

namespace {

constexpr std::size_t most_terms = 64;

/// 1/k.
constexpr std::array<double, most_terms> reciprocals = [] {
  std::array<double, most_terms> all{};
  for (std::size_t k = 1; k < most_terms; ++k) all[k] = 1.0 / static_cast<double>(k);
  return all;
}();

/// Loops over a fixed number of rows; Dynamic: any.
template <int Rows>
struct Fixed {
  using V = Eigen::Matrix<double, Rows, 1>;
  using In = Eigen::Map<const V>;
  using Out = Eigen::Map<V>;

  static In in(const double* x, std::size_t N) { return In(x, static_cast<Eigen::Index>(N)); }
  static Out out(double* x, std::size_t N) { return Out(x, static_cast<Eigen::Index>(N)); }

  static void multiply(const double* M, const double* x, double* to, std::size_t N, std::size_t columns, bool more) {
    V sum = more ? V(in(to, N)) : V(V::Zero(static_cast<Eigen::Index>(N)));
    for (std::size_t j = 0; j < columns; ++j) sum += x[j] * in(M + j * N, N);
    out(to, N) = sum;
  }

  static void expand(const ExactMode& mode, const double* x, const double* u, TaylorPath& path) {
    const std::size_t N = mode.N;
    const std::size_t m = mode.m;
    path.degree = mode.degree;
    const auto terms = static_cast<std::size_t>(mode.degree) + 1;
    path.x.resize(terms * N);
    path.u.resize(terms * m);
    std::copy_n(x, N, path.x.data());
    std::copy_n(u, m, path.u.data());
    for (std::size_t k = 1; k < terms; ++k) {
      const double* const x_k = path.x.data() + (k - 1) * N;
      const double* const u_k = path.u.data() + (k - 1) * m;
      V sum = V::Zero(static_cast<Eigen::Index>(N));
      for (std::size_t j = 0; j < N; ++j) sum += x_k[j] * in(mode.A.data() + j * N, N);
      // The first function of time is 1, whose rates vanish.
      for (std::size_t j = k == 1 ? 0 : 1; j < m; ++j) sum += u_k[j] * in(mode.B.data() + j * N, N);
      const double factor = reciprocals[k];
      out(path.x.data() + k * N, N) = factor * sum;
      double* const next = path.u.data() + k * m;
      std::fill_n(next, m, 0.0);
      for (const ExactMode::Rate& rate : mode.S) next[rate.of] += factor * rate.c * u_k[rate.by];
    }
  }

  static void evaluate(const double* coefficients, int degree, double tau, double* to, std::size_t N) {
    V sum = in(coefficients + static_cast<std::size_t>(degree) * N, N);
    for (int k = degree - 1; k >= 0; --k) sum = sum * tau + in(coefficients + static_cast<std::size_t>(k) * N, N);
    out(to, N) = sum;
  }

  static void carry(const ExactMode& mode, double tau, double* columns, std::size_t count) {
    const std::size_t N = mode.N;
    for (std::size_t c = 0; c < count; ++c) {
      V term = in(columns + c * N, N);
      V sum = term;
      for (int k = 1; k <= mode.degree; ++k) {
        V next = V::Zero(static_cast<Eigen::Index>(N));
        for (std::size_t j = 0; j < N; ++j) next += term[static_cast<Eigen::Index>(j)] * in(mode.A.data() + j * N, N);
        term = (tau / k) * next;
        sum += term;
      }
      out(columns + c * N, N) = sum;
    }
  }

  /// ż = A z + dA x + dB u along the path.
  static void carry_parameter(const ExactMode& mode, const TaylorPath& path, std::size_t c, double tau,
                              double* column) {
    const std::size_t N = mode.N;
    const std::size_t m = mode.m;
    V term = in(column, N);  // z_k τ^k
    V sum = term;
    double power = 1.0;  // τ^(k − 1)
    for (int k = 1; k <= mode.degree; ++k) {
      const std::size_t row = static_cast<std::size_t>(k - 1);
      V next = V::Zero(static_cast<Eigen::Index>(N));
      for (std::size_t j = 0; j < N; ++j) next += term[static_cast<Eigen::Index>(j)] * in(mode.A.data() + j * N, N);
      for (std::size_t j = 0; j < N; ++j) next += (power * path.x[row * N + j]) * in(mode.dA[c].data() + j * N, N);
      for (std::size_t j = 0; j < m; ++j) next += (power * path.u[row * m + j]) * in(mode.dB[c].data() + j * N, N);
      term = (tau / k) * next;
      sum += term;
      power *= tau;
    }
    out(column, N) = sum;
  }

  static constexpr ExactArithmetic table = {multiply, expand, evaluate, carry, carry_parameter};
};

#if defined(__x86_64__)
/// Four rows in one register of processors that have such: the sums of Fixed<4> in their order, and so bit for bit.
struct Wide {
  using V [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;

  [[gnu::target("avx2")]] static void multiply(const double* M, const double* x, double* to, std::size_t,
                                               std::size_t columns, bool more) {
    V sum{};
    if (more) sum = *reinterpret_cast<const V*>(to);
    for (std::size_t j = 0; j < columns; ++j) sum += x[j] * *reinterpret_cast<const V*>(M + 4 * j);
    *reinterpret_cast<V*>(to) = sum;
  }

  [[gnu::target("avx2")]] static void expand(const ExactMode& mode, const double* x, const double* u,
                                             TaylorPath& path) {
    const std::size_t m = mode.m;
    path.degree = mode.degree;
    const auto terms = static_cast<std::size_t>(mode.degree) + 1;
    path.x.resize(terms * 4);
    path.u.resize(terms * m);
    std::copy_n(x, 4, path.x.data());
    std::copy_n(u, m, path.u.data());
    const V* const A = reinterpret_cast<const V*>(mode.A.data());
    const V* const B = reinterpret_cast<const V*>(mode.B.data());
    for (std::size_t k = 1; k < terms; ++k) {
      const double* const x_k = path.x.data() + (k - 1) * 4;
      const double* const u_k = path.u.data() + (k - 1) * m;
      V sum{};
      for (std::size_t j = 0; j < 4; ++j) sum += x_k[j] * A[j];
      for (std::size_t j = k == 1 ? 0 : 1; j < m; ++j) sum += u_k[j] * B[j];
      const double factor = reciprocals[k];
      *reinterpret_cast<V*>(path.x.data() + k * 4) = factor * sum;
      double* const next = path.u.data() + k * m;
      std::fill_n(next, m, 0.0);
      for (const ExactMode::Rate& rate : mode.S) next[rate.of] += factor * rate.c * u_k[rate.by];
    }
  }

  [[gnu::target("avx2")]] static void evaluate(const double* coefficients, int degree, double tau, double* to,
                                               std::size_t) {
    const V* const c = reinterpret_cast<const V*>(coefficients);
    V sum = c[degree];
    for (int k = degree - 1; k >= 0; --k) sum = sum * tau + c[k];
    *reinterpret_cast<V*>(to) = sum;
  }

  /// Four columns side by side: each of them alone would wait for its own sums.
  [[gnu::target("avx2")]] static void carry(const ExactMode& mode, double tau, double* columns, std::size_t count) {
    const V* const A = reinterpret_cast<const V*>(mode.A.data());
    std::size_t done = 0;
    for (; done + 4 <= count; done += 4) {
      V* const column = reinterpret_cast<V*>(columns + 4 * done);
      V term[4] = {column[0], column[1], column[2], column[3]};
      V sum[4] = {column[0], column[1], column[2], column[3]};
      for (int k = 1; k <= mode.degree; ++k) {
        const double factor = tau / k;
        for (std::size_t c = 0; c < 4; ++c) {
          V next{};
          for (std::size_t j = 0; j < 4; ++j) next += term[c][j] * A[j];
          term[c] = factor * next;
          sum[c] += term[c];
        }
      }
      for (std::size_t c = 0; c < 4; ++c) column[c] = sum[c];
    }
    if (done < count) Fixed<4>::carry(mode, tau, columns + 4 * done, count - done);
  }

  static constexpr ExactArithmetic table = {multiply, expand, evaluate, carry, Fixed<4>::carry_parameter};
};
#endif

}  // namespace

const ExactArithmetic& exact_arithmetic(std::size_t N) {
#if defined(__x86_64__)
  static const bool wide = __builtin_cpu_supports("avx2") != 0;
  if (N == 4 && wide) return Wide::table;
#endif
  switch (N) {
    case 2: return Fixed<2>::table;
    case 4: return Fixed<4>::table;
    case 6: return Fixed<6>::table;
    case 8: return Fixed<8>::table;
    case 10: return Fixed<10>::table;
    default: return Fixed<Eigen::Dynamic>::table;
  }
}

// ---- assembly -----------------------------------------------------------------------------------------------------------

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
    result_.N = layout_.N();
    result_.beyond.assign(layout_.switches, nullptr);
  }

  std::unique_ptr<ExactMode> result() {
    read();
    if (result_.linear) {
      fill();
      choose_step();
      for (ExactRow& row : result_.events) complete(row);
      for (ExactRow& row : result_.multipliers) complete(row);
      if (std::isfinite(result_.step)) fill_step();
    }
    return std::make_unique<ExactMode>(std::move(result_));
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
      std::fill(open.closed.begin(), open.closed.end(), 0);
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
    for (const AffineValue& value : events_) result_.events.push_back(row_of(value));
    for (std::size_t i = N; i < field_.size(); ++i) result_.multipliers.push_back(row_of(field_[i]));
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

  ExactRow row_of(const AffineValue& value) const {
    ExactRow row;
    row.affine = !value.left;
    if (!row.affine) return row;
    row.value = value.coefficients;
    row.value.resize(layout_.N(), 0.0);
    const std::vector<double> time = result_.basis.row_of(value);
    row.value.insert(row.value.end(), time.begin(), time.end());
    return row;
  }

  void choose_step() {
    const Index N = index(layout_.N());
    const Matrix A = Eigen::Map<const Matrix>(result_.A.data(), N, N);
    const Vector scale = balancing(A);
    const Matrix balanced = scale.cwiseInverse().asDiagonal() * A * scale.asDiagonal();
    const double rho = std::max(growth_of(balanced), result_.basis.fastest());
    result_.step = rho > 0.0 ? 1.0 / rho : std::numeric_limits<double>::infinity();
    int powers = 0;
    for (const TimeBasis::Block& block : result_.basis.blocks()) powers = std::max(powers, block.highest);
    // A chain of integrators is a polynomial: all of it.
    if (rho == 0.0) result_.degree = std::max(4, static_cast<int>(layout_.N()) + powers + 1);
    result_.scale.assign(scale.data(), scale.data() + N);
    norm_ = balanced.rows() > 0 ? balanced.cwiseAbs().rowwise().sum().maxCoeff() : 0.0;
    const Matrix B =
        scale.cwiseInverse().asDiagonal() * Eigen::Map<const Matrix>(result_.B.data(), N, index(result_.m)).cwiseAbs();
    forcing_ = B.size() > 0 ? B.rowwise().sum().maxCoeff() : 0.0;
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

  /// The rate, and how far the cubic through values and rates at the ends of a step can be from the row: h⁴/384 max|s⁗|.
  void complete(ExactRow& row) const {
    if (!row.affine) return;
    row.rate = rate_of(row.value);
    const auto keep = [&](const std::vector<double>& all, std::vector<ExactRow::Term>& of_x,
                          std::vector<ExactRow::Term>& of_u) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i] == 0.0) continue;
        if (i < layout_.N()) of_x.push_back({i, all[i]});
        else of_u.push_back({i - layout_.N(), all[i]});
      }
    };
    keep(row.value, row.of_x, row.of_u);
    keep(row.rate, row.rate_of_x, row.rate_of_u);
    row.steady = row.of_u.empty() || (row.of_u.size() == 1 && row.of_u.front().i == 0);
    const double infinity = std::numeric_limits<double>::infinity();
    row.curvature_u = infinity;  // not known: look at every step
    if (!std::isfinite(result_.step) || result_.basis.has_powers()) return;
    const std::vector<double> fourth = rate_of(rate_of(rate_of(row.rate)));
    const double h = result_.step;
    const double factor = h * h * h * h / 384.0;
    const double growth = std::exp(norm_ * h);
    double of_x = 0.0;
    double of_u = 0.0;
    for (std::size_t i = 0; i < layout_.N(); ++i) of_x += std::abs(fourth[i]) * result_.scale[i];
    for (std::size_t i = layout_.N(); i < fourth.size(); ++i) of_u += std::abs(fourth[i]);
    row.curvature_x = factor * growth * of_x;
    row.curvature_u = factor * (growth * of_x * h * forcing_ + of_u);
  }

  /// exp of the augmented system over one step, column by column.
  void fill_step() {
    const std::size_t N = layout_.N();
    const std::size_t m = result_.m;
    const double h = result_.step;
    const ExactArithmetic& arithmetic = exact_arithmetic(N);
    result_.step_x.resize(N * N);
    result_.step_u.resize(N * m);
    result_.step_basis.resize(m * m);
    result_.step_dx.assign(layout_.varied.size(), std::vector<double>(N * N, 0.0));
    result_.step_du.assign(layout_.varied.size(), std::vector<double>(N * m, 0.0));
    TaylorPath path;
    const auto column = [&](std::size_t j, bool of_x) {
      std::vector<double> x(N, 0.0);
      std::vector<double> u(m, 0.0);
      (of_x ? x : u)[j] = 1.0;
      arithmetic.expand(result_, x.data(), u.data(), path);
      arithmetic.evaluate(path.x.data(), path.degree, h, (of_x ? result_.step_x : result_.step_u).data() + j * N, N);
      for (std::size_t c = 0; c < layout_.varied.size(); ++c)
        arithmetic.carry_parameter(result_, path, c, h, (of_x ? result_.step_dx : result_.step_du)[c].data() + j * N);
      if (of_x) return;
      for (std::size_t i = 0; i < m; ++i) {
        double sum = 0.0;
        for (int k = path.degree; k >= 0; --k) sum = sum * h + path.u[static_cast<std::size_t>(k) * m + i];
        result_.step_basis[j * m + i] = sum;
      }
    };
    for (std::size_t j = 0; j < N; ++j) column(j, true);
    for (std::size_t j = 0; j < m; ++j) column(j, false);
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

ExactSystem::ExactSystem(const Kernels& kernels, std::vector<double> parameter_inputs)
    : kernels_(kernels), p_(std::move(parameter_inputs)) {}

const ExactMode& ExactSystem::mode(const Mode& mode) const {
  for (const auto& known : modes_)
    if (known->mode == mode) return *known;
  modes_.push_back(assembled(mode));
  return *modes_.back();
}

const ExactMode& ExactSystem::beyond(const ExactMode& from, std::size_t k) const {
  if (!from.beyond[k]) {
    Mode mode = from.mode;
    mode.sign[k] = -mode.sign[k];
    from.beyond[k] = &this->mode(mode);
  }
  return *from.beyond[k];
}

std::unique_ptr<ExactMode> ExactSystem::assembled(const Mode& mode) const {
  return Assembly(kernels_, p_, mode).result();
}

}  // namespace saltus
