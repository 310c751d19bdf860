#include "saltus/analysis/motions/neighbour_growth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/analysis/motions/recurrence.hpp"
#include "saltus/flow/exact_flow.hpp"

namespace saltus {
namespace {

constexpr double neighbour_at = 1e-6;  // of the sizes: the distance to which a neighbour is set
constexpr double made_same = 1e-13;   // of the sizes: what rounding leaves where contact makes both the same
constexpr double parted = 1e-3;    // of the sizes: a neighbour that would be taken for another motion
constexpr std::size_t pieces_of_a_period = 16;  // of a forcing period

/// A state beside the motion, drawn near it again and again.
struct Neighbour {
  FlowPoint at;
  double distance = 0.0;  // from the motion, in sizes; 0: there is none
  double growth = 0.0;    // ln, since both were the same: where one is lost that of the next goes on
  double lowest = 0.0;

  /// There is none, and the next one begins anew.
  void forget() { distance = growth = lowest = 0.0; }
};

/// A motion, and its neighbours: one that is followed until contact makes it the same, and one that begins anew wherever the motion was
/// held. Of several coordinates one may forget what came before, and only neighbours that differ in it then tell what grows there.
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
    for (Neighbour* each : {&lasting_, &renewed_})
      if (each->distance == 0.0) set_beside(*each);
    was_held_ = false;
    if (!advance(motion_, end)) return false;
    const bool motion_was_held = was_held_;
    for (Neighbour* each : {&lasting_, &renewed_}) {
      if (each->distance == 0.0) continue;
      was_held_ = motion_was_held;
      if (advance(each->at, end)) measure(*each);
      else each->distance = 0.0;
    }
    if (motion_was_held) renewed_.forget();
    return true;
  }
  NeighbourGrowth growth() const { return found_; }

 private:
  /// What is held stays where it is held: it has no neighbour.
  void set_beside(Neighbour& neighbour) {
    if (motion_.mode.is_masked()) return;
    Vector step = neighbour_at * sizes_.size;
    for (Index i = 1; i < step.size(); i += 2) step[i] = -step[i];
    const Mechanism mechanism(kernels_, run_.parameters);
    for (const double sign : {1.0, -1.0}) {
      neighbour.at = motion_;
      neighbour.at.x += sign * step;
      if (is_penetrating(mechanism, motion_.t.phase, neighbour.at.x, sizes_.size, 0.0)) continue;
      neighbour.distance = neighbour_at;
      return;
    }
  }

  bool advance(FlowPoint& point, const Time& end) {
    run_.start = point;
    run_.end = end;
    FlowResult result = flow(kernels_, options_, run_);
    point = std::move(result.end);
    was_held_ = was_held_ || result.ledger.held_time > 0.0;
    return result.outcome == Outcome::reached_end;
  }

  void measure(Neighbour& neighbour) {
    const double now = state_distance(neighbour.at.x, motion_.x, translations_, sizes_);
    const bool alike = motion_.mode == neighbour.at.mode;
    // What holds both may have let them go again since they were looked at last.
    if (alike && is_the_same(neighbour)) {
      found_.forgets = found_.forgets || was_held_;
      neighbour.forget();
      return;
    }
    if (now == 0.0) return;
    neighbour.growth += std::log(now / neighbour.distance);
    neighbour.lowest = std::min(neighbour.lowest, neighbour.growth);
    found_.largest = std::max(found_.largest, neighbour.growth - neighbour.lowest);
    neighbour.distance = now;
    if (alike && !motion_.mode.is_masked()) draw_near(neighbour);
    else if (!alike && now > parted) neighbour.distance = 0.0;
  }

  bool is_the_same(const Neighbour& neighbour) const {
    const Vector difference = translations_.remainder(neighbour.at.x - motion_.x).cwiseAbs();
    const Vector rounding = made_same * (sizes_.size + motion_.x.cwiseAbs());
    return (difference.array() <= rounding.array()).all();
  }

  /// The neighbour on the same side at the distance from which growth is measured.
  void draw_near(Neighbour& neighbour) {
    const Vector offset = translations_.remainder(neighbour.at.x - motion_.x);
    Vector near = motion_.x + neighbour_at / neighbour.distance * offset;
    const Mechanism mechanism(kernels_, run_.parameters);
    if (is_penetrating(mechanism, motion_.t.phase, near, sizes_.size, 0.0)) return;
    neighbour.at.x = std::move(near);
    neighbour.distance = neighbour_at;
  }

  const Kernels& kernels_;
  const FlowOptions& options_;
  FlowRun run_;
  const Translations& translations_;
  const StateSizes& sizes_;
  FlowPoint motion_;
  Neighbour lasting_, renewed_;
  bool was_held_ = false;  // the motion or the neighbour, since both were looked at last
  NeighbourGrowth found_;
};

}  // namespace

/// In sizes: the smallest difference that the computation makes by itself.
static double error_of_a_step(const Kernels& kernels, const FlowOptions& options, const Vector& x,
                              const StateSizes& sizes) {
  constexpr double rounding = 4e-15;  // of the closed form, with its events; x may pass zero here
  const Vector errors =
      flows_exactly(kernels, options) ? Vector(rounding * x.cwiseAbs().cwiseMax(sizes.size)) : sizes.unresolved;
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
