// The Lyapunov spectrum of fig4ab over 1,000 forcing periods: one, and 64 at once in the lanes of one thread. The same by
// CVODE: peers/cvode_spectrum, at the same tolerance, after the same transient.
#include <algorithm>
#include <numbers>

#include "bench_model.hpp"
#include "saltus/analysis/motions/lyapunov.hpp"

namespace {

using namespace saltus;

constexpr std::size_t at_once = 64;
constexpr int repetitions = 3;

/// Seconds of processor time; the first spectrum is kept.
double seconds_of(const Kernels& kernels, const std::vector<LyapunovStart>& starts, unsigned width, double periods,
                  LyapunovSpectrum& first) {
  const double begin = bench::processor_seconds();
  first = lyapunov_spectra(kernels, starts, {.length = periods}, width, 1).front();
  return bench::processor_seconds() - begin;
}

}  // namespace

int main(int argc, char** argv) {
  const double periods = argc > 1 ? std::atof(argv[1]) : 1000.0;
  const auto model = bench::accepted(read_model_file(bench::example("triple_pendulum_barrier")));
  const Setup setup = bench::accepted(set_up(*model, "fig4ab", {}));
  const unsigned width = host().lanes;
  const Kernels kernels(*model, {}, {1, width});
  const Vector x = Eigen::Map<const Vector>(setup.initial.data(), static_cast<Eigen::Index>(setup.initial.size()));
  const LyapunovStart at_rest{x, setup.parameters, setup.forcing_period};
  const Vector settled = lyapunov_spectra(kernels, {at_rest}, {.transient = 200.0, .length = 1.0}).front().end.x;
  std::vector<LyapunovStart> starts(at_once, {settled, setup.parameters, setup.forcing_period});
  // Beside each other, all on the same attractor.
  for (std::size_t k = 1; k < at_once; ++k) starts[k].x[5] += 1e-4 * static_cast<double>(k);
  LyapunovSpectrum spectrum, unused;
  double one = 1e300, many = 1e300;
  for (int k = 0; k < repetitions; ++k) {
    one = std::min(one, seconds_of(kernels, {starts[0]}, 1, periods, spectrum) / periods);
    // A tenth of the length tells the cost of a period as well.
    many = std::min(many, seconds_of(kernels, starts, width, periods / 10.0, unused) / (periods / 10.0));
  }
  fmt::print("spectrum of fig4ab, {:.0f} periods after 200, rtol 1e-10, bits per unit time:", periods);
  for (const double value : spectrum.exponents.values) fmt::print(" {:.4f}", value / std::numbers::ln2);
  fmt::print("\none spectrum: {:.3f} s, {:.1f} us/period\n", one * periods, 1e6 * one);
  fmt::print(
      "{} at once, {} lanes, one thread: {:.1f} times one in all, {:.1f} us/period each, 1/{:.2f} of one alone\n",
      at_once, width, many / one, 1e6 * many / at_once, at_once * one / many);
}
