#include "saltus/kernel/product_plan.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <set>

namespace saltus {
namespace {

using Pair = ProductPlan::Pair;

// Pairs of a product are as many as the square of its length; nobody writes longer products than this.
constexpr std::size_t longest_shared = 16;

Pair ordered(std::uint32_t a, std::uint32_t b) { return a < b ? Pair{a, b} : Pair{b, a}; }

/// Which products contain a pair, kept up to date while pairs are replaced.
class PairIndex {
 public:
  explicit PairIndex(ProductPlan& plan) : plan_(plan) {
    for (std::uint32_t k = 0; k < plan.products.size(); ++k) enter(k);
  }

  /// The pair in most products, the smallest of those; nothing worth a name: count < 2.
  Pair commonest(std::size_t& count) {
    while (!queue_.empty()) {
      const auto [known, negative] = queue_.top();
      const Pair pair{~negative.first, ~negative.second};
      const auto place = users_.find(pair);
      const std::size_t now = place == users_.end() ? 0 : place->second.size();
      if (now == known && now >= 2) {
        count = now;
        return pair;
      }
      queue_.pop();
      if (now >= 2 && now < known) queue_.push({now, negative});
    }
    count = 0;
    return {};
  }

  void replace(Pair pair, std::uint32_t name) {
    const std::set<std::uint32_t> users = users_.at(pair);
    for (const std::uint32_t k : users) {
      leave(k);
      auto& factors = plan_.products[k].factors;
      factors.erase(std::find(factors.begin(), factors.end(), pair.first));
      factors.erase(std::find(factors.begin(), factors.end(), pair.second));
      factors.push_back(name);
      enter(k);
    }
  }

 private:
  /// The last two factors of a fused product stay: their multiplication is free.
  bool counts(const ProductPlan::Product& product) const {
    const std::size_t size = product.factors.size();
    return size <= longest_shared && size >= (product.fused ? 3U : 2U);
  }

  template <class Action>
  void for_each_pair(std::uint32_t k, Action action) {
    const auto& factors = plan_.products[k].factors;
    if (!counts(plan_.products[k])) return;
    for (std::size_t i = 0; i < factors.size(); ++i)
      for (std::size_t j = i + 1; j < factors.size(); ++j) action(ordered(factors[i], factors[j]));
  }

  void enter(std::uint32_t k) {
    for_each_pair(k, [&](Pair pair) {
      auto& users = users_[pair];
      users.insert(k);
      if (users.size() >= 2) queue_.push({users.size(), {~pair.first, ~pair.second}});
    });
  }

  void leave(std::uint32_t k) {
    for_each_pair(k, [&](Pair pair) { users_[pair].erase(k); });
  }

  ProductPlan& plan_;
  std::map<Pair, std::set<std::uint32_t>> users_;
  std::priority_queue<std::pair<std::size_t, Pair>> queue_;  // pairs complemented: the smallest comes first
};

}  // namespace

void ProductPlan::share() {
  PairIndex index(*this);
  std::size_t count = 0;
  for (Pair pair = index.commonest(count); count >= 2; pair = index.commonest(count)) {
    const auto name = static_cast<std::uint32_t>(first_pair + pairs.size());
    pairs.push_back(pair);
    index.replace(pair, name);
  }
}

}  // namespace saltus
