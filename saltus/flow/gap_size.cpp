#include "saltus/flow/gap_size.hpp"

#include <algorithm>
#include <cmath>

namespace saltus {

double gap_size(const ContactValue& at, const Vector& x, std::size_t i, const std::vector<double>& fastest,
                double pace) {
  const Index n = at.normal.cols();
  const auto normal = at.normal.row(index(i));
  const auto v = x.segment(n, n);
  const double wall = std::abs(at.gamma[index(i)] - normal.dot(v));
  const double speed = normal.cwiseAbs().dot(v.cwiseAbs()) + wall + (fastest.empty() ? 0.0 : fastest[i]);
  return normal.cwiseAbs().dot(x.head(n).cwiseAbs()) + speed * pace;
}

double fastest_impact(const ContactValue& at, std::size_t i, const std::vector<double>& fastest) {
  double most = 0.0;
  for (std::size_t j = 0; j < fastest.size(); ++j)
    if (fastest[j] > 0.0)
      most = std::max(
          most, j == i ? fastest[j]
                       : fastest[j] * std::sqrt(at.delassus(index(i), index(i)) / at.delassus(index(j), index(j))));
  return most;
}

}  // namespace saltus
