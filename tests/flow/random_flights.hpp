#pragma once
// Flights past one small obstacle each, judged by dense samples of the true motion.

#include <array>
#include <cmath>
#include <random>

#include "tests/support/flow_support.hpp"

namespace saltus::test {

inline const Event* first_event(const FlowResult& result, EventKind kind) {
  for (const Event& event : result.events)
    if (event.kind == kind) return &event;
  return nullptr;
}

/// Two coordinates under gravity, springs and damping, at most one of them at a time, whose motion is known.
struct Flight {
  double k, c, g;  // spring, damping, gravity
  std::array<double, 4> start;
  std::array<double, 4> at(double t) const {
    std::array<double, 4> x = start;
    for (std::size_t i = 0; i < 2; ++i) {
      const double q = start[i];
      const double v = start[2 + i];
      const double fall = i == 1 ? -g : 0.0;
      if (k > 0.0) {
        const double w = std::sqrt(k);
        x[i] = q * std::cos(w * t) + v / w * std::sin(w * t);
        x[2 + i] = v * std::cos(w * t) - q * w * std::sin(w * t);
      } else if (c > 0.0) {
        x[i] = q - v * std::expm1(-c * t) / c;
        x[2 + i] = v * std::exp(-c * t);
      } else {
        x[i] = q + v * t + 0.5 * fall * t * t;
        x[2 + i] = v + fall * t;
      }
    }
    return x;
  }
};

/// An obstacle of a size around a place, as an expression and as a function.
struct Obstacle {
  const char* gap;
  double (*value)(double x, double y, double t, double a, double b, double s, double e);
};
inline const std::array<Obstacle, 5> obstacles = {{
    {"sqrt((x-a)^2 + (y-b)^2) - s",
     [](double x, double y, double, double a, double b, double s, double) { return std::hypot(x - a, y - b) - s; }},
    {"((x-a)/s)^2 + ((y-b)/(e*s))^2 - 1",
     [](double x, double y, double, double a, double b, double s, double e) {
       return std::pow((x - a) / s, 2) + std::pow((y - b) / (e * s), 2) - 1.0;
     }},
    {"1 - e*exp(-((x-a)^2 + (y-b)^2)/s^2)",
     [](double x, double y, double, double a, double b, double s, double e) {
       return 1.0 - e * std::exp(-(std::pow(x - a, 2) + std::pow(y - b, 2)) / (s * s));
     }},
    {"sqrt((x-a-s*sin(5*t))^2 + (y-b)^2) - s",
     [](double x, double y, double t, double a, double b, double s, double) {
       return std::hypot(x - a - s * std::sin(5.0 * t), y - b) - s;
     }},
    {"1 - e/(1 + ((x-a)^2 + (y-b)^2)/s^2)*(1.2 + 0.2*cos(x/s))",
     [](double x, double y, double, double a, double b, double s, double e) {
       const double d = (std::pow(x - a, 2) + std::pow(y - b, 2)) / (s * s);
       return 1.0 - e / (1.0 + d) * (1.2 + 0.2 * std::cos(x / s));
     }},
}};

struct Tally {
  long hits = 0, missed = 0, false_hits = 0, wrong_time = 0;
};

/// Flights past one obstacle each, judged by dense samples of the true motion around the place where it stands.
inline Tally fly(const Obstacle& obstacle, long count, std::uint64_t seed, double rtol) {
  Motion m = Motion::of(std::string(R"model(
[parameters]
k = 0
c = 0
g = 0
a = 0
b = 0
s = 1
e = 1
[mechanics]
coordinates = ["x", "y"]
mass = [["1", "0"], ["0", "1"]]
force = ["-k*x - c*x'", "-k*y - c*y' - g"]
[[contact]]
name = "obstacle"
restitution = 1
gap = ")model") + obstacle.gap +
                        "\"\n[initial]\nx = 100\ny = 0\n");
  m.options.rtol = rtol;
  m.options.atol = rtol / 100.0;
  std::mt19937_64 random(seed);
  const auto uniform = [&](double lo, double hi) {
    return lo + (hi - lo) * static_cast<double>(random() >> 11) * 0x1p-53;
  };
  Tally tally;
  for (long i = 0; i < count; ++i) {
    Flight flight{0, 0, 0, {uniform(-1, 1), uniform(-1, 1), uniform(-2, 2), uniform(-2, 2)}};
    const int motion = static_cast<int>(random() % 4);
    if (motion == 1) flight.g = uniform(0.5, 3.0);
    if (motion == 2) flight.k = uniform(0.2, 2.0);
    if (motion == 3) flight.c = uniform(0.1, 1.0);
    const double T = motion == 2 ? 2.5 / std::sqrt(flight.k) : uniform(1.0, 8.0);
    const double when = T * uniform(0.1, 0.9);
    const auto there = flight.at(when);
    const double speed = std::hypot(there[2], there[3]);
    if (speed < 0.2) continue;
    const double size = speed * T * std::pow(10.0, uniform(-4.0, -1.3));
    const double offset = size * uniform(-1.8, 1.8);
    const double a = there[0] - offset * there[3] / speed;
    const double b = there[1] + offset * there[2] / speed;
    const double e = uniform(0.6, 2.0);
    const auto gap = [&](double t) {
      const auto x = flight.at(t);
      return obstacle.value(x[0], x[1], t, a, b, size, e);
    };
    if (gap(0.0) < 0.05 * size) continue;
    double lowest = 1e9;
    double first = -1.0;
    const auto look = [&](double t) {
      if (t <= 0.0 || t >= T) return;
      const double value = gap(t);
      lowest = std::min(lowest, value);
      if (value < 0.0 && (first < 0.0 || t < first)) first = t;
    };
    const double window = 8.0 * size / speed;
    const double fine = window / 4000.0;
    for (int j = -4000; j <= 4000; ++j) look(when + fine * j);
    for (int j = 1; j < 500; ++j) look(T * j / 500.0);
    FlowRun run = m.run_from({}, Vector{{flight.start[0], flight.start[1], flight.start[2], flight.start[3]}}, {0, T},
                             Carries::state);
    run.parameters = {flight.k, flight.c, flight.g, a, b, size, e};
    const FlowResult result = flow(m.kernels(), m.options, run);
    const Event* const hit = first_event(result, EventKind::impact);
    // What touches by less than the samples can tell, or less than the motion is known, is not judged.
    const double unsure = 1e-5 * (obstacle.gap[0] == 's' ? size : 1.0);
    if (first > 0.0 && lowest < -unsure) {
      ++tally.hits;
      if (!hit) ++tally.missed;
      else if (std::abs(hit->t - first) > 2.0 * fine + 1e-6 * T && std::abs(gap(hit->t)) > unsure) ++tally.wrong_time;
    } else if (lowest > unsure && hit) {
      ++tally.false_hits;
    }
  }
  return tally;
}

}  // namespace saltus::test
