#include "saltus/analysis/motions/multipliers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/numerics/decompositions.hpp"
#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

constexpr double lost_below =
    1e-11;  // of the largest column: what orthogonalisation leaves of an annihilated direction
constexpr double apart = 0.5;         // multipliers whose moduli differ by more than this factor are separated
constexpr int most_rounds = 120;
constexpr double separated = 1e-14;

/// A frame and what QR made of its image; lost directions have no column.
struct Triangular {
  Matrix Q;
  Matrix R;                 // rows: the new frame, columns: the old one
  std::vector<Index> kept;  // columns of the image that the new frame was made of
};

/// Gram–Schmidt, twice. Columns that leave less than `least` of themselves are dropped.
Triangular triangular(const Matrix& image, double least) {
  Triangular result{Matrix(image.rows(), image.cols()), Matrix::Zero(image.cols(), image.cols()), {}};
  Index found = 0;
  for (Index i = 0; i < image.cols(); ++i) {
    Vector rest = image.col(i);
    for (int pass = 0; pass < 2; ++pass) {
      const Vector along = result.Q.leftCols(found).transpose() * rest;
      rest -= result.Q.leftCols(found) * along;
      result.R.col(i).head(found) += along;
    }
    const double r = rest.norm();
    if (!(r > least)) continue;
    result.R(found, i) = r;
    result.Q.col(found) = rest / r;
    result.kept.push_back(i);
    ++found;
  }
  result.Q.conservativeResize(Eigen::NoChange, found);
  result.R.conservativeResize(found, Eigen::NoChange);
  return result;
}

/// One turn through all factors.
struct Round {
  Matrix start, end;       // frames
  std::vector<Matrix> R;   // square and upper triangular when no direction was lost on the way
  bool lost = false;
};

Round turn(const std::vector<TangentFactor>& factors, const Matrix& frame) {
  Round round{frame, frame, {}, false};
  for (const TangentFactor& factor : factors) {
    const Matrix image = factor.matrix * round.end;
    const double largest = image.cols() > 0 ? image.colwise().norm().maxCoeff() : 0.0;
    Triangular step = triangular(image, factor.may_annihilate ? lost_below * largest : 0.0);
    round.lost = round.lost || step.Q.cols() < image.cols();
    round.end = std::move(step.Q);
    round.R.push_back(std::move(step.R));
  }
  return round;
}

/// Where the moduli of neighbours are so far apart that their directions separate: beginnings of blocks.
std::vector<Index> block_starts(const Round& round) {
  const Index n = round.end.cols();
  Vector logs = Vector::Zero(n);
  for (const Matrix& R : round.R) logs += R.diagonal().array().log().matrix();
  std::vector<Index> starts;
  for (Index i = 0; i < n; ++i)
    if (i == 0 || logs[i] - logs[i - 1] < std::log(apart)) starts.push_back(i);
  return starts;
}

/// How far the frame still turns between the blocks in one round.
double coupling(const Round& round, const std::vector<Index>& starts) {
  const Matrix C = round.start.transpose() * round.end;
  double worst = 0.0;
  for (const Index s : starts)
    if (s > 0) worst = std::max(worst, C.block(s, 0, C.rows() - s, s).cwiseAbs().maxCoeff());
  return worst;
}

/// Blocks that did not separate are joined.
std::vector<Index> separate_starts(const Round& round) {
  const Matrix C = round.start.transpose() * round.end;
  std::vector<Index> starts;
  for (const Index s : block_starts(round))
    if (s == 0 || C.block(s, 0, C.rows() - s, s).cwiseAbs().maxCoeff() <= 1e6 * separated) starts.push_back(s);
  return starts;
}

/// Could the nearest point of the unit circle be an eigenvalue within the error of B? Only asked of eigenvalues near the circle and near each
/// other: those of a Jordan block [1 a; 0 1] in which ε stands for 0 are 1 ± √(a ε), far more than ε away from 1.
bool may_be_doubled(const Matrix& B, const Eigen::VectorXcd& values, Index i) {
  constexpr double near = 1e-4;
  constexpr double error = 1e-9;  // of the tangent
  const std::complex<double> mu = values[i];
  if (!(std::abs(std::abs(mu) - 1.0) < near)) return false;
  Index neighbours = 0;
  for (const std::complex<double>& other : values)
    if (std::abs(other - mu) < 2.0 * near) ++neighbours;
  if (neighbours < 2) return false;
  // The singular values of the complex matrix B − e^{iθ}, each twice.
  const Index n = B.rows();
  const std::complex<double> circle = mu / std::abs(mu);
  Matrix both(2 * n, 2 * n);
  both.topLeftCorner(n, n) = both.bottomRightCorner(n, n) = B - circle.real() * Matrix::Identity(n, n);
  both.topRightCorner(n, n) = circle.imag() * Matrix::Identity(n, n);
  both.bottomLeftCorner(n, n) = -circle.imag() * Matrix::Identity(n, n);
  return singular_values(both).minCoeff() <= error * std::max(1.0, B.norm());
}

