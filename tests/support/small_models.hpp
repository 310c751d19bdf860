#pragma once

#include <string>

#include "saltus/driver/request.hpp"

namespace saltus::test {

inline const std::string ball = R"toml(
title = "Ball on a shaking floor"
[parameters]
g = 9.81
e = 0.8
weaker = "e/2"
[define]
floor = "0.25*sin(2*t)"
[mechanics]
coordinates = ["z"]
mass  = [["2"]]
force = ["-2*g - if(z > 1, z - 1, 0)"]
[[contact]]
name = "floor"
gap = "z - floor"
restitution = "weaker"
[forcing]
period = "2*pi/2"
[initial]
z = 0.5
[observe]
height = "z"
[case.elastic]
title = "no loss"
e = 1
)toml";

inline const std::string pendulum = R"toml(
[parameters]
m = 2
l = 3
g = 9.81
[mechanics]
coordinates = ["phi"]
kinetic = "m*l^2*phi'^2/2"
potential = "-m*g*l*cos(phi)"
)toml";

inline const std::string hill = R"toml(
[parameters]
alpha = 2
[hill]
g = "alpha + cos(2*t)"
period = "pi"
restitution = 0.5
damping = 0.1
)toml";

template <class SomeRequest>
SomeRequest request_for(const std::string& text) {
  SomeRequest request;
  request.model = "model.toml";
  request.text = text;
  return request;
}

}  // namespace saltus::test
