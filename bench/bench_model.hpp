// Models of the benchmarks, and processor time.
#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>

#include "saltus/model/model.hpp"

namespace bench {

/// Seconds of this program on a processor: other programs on the machine do not count.
inline double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

inline std::shared_ptr<const saltus::Model> accepted(const saltus::ModelReading& reading) {
  if (reading.model) return reading.model;
  fmt::print(stderr, "{}", saltus::rendered(reading.diagnostics));
  std::exit(1);
}

inline saltus::Setup accepted(const saltus::SetupReading& reading) {
  if (reading.setup) return *reading.setup;
  fmt::print(stderr, "{}", saltus::rendered(reading.diagnostics));
  std::exit(1);
}

/// The folder examples/, from wherever the program is started.
inline std::string example(const std::string& name) { return fmt::format(SALTUS_EXAMPLES "/{}.toml", name); }

/// n equal rods in a chain over a barrier, driven at the first one: M_ij = c_ij cos(qᵢ − qⱼ).
inline std::string pendulum_chain(int n) {
  std::string names, mass, force, depth;
  for (int i = 1; i <= n; ++i) {
    names += fmt::format("\"q{}\",", i);
    depth += fmt::format("{}cos(q{})", i > 1 ? " + " : "", i);
    std::string row, f;
    for (int j = 1; j <= n; ++j) {
      const int behind = n - (i > j ? i : j);
      if (i == j) {
        row += fmt::format("\"{} + 1/3\",", behind);
        continue;
      }
      const std::string c = fmt::format("({} + 1/2)", behind);
      row += fmt::format("\"{}*cos(q{} - q{})\",", c, i, j);
      f += fmt::format(" - {}*sin(q{} - q{})*q{}'^2", c, i, j, j);
    }
    mass += fmt::format("[{}],", row);
    f += fmt::format(" - c*q{}'{} - g*({} + 1/2)*sin(q{})", i, i > 1 ? fmt::format(" + c*q{}'", i - 1) : "", n - i, i);
    if (i == 1) f += " + a*cos(omega*t)";
    force += fmt::format("\"{}\",", f);
  }
  return fmt::format(
      "title = \"chain\"\n[parameters]\nc = 0.1\ng = 1.0\na = 0.5\nomega = 1.2\neta = {}\ne = 0.8\n"
      "[mechanics]\ncoordinates = [{}]\nmass = [{}]\nforce = [{}]\n"
      "[[contact]]\nname = \"floor\"\ngap = \"eta - ({})\"\nrestitution = \"e\"\n"
      "[forcing]\nperiod = \"2*pi/omega\"\n",
      n + 1, names, mass, force, depth);
}

}  // namespace bench
