#include "saltus/analysis/motions/noisy_returns.hpp"

namespace saltus {

bool repeats_despite_rounding(const Kernels& kernels, const FlowOptions& options, const FlowRun& at_end,
                              std::span<const Vector> points, std::size_t k, const Translations& translations,
                              const StateSizes& sizes) {
  constexpr std::size_t rounds = 2;
  FlowPoint point = at_end.start;
  point.tangent.resize(point.tangent.rows(), 0);
  for (std::size_t round = 0; round < rounds; ++round) {
    bool came_back = false;
    for (std::size_t j = 0; j < k; ++j) {
      // What is held stays where it is held: nothing is to be disturbed.
      if (!point.mode.is_masked())
        for (Index i = 0; i < point.x.size(); ++i)
          point.x[i] += ((j + static_cast<std::size_t>(i)) % 2 == 0 ? 1.0 : -1.0) * sizes.unresolved[i];
      FlowRun run;
      run.start = point;
      run.period = at_end.period;
      run.parameters = at_end.parameters;
      run.end = point.t;
      ++run.end.cycles;
      run.keep_events = false;
      FlowResult result = flow(kernels, options, run);
      if (result.outcome != Outcome::reached_end) return true;
      point = std::move(result.end);
      const Vector& wanted = points[points.size() - k + j];
      came_back = came_back || state_distance(point.x, wanted, translations, sizes) <= recurrence_tolerance;
    }
    if (!came_back) return false;
  }
  return true;
}

}  // namespace saltus
