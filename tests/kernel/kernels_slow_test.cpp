#include "saltus/kernel/kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <tuple>

#include "saltus/kernel/tape.hpp"
#include "tests/support/tolerance.hpp"

namespace saltus {
namespace {

constexpr int state_count = 200;

std::vector<std::string> mechanical_examples() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator("examples")) {
    const ModelReading reading = read_model_file(entry.path().string());
    if (reading.model && !reading.model->hill) paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// A model compiled with a column for every state and every parameter, and random points to look at it.
class Specimen {
 public:
  explicit Specimen(const std::string& path) : model(read_model_file(path).model), random_(20261116) {
    KernelOptions options;
    for (std::size_t i = 0; i < model->parameters.size(); ++i) options.varied.push_back(i);
    options.followed.assign(model->parameters.size(), false);  // every parameter moves alone
    for (const Observable& observable : model->observables) options.observables.push_back(observable.value.expr);
    kernels = std::make_unique<Kernels>(*model, options);
    setup = *set_up(*model, "", {}).setup;
  }

  struct Point {
    std::vector<long double> t, x, p, mode, X;
  };

  /// Near the initial state, on a random side of every switch, with at most one contact closed.
  Point point(bool closed) {
    const Layout& l = kernels->layout();
    std::uniform_real_distribution<double> shift(-0.4, 0.4);
    Point at;
    at.t = {shift(random_)};
    for (const double x : setup.initial) at.x.push_back(x + shift(random_));
    for (const double p : setup.parameters) at.p.push_back(p);
    at.mode.assign(l.mode_size(), 1.0L);
    for (std::size_t i = 0; i < l.contacts; ++i) at.mode[l.contact_mask(i)] = 0.0L;
    if (closed && l.contacts > 0) at.mode[random_() % l.contacts] = 1.0L;
    for (std::size_t k = 0; k < l.switches; ++k) {
      at.mode[l.sign(k)] = random_() % 2 == 0 ? 1.0L : -1.0L;
      at.mode[l.filippov_mask(k)] = 0.0L;
    }
    for (std::size_t i = 0; i < l.N() * l.columns(); ++i) at.X.push_back(shift(random_));
    round_to_double(at);
    return at;
  }

  template <class Real>
  std::vector<Real> evaluated(const std::string& name, const Point& at) const {
    const Tape<Real>& tape = std::get<Tapes<Real>>(tapes_).of(name, *kernels);
    std::vector<Real> out(tape.program().outputs.size());
    const auto cast = [](const std::vector<long double>& from) { return std::vector<Real>(from.begin(), from.end()); };
    const std::vector<Real> t = cast(at.t), x = cast(at.x), p = cast(at.p), mode = cast(at.mode), X = cast(at.X);
    tape(t.data(), x.data(), p.data(), mode.data(), X.data(), out.data());
    return out;
  }

  std::vector<double> native(Kernel kernel, std::size_t size, const Point& at) const {
    std::vector<double> out(size);
    const auto cast = [](const std::vector<long double>& from) {
      return std::vector<double>(from.begin(), from.end());
    };
    const std::vector<double> t = cast(at.t), x = cast(at.x), p = cast(at.p), mode = cast(at.mode), X = cast(at.X);
    kernel(t.data(), x.data(), p.data(), mode.data(), X.data(), out.data());
    return out;
  }

  std::shared_ptr<const Model> model;
  std::unique_ptr<Kernels> kernels;
  Setup setup;

 private:
  static void round_to_double(Point& at) {
    for (auto* part : {&at.t, &at.x, &at.p, &at.mode, &at.X})
      for (long double& value : *part) value = static_cast<double>(value);
  }
  /// The interpreters, made once.
  template <class Real>
  struct Tapes {
    std::map<std::string, Tape<Real>> all;
    const Tape<Real>& of(const std::string& name, const Kernels& kernels) {
      return all.try_emplace(name, kernels.program(name)).first->second;
    }
  };
  mutable std::tuple<Tapes<double>, Tapes<long double>> tapes_;
  std::mt19937 random_;
};

double largest(const std::vector<long double>& values) {
  long double size = 0.0L;
  for (const long double value : values) size = std::max(size, std::abs(value));
  return static_cast<double>(size);
}

/// The columns of `sliding_tangent` or `field_tangent` for unit columns: the Jacobian by state, then by parameter.
std::vector<long double> jacobian_column(const Specimen& specimen, const std::string& name, Specimen::Point at,
                                         std::size_t direction) {
  const Layout& l = specimen.kernels->layout();
  const bool by_state = direction < l.N();
  const std::size_t column = by_state ? 0 : l.state_columns + direction - l.N();
  std::fill(at.X.begin(), at.X.end(), 0.0L);
  if (by_state) at.X[l.tangent(direction, 0)] = 1.0L;
  const std::vector<long double> all = specimen.evaluated<long double>(name, at);
  std::vector<long double> result;
  for (std::size_t i = 0; i < l.n; ++i) result.push_back(at.X[l.tangent(l.n + i, column)]);  // δq̇ = δv
  for (std::size_t i = l.n; i < l.N(); ++i) result.push_back(all[l.N() + l.tangent_rate(i, column)]);
  return result;
}

Specimen::Point moved(Specimen::Point at, const Layout& l, std::size_t direction, long double by) {
  if (direction < l.N()) at.x[direction] += by;
  else at.p[direction - l.N()] += by;
  return at;
}

/// Worst distance of central differences with step h from a derivative.
long double difference_error(const std::vector<long double>& up, const std::vector<long double>& down, long double h,
                             const std::vector<long double>& derivative) {
  long double worst = 0.0L;
  for (std::size_t i = 0; i < derivative.size(); ++i)
    worst = std::max(worst, std::abs((up[i] - down[i]) / (2.0L * h) - derivative[i]));
  return worst;
}

/// Second order: the error falls by 4 when the step is halved. Derivatives of functions that are quadratic or less have no
/// error to fall; those below `noise` are exact.
void expect_second_order(const std::function<long double(long double)>& error, double scale, const std::string& what,
                         long double size = 1.0L, double value = 1.0) {
  const long double h = 1e-3L * (size == 0.0L ? 1.0L : std::abs(size));  // small beside what is moved
  const long double coarse = error(h);
  const long double fine = error(h / 2.0L);
  const long double noise = 1e-10L * scale + 1e-15L * value / h;  // of the differences of values of that size
  if (coarse < noise) return;
  EXPECT_NEAR(static_cast<double>(coarse / fine), 4.0, 0.5) << what << ", error " << static_cast<double>(coarse);
}

/// What rounding of the inputs alone does to a function: its largest value, and its largest change per relative change of
/// the inputs. Contacts with a nearly singular G amplify any rounding; no code can do better than this scale.
double rounding_scale(const Specimen& specimen, const std::string& name, const Specimen::Point& at,
                      const std::vector<long double>& values) {
  constexpr long double nudge = 1e-9L;
  Specimen::Point near = at;
  int turn = 0;
  for (auto* part : {&near.t, &near.x, &near.p, &near.X})
    for (long double& value : *part) value *= 1.0L + (++turn % 3 == 0 ? nudge : -nudge);
  const std::vector<long double> changed = specimen.evaluated<long double>(name, near);
  long double change = 0.0L;
  for (std::size_t i = 0; i < values.size(); ++i) change = std::max(change, std::abs(changed[i] - values[i]));
  return largest(values) + static_cast<double>(change / nudge) + 1e-300;
}

TEST(Kernels, EveryCompiledFunctionAgreesWithTheLongDoubleInterpreterAtRandomStatesOfEveryExample) {
  for (const std::string& path : mechanical_examples()) {
    Specimen specimen(path);
    const KernelSet& f = specimen.kernels->at(1);
    const std::pair<const char*, Kernel> functions[] = {{"field", f.field},     {"field_tangent", f.field_tangent},
                                                        {"sliding", f.sliding}, {"sliding_tangent", f.sliding_tangent},
                                                        {"contact", f.contact}, {"impact", f.impact},
                                                        {"jets", f.jets},       {"observe", f.observe},
                                                        {"energy", f.energy},   {"divergence", f.divergence},
                                                        {"events", f.events}};
    double worst = 0.0;
    for (int count = 0; count < state_count; ++count) {
      const Specimen::Point at = specimen.point(count % 2 == 1);
      for (const auto& [name, function] : functions) {
        const std::vector<long double> exact_values = specimen.evaluated<long double>(name, at);
        const std::vector<double> values = specimen.native(function, exact_values.size(), at);
        const double scale = rounding_scale(specimen, name, at, exact_values);
        for (std::size_t i = 0; i < values.size(); ++i) {
          const double error =
              static_cast<double>(std::abs(values[i] - exact_values[i])) / scale / 2.220446049250313e-16;
          worst = std::max(worst, error);
        }
      }
    }
    // Worst of the examples measured: see the message when it fails; most are below 10.
    EXPECT_LE(worst, 50.0) << path << ": " << worst << " eps";
  }
}

TEST(Kernels, TangentsAreTheDerivativesOfTheFieldByEveryStateAndParameterOfEveryExample) {
  for (const std::string& path : mechanical_examples()) {
    Specimen specimen(path);
    const Layout& l = specimen.kernels->layout();
    for (int count = 0; count < state_count; ++count) {
      const bool sliding = count % 2 == 1;
      const Specimen::Point at = specimen.point(sliding);
      const std::string field = sliding ? "sliding" : "field";
      for (std::size_t direction = 0; direction < l.N() + l.parameters; ++direction) {
        const std::vector<long double> derivative = jacobian_column(specimen, field + "_tangent", at, direction);
        const auto error = [&](long double h) {
          return difference_error(specimen.evaluated<long double>(field, moved(at, l, direction, h)),
                                  specimen.evaluated<long double>(field, moved(at, l, direction, -h)), h, derivative);
        };
        expect_second_order(
            error, 1.0 + largest(derivative), path + " " + field + " direction " + std::to_string(direction),
            direction < l.N() ? 1.0L : at.p[direction - l.N()], largest(specimen.evaluated<long double>(field, at)));
      }
    }
  }
}

TEST(Kernels, ImpactDerivativesAreTheDerivativesOfTheImpactMapByStateTimeAndParameter) {
  for (const std::string& path : mechanical_examples()) {
    Specimen specimen(path);
    const Layout& l = specimen.kernels->layout();
    if (l.contacts == 0) continue;
    for (int count = 0; count < state_count; ++count) {
      const Specimen::Point at = specimen.point(true);
      const std::vector<long double> out = specimen.evaluated<long double>("impact", at);
      for (std::size_t d = 0; d < l.impact_directions(); ++d) {
        const auto first = out.begin() + static_cast<std::ptrdiff_t>(l.n + l.contacts + l.n * d);
        const std::vector<long double> derivative(first, first + static_cast<std::ptrdiff_t>(l.n));
        const auto nudged = [&](long double by) {
          Specimen::Point to = at;
          if (d < 2 * l.n) to.x[d] += by;
          else if (d == 2 * l.n) to.t[0] += by;
          else to.p[d - 2 * l.n - 1] += by;
          return specimen.evaluated<long double>("impact", to);
        };
        const auto error = [&](long double h) { return difference_error(nudged(h), nudged(-h), h, derivative); };
        expect_second_order(error, 1.0 + largest(derivative), path + " impact direction " + std::to_string(d),
                            d <= 2 * l.n ? 1.0L : at.p[d - 2 * l.n - 1]);
      }
    }
  }
}

TEST(Kernels, JetsAreTheDerivativesOfGapsTheirRatesAndSwitchingFunctions) {
  for (const std::string& path : mechanical_examples()) {
    Specimen specimen(path);
    const Layout& l = specimen.kernels->layout();
    const std::size_t rows = 2 * l.contacts + l.switches;
    for (int count = 0; count < state_count; ++count) {
      const Specimen::Point at = specimen.point(false);
      const std::vector<long double> jets = specimen.evaluated<long double>("jets", at);
      for (std::size_t d = 0; d < l.jet_size(); ++d) {
        std::vector<long double> derivative;
        for (std::size_t row = 0; row < rows; ++row) derivative.push_back(jets[row * l.jet_size() + d]);
        // The kernel of events lists h, s, then γ: rows 0 … m−1, then switches, then rates.
        const auto nudged = [&](long double by) {
          Specimen::Point to = at;
          if (d < l.N()) to.x[d] += by;
          else if (d == l.N()) to.t[0] += by;
          else to.p[d - l.N() - 1] += by;
          const std::vector<long double> all = specimen.evaluated<long double>("events", to);
          std::vector<long double> ordered(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(l.contacts));
          const auto gamma = all.begin() + static_cast<std::ptrdiff_t>(l.contacts + l.switches);
          ordered.insert(ordered.end(), gamma, gamma + static_cast<std::ptrdiff_t>(l.contacts));
          const auto s = all.begin() + static_cast<std::ptrdiff_t>(l.contacts);
          ordered.insert(ordered.end(), s, s + static_cast<std::ptrdiff_t>(l.switches));
          return ordered;
        };
        const auto error = [&](long double h) { return difference_error(nudged(h), nudged(-h), h, derivative); };
        expect_second_order(error, 1.0 + largest(derivative), path + " jet direction " + std::to_string(d),
                            d <= l.N() ? 1.0L : at.p[d - l.N() - 1]);
      }
    }
  }
}

TEST(Kernels, TheTriplePendulumByEnergiesAndByMassAndForceHasOneField) {
  Specimen by_force("examples/triple_pendulum_barrier.toml");
  Specimen by_energies("tests/model/data/triple_pendulum_energies.toml");
  double worst = 0.0;
  for (int count = 0; count < state_count; ++count) {
    const Specimen::Point at = by_force.point(false);
    Specimen::Point there = at;
    there.p.clear();
    for (const Parameter& parameter : by_energies.model->parameters) {
      const auto& ours = by_force.model->parameters;
      const auto same =
          std::find_if(ours.begin(), ours.end(), [&](const Parameter& p) { return p.name == parameter.name; });
      ASSERT_NE(same, ours.end()) << parameter.name;
      there.p.push_back(at.p[static_cast<std::size_t>(same - ours.begin())]);
    }
    const std::vector<double> a = by_force.native(by_force.kernels->at(1).field, 6, at);
    const std::vector<double> b = by_energies.native(by_energies.kernels->at(1).field, 6, there);
    double scale = 0.0;
    for (const double value : a) scale = std::max(scale, std::abs(value));
    for (std::size_t i = 0; i < a.size(); ++i)
      worst = std::max(worst, std::abs(a[i] - b[i]) / scale / 2.220446049250313e-16);
  }
  EXPECT_LE(worst, 20.0) << worst << " eps";
}

TEST(Kernels, OneSlidingContactIsHeldAndItsForceIsTheMultiplier) {
  // ḧ = 0 on the closed contact, whatever the state: the definition of λ.
  for (const std::string& path : mechanical_examples()) {
    Specimen specimen(path);
    const Layout& l = specimen.kernels->layout();
    if (l.contacts == 0) continue;
    for (int count = 0; count < 50; ++count) {
      Specimen::Point at = specimen.point(true);
      const std::vector<long double> rate = specimen.evaluated<long double>("sliding", at);
      std::copy_n(rate.begin(), l.N(), at.X.begin());
      const std::vector<long double> events = specimen.evaluated<long double>("events", at);
      const std::size_t count_of_functions = l.contacts + l.switches + l.surfaces;
      for (std::size_t i = 0; i < l.contacts; ++i) {
        if (at.mode[i] == 0.0L) {
          EXPECT_EQ(rate[l.N() + i], 0.0L) << path;
        } else {
          EXPECT_LT(std::abs(events[2 * count_of_functions + i]), 1e-14L * (1.0L + largest(rate))) << path;
        }
      }
    }
  }
}

}  // namespace
}  // namespace saltus
