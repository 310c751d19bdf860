#include "saltus/analysis/motions/neighbour_growth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/analysis/motions/recurrence.hpp"
#include "saltus/flow/exact_flow.hpp"

namespace saltus {
namespace {

constexpr double neighbour_at = 1e-6;// of the sizes: the distance to which a neighbour is set
constexpr double made_same = 1e-13;   // of the sizes: what rounding leaves where contact makes both the same
constexpr double parted = 1e-3;    // of the sizes: a neighbour that would be taken for another motion
constexpr std::size_t pieces_of_a_period = 16;  // of a forcing period

/// A motion, and its neighbour.
class NeighbouringMotions {
 public:
  NeighbouringMotions(const Kernels& kernels, const FlowOptions& options, const FlowRun& from,
                      const Translations& translations, const StateSizes& sizes)
      : kernels_(kernels),
        options_(options),
        run_(from),
        translations_(translations),
        sizes_(sizes),
        motion_(from.start) {
    run_.keep_events = false;
    motion_.tangent.resize(motion_.tangent.rows(), 0);
  }

  /// False where the motion cannot be followed.
  bool go_to(const Time& end) {
    if (distance_ == 0.0) set_beside();
    if (!advance(motion_, end)) return false;
    if (distance_ == 0.0) return true;
    if (!advance(neighbour_, end)) distance_ = 0.0;
    else measure();
    return true;
  }
  NeighbourGrowth growth() const { return found_; }

 private:
  /// What is held stays where it is held: it has no neighbour.
  void set_beside() {
    if (motion_.mode.is_masked()) return;
    Vector step = neighbour_at * sizes_.size;
    for (Index i = 1; i < step.size(); i += 2) step[i] = -step[i];
    const Mechanism mechanism(kernels_, run_.parameters);
    for (const double sign : {1.0, -1.0}) {
      neighbour_ = motion_;
      neighbour_.x += sign * step;
      if (is_penetrating(mechanism, motion_.t.phase, neighbour_.x, sizes_.size, 0.0)) continue;
      distance_ = neighbour_at;
      growth_ = lowest_ = 0.0;
      return;
    }
  }

  bool advance(FlowPoint& point, const Time& end) {
    run_.start = point;
    run_.end = end;
    FlowResult result = flow(kernels_, options_, run_);
    point = std::move(result.end);
    return result.outcome == Outcome::reached_end;
  }

  void measure() {
    const double now = state_distance(neighbour_.x, motion_.x, translations_, sizes_);
    const bool alike = motion_.mode == neighbour_.mode;
    if (alike && motion_.mode.is_masked() && is_the_same()) {
      found_.forgets = true;
      distance_ = 0.0;
      return;
    }
    if (now == 0.0) return;
    growth_ += std::log(now / distance_);
    lowest_ = std::min(lowest_, growth_);
    found_.largest = std::max(found_.largest, growth_ - lowest_);
    distance_ = now;
    if (alike && !motion_.mode.is_masked()) draw_near();
    else if (!alike && now > parted) distance_ = 0.0;
  }

  bool is_the_same() const {
    const Vector difference = translations_.remainder(neighbour_.x - motion_.x).cwiseAbs();
    const Vector rounding = made_same * (sizes_.size + motion_.x.cwiseAbs());
    return (difference.array() <= rounding.array()).all();
  }

  /// The neighbour on the same side at the distance from which growth is measured.
  void draw_near() {
    const Vector offset = translations_.remainder(neighbour_.x - motion_.x);
    Vector near = motion_.x + neighbour_at / distance_ * offset;
    const Mechanism mechanism(kernels_, run_.parameters);
    if (is_penetrating(mechanism, motion_.t.phase, near, sizes_.size, 0.0)) return;
    neighbour_.x = std::move(near);
    distance_ = neighbour_at;
  }

  const Kernels& kernels_;
  const FlowOptions& options_;
  FlowRun run_;
  const Translations& translations_;
  const StateSizes& sizes_;
  FlowPoint motion_, neighbour_;
  double distance_ = 0.0;  // between both, in sizes; 0: there is no neighbour
  double growth_ = 0.0;
  double lowest_ = 0.0;
  NeighbourGrowth found_;
};

}  // namespace

/// In sizes: the smallest difference that the computation makes by itself.
static double error_of_a_step(const Kernels& kernels, const FlowOptions& options, const Vector& x,
                              const StateSizes& sizes) {
  constexpr double rounding = 4e-15;  // of the closed form, with its events
  const Vector errors = flows_exactly(kernels, options) ? Vector(rounding * x.cwiseAbs()) : sizes.unresolved;
  double largest = std::numeric_limits<double>::min();
  for (Index i = 0; i < errors.size(); ++i)
    if (sizes.size[i] > errors[i]) largest = std::max(largest, errors[i] / sizes.size[i]);
  return largest;
}

NeighbourGrowth neighbour_growth(const Kernels& kernels, const FlowOptions& options, const FlowRun& from,
                                 std::size_t periods, const Translations& translations, const StateSizes& sizes) {
  NeighbouringMotions pair(kernels, options, from, translations, sizes);
  const Time begin = from.start.t;
  for (std::size_t piece = 1; piece <= periods * pieces_of_a_period; ++piece) {
    const double part = static_cast<double>(piece % pieces_of_a_period) / static_cast<double>(pieces_of_a_period);
    const Time end{begin.cycles + static_cast<long>(piece / pieces_of_a_period), begin.phase + part * from.period};
    if (!pair.go_to(end)) break;
  }
  return pair.growth();
}

Recurrence unless_by_rounding(Recurrence seen, const Kernels& kernels, const FlowOptions& options, const FlowRun& from,
                              const Translations& translations, const StateSizes& sizes) {
  constexpr double visible = 0.01;  // of the sizes: what errors must not grow to
  constexpr std::size_t looked_at = 64;  // periods of a motion that does not repeat
  const auto over = [&](std::size_t periods) {
    return neighbour_growth(kernels, options, from, periods, translations, sizes);
  };
  if (!seen.period && seen.doubt) return seen;
  if (!seen.period) {
    if (!over(looked_at).forgets) return seen;
    seen.by_rounding = true;
    seen.doubt =
        "contact makes neighbouring motions the same, so that the motion must repeat, but not after as few points as "
        "were compared, or only without rounding";
    return seen;
  }
  const NeighbourGrowth twice_round = over(2 * *seen.period);
  const double error = error_of_a_step(kernels, options, from.start.x, sizes);
  if (!(std::log(error) + twice_round.largest > std::log(visible))) return seen;
  seen.nearing = seen.period;
  seen.period = std::nullopt;
  seen.by_rounding = true;
  seen.doubt = fmt::format(
      "the section repeats after {} points because contact makes the motion forget what came before, but until it does "
      "perturbations grow by e^{:.0f}, beyond all digits, so that rounding decides when it does",
      *seen.nearing, twice_round.largest);
  return seen;
}

}  // namespace saltus
