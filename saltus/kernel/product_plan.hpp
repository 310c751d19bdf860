#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace saltus {

/// Products of factors, rewritten so that what several of them have in common is multiplied once: a b c and a b d become
/// w c and w d with w = a b. Factors are numbers below `first_pair`; first_pair + k is the pair w_k.
struct ProductPlan {
  struct Product {
    std::vector<std::uint32_t> factors;
    bool fused = false;  // its last multiplication is the one of an fma and costs nothing
  };
  using Pair = std::pair<std::uint32_t, std::uint32_t>;

  std::uint32_t first_pair = 0;
  std::vector<Product> products;
  std::vector<Pair> pairs;  // the factors of a pair are smaller than the pair

  /// Extracts the commonest pair until none saves a multiplication.
  void share();
};

}  // namespace saltus
