#include "saltus/kernel/equations.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace saltus {
namespace {

/// A chain of n equal pendulums in absolute angles: M_ij = c_ij cos(ψi − ψj), f_i = −Σ c_ij sin(ψi − ψj) ψj'² − g_i sin ψi.
std::string chain_of_pendulums(int n) {
  std::string names;
  std::string mass;
  std::string force;
  for (int i = 1; i <= n; ++i) {
    names += fmt::format("\"psi{}\", ", i);
    std::string row;
    std::string sum = fmt::format("-{}*sin(psi{})", n - i + 1, i);
    for (int j = 1; j <= n; ++j) {
      const int weight = n - std::max(i, j) + 1;
      row += fmt::format("\"{}*cos(psi{} - psi{})\", ", weight, i, j);
      if (j != i) sum += fmt::format(" - {}*sin(psi{} - psi{})*psi{}'^2", weight, i, j, j);
    }
    mass += fmt::format("[{}],\n", row);
    force += fmt::format("\"{}\",\n", sum);
  }
  return fmt::format("[mechanics]\ncoordinates = [{}]\nmass = [{}]\nforce = [{}]\n", names, mass, force);
}

TEST(Equations, TheFieldWithTangentOfEightPendulumsStaysBelowNineThousandNodes) {
  const ModelReading reading = read_model("chain.toml", chain_of_pendulums(8));
  ASSERT_TRUE(reading.model) << rendered(reading.diagnostics);
  const Equations equations = equations_of(*reading.model);
  const std::size_t nodes = reachable(equations.outputs("field_tangent")).size();
  EXPECT_LT(nodes, 9000U);
  // 16 columns of 16 components: fewer nodes than components of the columns would mean that something was left out.
  EXPECT_GT(nodes, 16U * 16U);
  RecordProperty("nodes", static_cast<int>(nodes));
}

}  // namespace
}  // namespace saltus
