// The Lyapunov spectrum of fig4ab over 1,000 forcing periods: one, and 64 at once in the lanes of one thread. The same by
// CVODE: peers/cvode_spectrum, at the same tolerance, after the same transient.
#include <numbers>

#include "bench_model.hpp"
#include "saltus/analysis/lyapunov.hpp"

namespace {

using namespace saltus;

constexpr int at_once = 64;

struct Measured {
  double seconds = 1e300;
  LyapunovSpectrum first;
};

/// The best of three runs; the transient is measured alone and taken off.
Measured measured(const Kernels& kernels, const Setup& setup, std::size_t count, unsigned width, double periods) {
  const Vector x = Eigen::Map<const Vector>(setup.initial.data(), static_cast<Eigen::Index>(setup.initial.size()));
  std::vector<LyapunovStart> starts(count, {x, setup.parameters, setup.forcing_period});
  // Beside each other, all on the same attractor.
  for (std::size_t k = 0; k < count; ++k) starts[k].x[0] -= 1e-3 * static_cast<double>(k) / static_cast<double>(count);
  Measured result;
  for (int repetition = 0; repetition < 3; ++repetition) {
    const auto seconds = [&](double length) {
      const double begin = bench::processor_seconds();
      const auto spectra = lyapunov_spectra(kernels, starts, {.transient = 200.0, .length = length}, width, 1);
      result.first = spectra.front();
      return bench::processor_seconds() - begin;
    };
    const double transient = seconds(1.0);
    result.seconds = std::min(result.seconds, seconds(1.0 + periods) - transient);
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const double periods = argc > 1 ? std::atof(argv[1]) : 1000.0;
  const auto model = bench::accepted(read_model_file(bench::example("triple_pendulum_barrier")));
  const Setup setup = bench::accepted(set_up(*model, "fig4ab", {}));
  const unsigned width = host().lanes;
  const Kernels kernels(*model, {}, {1, width});
  const Measured one = measured(kernels, setup, 1, 1, periods);
  fmt::print("spectrum of fig4ab, {:.0f} periods after 200, rtol 1e-10, bits per unit time:", periods);
  for (const double value : one.first.exponents.values) fmt::print(" {:.4f}", value / std::numbers::ln2);
  fmt::print("\none spectrum: {:.3f} s, {:.1f} us/period\n", one.seconds, 1e6 * one.seconds / periods);
  const Measured many = measured(kernels, setup, at_once, width, periods);
  fmt::print("{} at once, {} lanes, one thread: {:.3f} s, {:.2f} times one alone, 1/{:.2f} of it each\n", at_once, width,
             many.seconds, many.seconds / one.seconds, at_once * one.seconds / many.seconds);
}
