#include "saltus/flow/exact_arithmetic.hpp"

#include <algorithm>
#include <array>

namespace saltus {
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
    evaluate_strided(coefficients, N, degree, tau, to, N);
  }

  static void evaluate_strided(const double* coefficients, std::size_t stride, int degree, double tau, double* to,
                               std::size_t N) {
    V sum = in(coefficients + static_cast<std::size_t>(degree) * stride, N);
    for (int k = degree - 1; k >= 0; --k) {
      sum *= tau;
      sum += in(coefficients + static_cast<std::size_t>(k) * stride, N);
    }
    out(to, N) = sum;
  }

  static void exponential(const ExactMode& mode, double tau, int degree, double* to) {
    const std::size_t N = mode.N;
    const std::size_t size = N * mode.M();
    const double theta = tau / mode.unit;
    for (std::size_t j = 0; j < mode.M(); ++j)
      evaluate_strided(mode.powers.data() + j * N, size, degree, theta, to + j * N, N);
  }

  static void series(const double* series, const double* z, std::size_t columns, std::size_t quads, double* to) {
    using Quad = Fixed<4>;
    for (std::size_t q = 0; q < quads; ++q) {
      typename Quad::V sum = Quad::V::Zero();
      for (std::size_t j = 0; j < columns; ++j) sum += z[j] * Quad::in(series + 4 * (j * quads + q), 4);
      Quad::out(to + 4 * q, 4) = sum;
    }
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

  static constexpr ExactArithmetic table = {multiply, expand, evaluate, exponential, series, carry, carry_parameter};
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

  [[gnu::target("avx2")]] static void exponential(const ExactMode& mode, double tau, int degree, double* to) {
    const std::size_t M = mode.M();
    const double theta = tau / mode.unit;
    const V* const highest = reinterpret_cast<const V*>(mode.powers.data()) + static_cast<std::size_t>(degree) * M;
    V* const columns = reinterpret_cast<V*>(to);
    // Some columns side by side: each of them alone would wait for its own sums.
    std::size_t j = 0;
    for (; M - j >= 7; j += 7) side_by_side<7>(highest + j, M, degree, theta, columns + j);
    for (; M - j >= 4; j += 4) side_by_side<4>(highest + j, M, degree, theta, columns + j);
    for (; j < M; ++j) side_by_side<1>(highest + j, M, degree, theta, columns + j);
  }

  template <std::size_t Count>
  [[gnu::target("avx2")]] static void side_by_side(const V* p, std::size_t M, int degree, double theta, V* to) {
    V sum[Count];
    for (std::size_t c = 0; c < Count; ++c) sum[c] = p[c];
    for (int k = degree; k > 0; --k) {
      p -= M;
      for (std::size_t c = 0; c < Count; ++c) sum[c] = sum[c] * theta + p[c];
    }
    for (std::size_t c = 0; c < Count; ++c) to[c] = sum[c];
  }

  [[gnu::target("avx2")]] static void series(const double* series, const double* z, std::size_t columns,
                                             std::size_t quads, double* to) {
    const V* const s = reinterpret_cast<const V*>(series);
    for (std::size_t q = 0; q < quads; ++q) {
      V sum{};
      for (std::size_t j = 0; j < columns; ++j) sum += z[j] * s[j * quads + q];
      reinterpret_cast<V*>(to)[q] = sum;
    }
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

  static constexpr ExactArithmetic table = {
      multiply, expand, evaluate, exponential, series, carry, Fixed<4>::carry_parameter};
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

}  // namespace saltus
