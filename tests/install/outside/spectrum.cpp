// The spectrum of x'' + 2.5 x' + x = 0, which is -1/2, -2; then the files of Saltus in this process.

#include <cstdio>
#include <fstream>
#include <iostream>
#include <saltus/saltus.hpp>
#include <string>

int main() {
  saltus::LyapunovRequest request;
  request.model = "overdamped.toml";
  request.text = "[mechanics]\ncoordinates = [\"x\"]\nmass = [[\"1\"]]\nforce = [\"-2.5*x' - x\"]\n[initial]\nx = 1\n";
  request.transient = 60.0;
  request.time = 60.0;
  const saltus::LyapunovResult result = saltus::run(request);
  for (const double exponent : result.spectra[0].exponents.values) std::printf("%.6f\n", exponent);
  std::fflush(stdout);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find("r-xp") != std::string::npos && line.find("saltus") != std::string::npos)
      std::cout << line.substr(line.find('/')) << "\n";
}