/// The product is kept of size 1, beside its logarithm: orbits contract by more than floating-point numbers reach.
void add_block(const Round& round, Index first, Index size, std::vector<Multiplier>& found) {
  Matrix product = Matrix::Identity(size, size);
  double log_size = 0.0;
  for (const Matrix& R : round.R) {
    product = R.block(first, first, size, size) * product;
    const double norm = product.norm();
    if (!(norm > 0.0) || !std::isfinite(norm)) continue;
    product /= norm;
    log_size += std::log(norm);
  }
  const Matrix C = round.start.middleCols(first, size).transpose() * round.end.middleCols(first, size);
  const Eigen::VectorXcd values = eigenvalues_of(C * product);
  const double scale = std::exp(log_size);
  for (Index i = 0; i < size; ++i) {
    const std::complex<double> value = values[i];
    Multiplier multiplier{value * scale};
    multiplier.log_abs = std::log(std::abs(value)) + log_size;
    multiplier.doubled = may_be_doubled(scale * (C * product), scale * values, i);
    found.push_back(multiplier);
  }
}

/// Which columns of the frame are known: errors of the factors change the logarithm of a column by at most Σ error |A_j| / r_j.
std::vector<bool> known_columns(const std::vector<TangentFactor>& factors, const Round& round, double error) {
  constexpr double most = 1e-3;
  Vector doubt = Vector::Zero(round.end.cols());
  for (std::size_t j = 0; j < factors.size(); ++j)
    for (Index i = 0; i < doubt.size(); ++i) doubt[i] += error * factors[j].matrix.norm() / std::abs(round.R[j](i, i));
  std::vector<bool> known;
  for (const double d : doubt) known.push_back(d <= most);
  return known;
}

}  // namespace

double contraction(const TangentFactor& factor) {
  const Vector sigma = singular_values(factor.matrix);
  if (!(sigma[0] > 0.0)) return 1.0;
  double smallest = sigma[0];
  for (const double s : sigma)
    if (!factor.may_annihilate || s > 1e-10 * sigma[0]) smallest = s;
  return smallest / sigma[0];
}

std::vector<Multiplier> multipliers(const std::vector<TangentFactor>& factors, double error) {
  const Index N = factors.front().matrix.cols();
  Round round = turn(factors, Matrix::Identity(N, N));
  for (int i = 0; i < most_rounds && round.end.cols() > 0; ++i) {
    round = turn(factors, round.end);
    if (!round.lost && coupling(round, block_starts(round)) <= separated) break;
  }
  std::vector<Multiplier> found;
  if (round.end.cols() > 0 && !round.lost) {
    const std::vector<Index> starts = separate_starts(round);
    const std::vector<bool> known = known_columns(factors, round, error);
    for (std::size_t b = 0; b < starts.size(); ++b) {
      const Index next = b + 1 < starts.size() ? starts[b + 1] : round.end.cols();
      add_block(round, starts[b], next - starts[b], found);
      for (Index i = starts[b]; i < next; ++i)
        found[static_cast<std::size_t>(i)].resolved =
            std::all_of(known.begin() + starts[b], known.begin() + next, [](bool each) { return each; });
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Multiplier& a, const Multiplier& b) {
    // Pairs stand together, the upper half first.
    const double difference = a.log_abs - b.log_abs;
    if (std::abs(difference) > 1e-14) return difference > 0.0;
    return a.value.imag() > b.value.imag();
  });
  // Where no contact may annihilate, a direction of which nothing is left is smaller than all errors.
  const bool by_contact =
      std::any_of(factors.begin(), factors.end(), [](const auto& each) { return each.may_annihilate; });
  Multiplier lost{0.0, by_contact, false};
  lost.resolved = by_contact;
  found.resize(static_cast<std::size_t>(N), lost);
  return found;
}

