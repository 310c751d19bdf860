#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "saltus/expr/evaluate.hpp"
#include "saltus/expr/normal_form.hpp"
#include "saltus/model/model.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

std::vector<std::string> example_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator("examples"))
    if (entry.path().extension() == ".toml") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

std::shared_ptr<const Model> read(const std::string& path) {
  const ModelReading reading = read_model_file(path);
  EXPECT_EQ(rendered(reading.diagnostics), "") << path;
  return reading.model;
}

TEST(Examples, EveryExampleIsReadWithoutAWordAndCanBeSetUpInEveryCase) {
  const std::vector<std::string> files = example_files();
  EXPECT_GE(files.size(), 12U);
  for (const std::string& file : files) {
    const auto model = read(file);
    ASSERT_NE(model, nullptr) << file;
    EXPECT_FALSE(model->title.empty()) << file;
    EXPECT_FALSE(model->reference.empty()) << file;
    for (const Case& variant : model->cases) {
      const SetupReading reading = set_up(*model, variant.name, {});
      EXPECT_EQ(rendered(reading.diagnostics), "") << file << " " << variant.name;
      ASSERT_TRUE(reading.setup);
      EXPECT_EQ(reading.setup->parameters.size(), model->parameters.size());
      EXPECT_EQ(reading.setup->initial.size(), model->dimension());
    }
  }
}

TEST(Examples, TheTriplePendulumHasThePartsOfItsPaper) {
  const auto model = read("examples/triple_pendulum_barrier.toml");
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model->coordinates, (std::vector<std::string>{"psi1", "psi2", "psi3"}));
  EXPECT_EQ(model->component_names(), (std::vector<std::string>{"psi1", "psi2", "psi3", "psi1'", "psi2'", "psi3'"}));
  EXPECT_EQ(model->contacts.size(), 1U);
  EXPECT_EQ(model->cases.size(), 5U);
  EXPECT_TRUE(model->switches.empty());
  EXPECT_TRUE(model->forcing_period.has_value());
  EXPECT_EQ(model->drawing.lines.size(), 1U);
  EXPECT_EQ(model->drawing.trace, (std::vector<std::size_t>{3}));
}

TEST(Examples, ClearancesAreFourSwitchingSurfacesInOrderOfAppearance) {
  const auto model = read("examples/clearance_pair.toml");
  ASSERT_NE(model, nullptr);
  std::vector<std::string> surfaces;
  for (const Switch& s : model->switches) surfaces.push_back(s.text);
  EXPECT_EQ(surfaces, (std::vector<std::string>{"q1 - 1", "1 + q1", "q2 - 1", "1 + q2"}));
}

/// M and f at one state, with all parameters of `setup`.
std::vector<double> mass_and_force(const Model& model, const Setup& setup, const std::vector<double>& x, double t) {
  std::vector<Expr> roots;
  for (const Located& e : model.mass) roots.push_back(e.expr);
  for (const Located& e : model.force) roots.push_back(e.expr);
  const std::vector<std::string> names = model.component_names();
  return evaluate(roots, [&](const std::string& name) {
    if (name == "t") return t;
    const auto component = std::find(names.begin(), names.end(), name);
    if (component != names.end()) return x[static_cast<std::size_t>(component - names.begin())];
    for (std::size_t i = 0; i < model.parameters.size(); ++i)
      if (model.parameters[i].name == name) return setup.parameters[i];
    ADD_FAILURE() << "no value for " << name;
    return 0.0;
  });
}

double somewhere(int round, std::size_t i) {
  return 1.5 * std::sin(12.9898 * (round + 1) + 78.233 * static_cast<double>(i));
}

void expect_same_equations(const std::string& by_energies, const std::string& by_hand) {
  const auto derived = read(by_energies);
  const auto written = read(by_hand);
  ASSERT_TRUE(derived && written);
  const auto derived_setup = set_up(*derived, "", {}).setup;
  const auto written_setup = set_up(*written, "", {}).setup;
  ASSERT_TRUE(derived_setup && written_setup);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> x;
    for (std::size_t i = 0; i < written->dimension(); ++i) x.push_back(somewhere(round, i));
    const double t = somewhere(round, 99);
    // Worst of these 200 states measured: 2.0 eps of the largest entry (energies), 1.9 eps (rod by rod).
    EXPECT_CLOSE(mass_and_force(*derived, *derived_setup, x, t), mass_and_force(*written, *written_setup, x, t),
                 rounding(20));
  }
}

TEST(EulerLagrange, TheTriplePendulumByEnergiesHasTheMassAndForceWrittenByHand) {
  expect_same_equations("tests/model/data/triple_pendulum_energies.toml", "examples/triple_pendulum_barrier.toml");
}

TEST(EulerLagrange, TheTriplePendulumRodByRodHasThemToo) {
  expect_same_equations("tests/model/data/triple_pendulum_rods.toml", "examples/triple_pendulum_barrier.toml");
}

int cost(const Model& model) {
  std::vector<Expr> roots;
  for (const Located& e : model.mass) roots.push_back(e.expr);
  for (const Located& e : model.force) roots.push_back(e.expr);
  return operation_count(roots);
}

TEST(EulerLagrange, EquationsFromEnergiesCostAboutWhatHandWrittenOnesCost) {
  const auto by_hand = read("examples/triple_pendulum_barrier.toml");
  const auto by_energies = read("tests/model/data/triple_pendulum_energies.toml");
  const auto rod_by_rod = read("tests/model/data/triple_pendulum_rods.toml");
  ASSERT_TRUE(by_hand && by_energies && rod_by_rod);
  EXPECT_LE(cost(*by_energies), cost(*by_hand) * 11 / 10);
  EXPECT_LE(cost(*rod_by_rod), cost(*by_hand) * 11 / 10);
}

}  // namespace
}  // namespace saltus
