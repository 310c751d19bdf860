#include "saltus/analysis/motions/coming_to_rest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace saltus {

/// How far the motion goes in the time `once`, in the sizes of its components: that which goes farthest, by what is resolved.
static double liveliness(const Kernels& kernels, const FlowOptions& options, FlowRun run, double once,
                         const StateSizes& sizes) {
  constexpr double resolved = 1e3;
  run.start.tangent.resize(run.start.tangent.rows(), 0);
  run.end = run.start.t;
  run.end.phase += once;
  run.keep_events = false;
  run.measure_range = true;
  StateRange range;
  range.include(run.start.x);
  range.include(flow(kernels, options, run));
  const Vector widths = range.widths();
  double most = 0.0;
  for (Index i = 0; i < widths.size(); ++i)
    if (widths[i] > resolved * sizes.unresolved[i]) most = std::max(most, widths[i] / sizes.size[i]);
  return most;
}

Recurrence unless_coming_to_rest(Recurrence seen, std::span<const Vector> points, const Kernels& kernels,
                                 const FlowOptions& options, const FlowRun& at_end, double once,
                                 const Translations& translations, const StateSizes& sizes) {
  constexpr double lively = 1e-3;  // of the sizes: an orbit of this size is seen to repeat to a thousandth of itself
  if (!seen.period) return seen;
  const double goes = liveliness(kernels, options, at_end, once, sizes);
  if (goes >= lively) return seen;
  const double tolerance = recurrence_tolerance * goes / lively;
  const std::size_t wanted = std::max<std::size_t>(3 * *seen.period, 8);
  if (goes > 0.0 && repeating_points(points, translations, sizes, *seen.period, tolerance) >= wanted) return seen;
  return {std::nullopt,
          fmt::format("the section repeats after {} point{}, but between them the motion goes by {:.1g} of its ranges, "
                      "and may be coming to rest",
                      *seen.period, *seen.period == 1 ? "" : "s", goes)};
}

}  // namespace saltus
