#pragma once

#include <Eigen/Core>
#include <limits>
#include <vector>

namespace saltus {

/// The columns of a tangent as a frame: X = D Q R with QᵀQ = 1, R upper triangular, and D the sizes in which the components are
/// measured. Columns that grow and shrink at different rates become parallel; before floating point cannot tell them apart any
/// more, X is replaced by D Q, and ln rᵢᵢ is kept.
class TangentFrame {
 public:
  /// Of so many columns; `scale`: the diagonal of D (empty: 1).
  explicit TangentFrame(std::size_t columns = 0, std::vector<double> scale = {})
      : scale_(std::move(scale)), growth_(columns, 0.0) {}

  /// Whether directions may have been annihilated since the last factorisation. They are looked for only then: strong contraction
  /// alone loses none.
  enum class Rank { full, may_drop };

  /// X ← D Q. Annihilated directions become columns of zeros, their growth is −∞. `most_left` is what is known of the rank of X.
  void factorise(Eigen::MatrixXd& X, Rank rank, std::size_t most_left = std::numeric_limits<std::size_t>::max());

  /// Factorises if rᵢᵢ is less than 10⁻⁴ of its column, or a column has left [10⁻⁴, 10⁸]. True: X was changed.
  bool keep(Eigen::MatrixXd& X);
  /// Asked after every step: whether `keep` is to be called. Every few steps only, at each while columns turn fast.
  bool is_due() { return !growth_.empty() && --steps_until_look_ <= 0; }

  /// Σ ln rᵢᵢ of all factorisations.
  const std::vector<double>& growth() const { return growth_; }

 private:
  void split(const Eigen::MatrixXd& X, double dropped);

  std::vector<double> scale_;
  std::vector<double> growth_;
  int steps_until_look_ = 1;
  Eigen::MatrixXd Q_;  // of the columns that were split last
  Eigen::VectorXd r_, norms_;  // their rᵢᵢ and lengths
};

}  // namespace saltus
