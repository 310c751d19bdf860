#pragma once
// Systems whose motion is known in closed form, and small model texts.

#include <cmath>
#include <cstddef>
#include <string>

namespace saltus::test {

/// A ball dropped from z0: impact k at √(2 z0/g) (1 + 2 (e + … + eᵏ)), accumulation at √(2 z0/g) (1 + e)/(1 − e).
struct BouncingBall {
  double g, e, z0;
  double fall() const { return std::sqrt(2.0 * z0 / g); }
  double impact(std::size_t k) const {
    const double power = std::pow(e, static_cast<double>(k));
    return fall() * (1.0 + (e < 1.0 ? 2.0 * e * (1.0 - power) / (1.0 - e) : 2.0 * static_cast<double>(k)));
  }
  double accumulation() const { return fall() * (1.0 + e) / (1.0 - e); }
};

/// q̈ = −q with a wall at −1 + d.
inline const std::string dip_text = R"toml([parameters]
d = 0.1

[mechanics]
coordinates = ["q"]
mass  = [["1"]]
force = ["-q"]

[[contact]]
name = "wall"
gap = "q + 1 - d"
restitution = "0.8"
)toml";

/// A point of mass 1 in the plane with two walls, e = 0.5 at both; from (1, 1) with velocity (−1, −1).
inline std::string corner_text(const std::string& first, const std::string& second, const std::string& fx = "0",
                               const std::string& fy = "0") {
  return R"toml([mechanics]
coordinates = ["x", "y"]
mass  = [["1", "0"], ["0", "1"]]
force = [")toml" +
         fx + "\", \"" + fy + R"toml("]

[[contact]]
name = "first"
gap = ")toml" +
         first + R"toml("
restitution = "0.5"

[[contact]]
name = "second"
gap = ")toml" +
         second + R"toml("
restitution = "0.5"

[initial]
x = 1.0
y = 1.0
"x'" = -1.0
"y'" = -1.0
)toml";
}

/// No force up to x = 1, force 2 beyond; from x = 0 with speed 1.
inline const std::string step_force_text = R"toml([parameters]
place = 1.0
push = 2.0

[mechanics]
coordinates = ["x"]
mass  = [["1"]]
force = ["if(x > place, push, 0)"]

[initial]
"x'" = 1.0
)toml";

}  // namespace saltus::test