namespace {

/// The neighbour of one that is known to be 1 and came out otherwise: the logarithms of the two sum up to what is known.
std::size_t neighbour_of(const std::vector<Multiplier>& all, std::size_t trivial) {
  constexpr double near = 0.01;
  constexpr double error = 1e-8;
  const double log = all[trivial].log_abs;
  if (std::abs(log) <= error) return all.size();
  if (std::abs(log) > near) return log < 0.0 ? trivial - 1 : trivial + 1;  // of the first: none
  if (trivial == 0 || trivial + 1 >= all.size()) return trivial == 0 ? 1 : trivial - 1;
  return all[trivial - 1].log_abs - log < log - all[trivial + 1].log_abs ? trivial - 1 : trivial + 1;
}

/// The multiplier that is mixed up with the trivial one, if there is one. Two that are nearly equal are known to half of the digits only; beside a saddle the
/// trivial one is lost, as disturbances along the motion grow and shrink beyond all digits, and it stands for 1 together with the one across 1 from it.
std::size_t partner_of(const std::vector<Multiplier>& all, std::size_t trivial) {
  constexpr double near = 0.01;
  const double log = all[trivial].log_abs;
  const std::complex<double> conjugate = std::conj(all[trivial].value);
  for (std::size_t i = 0; i < all.size(); ++i)  // the trivial one is real: rounding made a pair of the two
    if (i != trivial && conjugate.imag() != 0.0 && all[i].value == conjugate) return i;
  if (std::abs(log) > near) return neighbour_of(all, trivial);
  std::size_t best = all.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double distance = std::abs(all[i].value - 1.0);
    if (i != trivial && distance < near && (best == all.size() || distance < std::abs(all[best].value - 1.0))) best = i;
  }
  return best < all.size() ? best : neighbour_of(all, trivial);
}

/// Where neither of two is known well, their product is.
void complete_partner(std::vector<Multiplier>& all, std::size_t trivial) {
  const std::size_t i = partner_of(all, trivial);
  if (i >= all.size() || all[i].annihilated || all[trivial].annihilated) return;
  const std::complex<double> a = all[i].value, b = all[trivial].value;
  if (a != std::conj(b) && (a.imag() != 0.0 || b.imag() != 0.0)) return;
  all[i].log_abs += all[trivial].log_abs;
  all[i].value = std::copysign(std::exp(all[i].log_abs), a.real() * b.real());
  all[trivial].value = b.real();
}

}  // namespace

namespace {

/// |ln μ|: of one that stands for 1 beside a saddle errors may have left 1e-16 or -1e-16, which is nearer to 1 than 1e-194 by its logarithm alone.
double distance_from_one(const Multiplier& m) {
  if (m.trivial) return HUGE_VAL;
  if (!std::isfinite(m.log_abs)) return std::numeric_limits<double>::max();
  return std::hypot(m.log_abs, std::arg(m.value));
}

}  // namespace

void mark_trivial(std::vector<Multiplier>& multipliers, bool autonomous, std::size_t cyclic) {
  const std::size_t count = cyclic + (autonomous ? 1 : 0);
  for (std::size_t k = 0; k < count; ++k) {
    const auto nearest = std::min_element(
        multipliers.begin(), multipliers.end(),
        [](const Multiplier& a, const Multiplier& b) { return distance_from_one(a) < distance_from_one(b); });
    if (nearest == multipliers.end()) return;
    nearest->trivial = true;
    nearest->cyclic = k > 0 || !autonomous;
  }
  if (!autonomous || cyclic > 0) return;
  const auto trivial =
      std::find_if(multipliers.begin(), multipliers.end(), [](const Multiplier& m) { return m.trivial; });
  complete_partner(multipliers, static_cast<std::size_t>(trivial - multipliers.begin()));
}

std::string_view name_of(Stability stability) {
  switch (stability) {
    case Stability::stable: return "stable";
    case Stability::unstable: return "unstable";
    case Stability::neutral: return "neutral";
  }
  return "";
}

Stability stability_of(const std::vector<std::complex<double>>& nontrivial) {
  constexpr double doubt = 1e-6;
  double largest = 0.0;
  for (const std::complex<double>& mu : nontrivial) largest = std::max(largest, std::abs(mu));
  if (largest > 1.0 + doubt) return Stability::unstable;
  return largest < 1.0 - doubt ? Stability::stable : Stability::neutral;
}

Stability stability_of(const std::vector<Multiplier>& multipliers) {
  std::vector<std::complex<double>> nontrivial;
  for (const Multiplier& m : multipliers)
    if (!m.trivial) nontrivial.push_back(m.doubled ? m.value / std::abs(m.value) : m.value);
  return stability_of(nontrivial);
}

bool is_stable(const std::vector<Multiplier>& multipliers) { return stability_of(multipliers) == Stability::stable; }

}  // namespace saltus
