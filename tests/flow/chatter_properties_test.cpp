// Completed chatter of random bodies with friction between them, against its impacts one by one.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdlib>
#include <optional>

#include "tests/support/flow_support.hpp"

namespace saltus::test {
namespace {

const int seeded_chatter = setenv("RC_PARAMS", "seed=20245 max_success=25", 0);

/// [[A, b], [b, c]] (s̈, ẍ) = (−N sign ṡ, F), x ≤ ½: between events all accelerations are constant, so that every impact and every
/// stop of s has a closed form; all of them are gone through in long double.
struct RubbingBodies {
  double A, b, c, N, F, e;

  std::string text() const {
    return fmt::format(
        "[mechanics]\ncoordinates = [\"s\", \"x\"]\nmass = [[\"{0}\", \"{1}\"], [\"{1}\", \"{2}\"]]\n"
        "force = [\"-{3}*sign(s')\", \"{4}\"]\n[[contact]]\nname = \"stop\"\ngap = \"0.5 - x\"\nrestitution = {5}\n",
        A, b, c, N, F, e);
  }

  struct State {
    long double t = 0, s = 0, x = 0, vs = 0, vx = 0;
    int impacts = 0;
  };
  bool sticks() const { return std::abs(b * F / c) <= N; }
  /// +1, −1, or 0 where friction holds s.
  int side(const State& at) const {
    if (at.vs != 0.0L) return at.vs > 0.0L ? 1 : -1;
    return sticks() ? 0 : (b * F > 0.0 ? -1 : 1);
  }
  void move(State& at, long double dt, int side) const {
    const long double det = static_cast<long double>(A) * c - static_cast<long double>(b) * b;
    const long double friction = -static_cast<long double>(N) * side;
    const long double as = side == 0 ? 0.0L : (c * friction - static_cast<long double>(b) * F) / det;
    const long double ax =
        side == 0 ? static_cast<long double>(F) / c : (A * static_cast<long double>(F) - b * friction) / det;
    at.s += dt * (at.vs + 0.5L * dt * as);
    at.x += dt * (at.vx + 0.5L * dt * ax);
    at.vs += dt * as;
    at.vx += dt * ax;
    at.t += dt;
  }
  /// Up to the next impact or stop of s.
  void advance(State& at) const {
    const int now = side(at);
    State trial = at;
    move(trial, 1.0L, now);
    const long double as = trial.vs - at.vs;
    const long double ax = trial.vx - at.vx;
    const long double gap = at.impacts > 0 && at.x >= 0.5L ? 0.0L : 0.5L - at.x;
    // ½ a t² + v t − gap = 0, the later root behind an impact.
    const long double to_stop = (-at.vx + std::sqrt(at.vx * at.vx + 2.0L * ax * gap)) / ax;
    const long double to_rest = now != 0 && at.vs != 0.0L && at.vs * as < 0.0L ? -at.vs / as : 1e30L;
    if (to_rest < to_stop) {
      move(at, to_rest, now);
      at.vs = 0.0L;
      return;
    }
    move(at, to_stop, now);
    at.x = 0.5L;
    at.vs += static_cast<long double>(b) / A * (1.0L + e) * at.vx;
    at.vx *= -static_cast<long double>(e);
    ++at.impacts;
  }
  /// Where the impacts end; nothing if they have not in a long time.
  std::optional<State> limit() const {
    State at;
    for (int count = 0; count < 20000 && at.t < 50.0L; ++count) {
      advance(at);
      if (at.impacts > 0 && std::abs(at.vx) < 1e-17L) return at;
    }
    return std::nullopt;
  }
};

RC_GTEST_PROP(ChatterTime, OfRandomBodiesThatRubIsThatOfAllTheirImpacts, ()) {
  const auto some = [](int low, int high) { return 0.01 * *rc::gen::inRange(low, high); };
  RubbingBodies of{some(100, 800), some(10, 90), some(60, 200), some(50, 600), some(50, 300), some(20, 85)};
  RC_PRE(of.A * of.c > 1.2 * of.b * of.b);
  RC_PRE(of.A * of.F > 1.2 * of.b * of.N);  // x is pressed on the stop whichever way s goes
  RC_PRE(std::abs(of.b * of.F / of.c - of.N) > 0.05 * of.N);
  const auto limit = of.limit();
  RC_PRE(limit.has_value());
  RC_LOG() << of.text();
  const double T = static_cast<double>(limit->t) + 0.5;
  for (const FlowMethod method : {FlowMethod::runge_kutta, FlowMethod::automatic}) {
    Motion motion = Motion::of(of.text());
    motion.options.method = method;
    const FlowResult result = motion.until(T);
    RC_ASSERT(result.outcome == Outcome::reached_end);
    double ended = 0.0;
    for (const Event& event : result.events)
      if (event.kind == EventKind::chatter) ended = event.t;
    RC_ASSERT(std::abs(ended - static_cast<double>(limit->t)) < 1e-8 * (1.0 + T));
    RC_ASSERT(result.end.mode.is_closed(0));
    // Behind it s comes to rest by friction alone: s′² A/2N further.
    const double vs = static_cast<double>(limit->vs);
    const double rest = static_cast<double>(limit->s) + vs * std::abs(vs) * of.A / (2.0 * of.N);
    if (std::abs(vs) * of.A / of.N < 0.4) RC_ASSERT(std::abs(result.end.x[0] - rest) < 1e-7);
  }
}

}  // namespace
}  // namespace saltus::test
