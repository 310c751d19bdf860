#include "saltus/flow/exact_flow.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "saltus/flow/coinciding_sections.hpp"
#include "saltus/flow/exact_guards.hpp"
#include "saltus/flow/exact_step.hpp"
#include "saltus/flow/index.hpp"
#include "saltus/flow/run_length.hpp"

namespace saltus {
namespace {

constexpr int most_events_at_an_instant = 1000;

/// One run from its start to its end.
class ExactRun {
 public:
  ExactRun(const Kernels& kernels, const FlowOptions& options, const ExactSystem& system, const FlowRun& run)
      : layout_(kernels.layout()),
        options_(options),
        system_(system),
        run_(run),
        mechanism_(kernels, system.parameters()),
        settler_(mechanism_, options_, run.period),
        point_(run.start),
        N_(layout_.N()),
        step_(N_),
        guards_(mechanism_, run.watches),
        rate_(N_),
        rate_beyond_(N_) {}

  /// Nothing if a mode was met that is not linear after all.
  std::optional<FlowResult> result() {
    if (!begin()) return finished();
    while (!done_) {
      if (!at_->linear) return std::nullopt;
      step();
    }
    return finished();
  }

 private:
  // ---- beginning and end ------------------------------------------------------------------------------------------

  bool begin() {
    const double infinity = std::numeric_limits<double>::infinity();
    Ledger& ledger = result_.ledger;
    ledger.closest_miss.assign(layout_.contacts, infinity);
    ledger.smallest_gamma.assign(layout_.contacts, infinity);
    ledger.sliding_time.assign(layout_.contacts, 0.0);
    const bool known = point_.natural_step > 0.0;
    if (!known) {
      point_.fastest.assign(layout_.contacts, 0.0);
      point_.natural_step = time_scale();
      if (!arrive({Trigger::Kind::begin, 0, false})) return false;
    } else {
      const Settled settled = settler_.resume(point_, result_.events, result_.ledger);
      load();
      return has_settled(settled, 0);
    }
    return true;
  }

  /// How long the motion goes about without turning: a step, or what the fall of a free body takes to change it.
  double time_scale() const {
    const ExactMode& mode = system_.mode(point_.mode);
    if (mode.linear && std::isfinite(mode.step)) return mode.step;
    const Vector rate = mechanism_.field(point_.t.phase, point_.x, point_.mode).rate;
    const double speed = rate.cwiseAbs().maxCoeff();
    const double scale = speed > 0.0 ? std::max(point_.x.cwiseAbs().maxCoeff(), 1e-3) / speed : 1.0;
    return std::isfinite(scale) ? scale : 1.0;
  }

  void end(Outcome outcome) {
    result_.outcome = outcome;
    done_ = true;
  }

  FlowResult finished() {
    unload();
    if (run_.measure_energy) {
      const auto kinetic = [&](const FlowPoint& at) { return mechanism_.energy(at.t.phase, at.x, at.mode).first; };
      result_.ledger.energy_change = kinetic(point_) - kinetic(run_.start);
    }
    result_.end = std::move(point_);
    return std::move(result_);
  }

  /// Point → step, in the point's mode.
  void load() {
    at_ = &system_.mode(point_.mode);
    guards_.forget();
    if (at_->linear) step_.enter(*at_, point_.x.data(), point_.t.phase);
    loaded_ = at_->linear;
  }

  void unload() {
    if (loaded_) std::copy_n(step_.x(), N_, point_.x.data());
  }

  /// Of a motion that is a polynomial in time, for which any step is exact: so long that its terms are some ten thousand times the
  /// state and no more, or rounding of the largest would hide where a gap closes just after the start. At rest: no limit.
  double polynomial_step() {
    step_.field(*at_, step_.u(), rate_.data());
    double speed = 0.0;
    double size = 1e-3;
    for (std::size_t i = 0; i < N_; ++i) {
      speed = std::max(speed, std::abs(rate_[i]));
      size = std::max(size, std::abs(step_.x()[i]));
    }
    return speed > 0.0 ? 100.0 * size / speed : std::numeric_limits<double>::infinity();
  }

  // ---- one step -------------------------------------------------------------------------------------------------------

  void step() {
    const double left = until(run_.end, point_.t, run_.period);
    const double longest = std::min(std::isfinite(at_->step) ? at_->step : polynomial_step(), longest_step(options_));
    ends_ = longest >= left * (1.0 - 1e-12);
    const double length = ends_ ? left : longest;
    if (!(length > 0.0)) {
      point_.t = run_.end;
      return end(Outcome::reached_end);
    }
    if (!ends_ && longest == at_->step) step_.go_whole();
    else step_.go(length, point_.t.phase);
    if (!step_.ends_finite()) return end(Outcome::left_domain);
    const auto meeting = guards_.first_meeting(step_, point_.t.phase);
    if (meeting) return meet(*meeting);
    accept();
    if (!done_ && ends_) end(Outcome::reached_end);
  }

  /// Misses before the end of the step count; those behind an event never happened.
  void keep_misses() {
    for (const ExactGuards::Miss& miss : guards_.misses()) {
      if (miss.tau > step_.tau()) continue;
      Ledger& ledger = result_.ledger;
      ledger.closest_miss[miss.contact] = std::min(ledger.closest_miss[miss.contact], miss.h);
      double size = 0.0;
      for (std::size_t i = 0; i < N_; ++i) size = std::max(size, std::abs(step_.x()[i]));
      if (miss.h > 10.0 * (options_.rtol * (1.0 + size) + options_.atol)) continue;
      ++ledger.grazings;
      Vector x(index(N_));
      step_.place(miss.tau, x.data());
      result_.events.push_back(
          {EventKind::grazing, point_.t.absolute(run_.period) + miss.tau, miss.contact, 0.0, 0.0, 0.0, x, x});
    }
    guards_.misses().clear();
  }

  // ---- what a step leads to ---------------------------------------------------------------------------------------------

  void meet(const ExactGuards::Meeting& meeting) {
    if (meeting.tau > 0.0) {
      step_.land(meeting.tau);
      ends_ = false;
      accept();
      if (done_) return;
      events_here_ = 0;
    } else if (++events_here_ > most_events_at_an_instant) {
      return end(Outcome::step_too_small);
    }
    guards_.begin_on(meeting.guard);
    if (meeting.guard.kind == Guard::Kind::surface) return meet_section(meeting.guard);
    if (meeting.guard.kind == Guard::Kind::switched && passes(meeting.guard)) return;
    if (meeting.tau == 0.0 && meeting.guard.kind == Guard::Kind::gap && steps_since_event_ == 0) {
      point_.mode.closed[meeting.guard.index] = 1;
      unload();
      load();
      return;
    }
    unload();
    const FlowPoint before = run_.watches.empty() ? FlowPoint() : point_;
    if (arrive(trigger_of(meeting.guard)) && !run_.watches.empty()) meet_coinciding_sections(before);
  }

  /// The common case, done without the settler: the motion passes a switch at which the force is continuous (or no tangent
  /// is carried), so that nothing but the mode changes.
  bool passes(const Guard& guard) {
    const std::size_t k = guard.index;
    const ExactMode& beyond = system_.beyond(*at_, k);
    if (!beyond.linear || at_->masked || layout_.nested_switches || point_.recent.shrinks() || is_near_watched())
      return false;
    if (point_.tangent.cols() > 0) step_.field(*at_, step_.u(), rate_.data());
    step_.change_mode(beyond, point_.t.phase);
    const double speed = ExactGuards::rate_of(beyond.events[layout_.contacts + k], step_.start());
    if (guard.sign * speed > 0.0 || (point_.tangent.cols() > 0 && jumps())) {
      step_.change_mode(*at_, point_.t.phase);
      return false;
    }
    ++result_.ledger.switches;
    if (run_.keep_events) {
      unload();
      result_.events.push_back({EventKind::switched, point_.t.absolute(run_.period), k, 0, 0, 0, point_.x, point_.x});
    }
    point_.mode.sign[k] = -guard.sign;
    point_.recent.note(
        {point_.t.absolute(run_.period), k, -guard.sign > 0.0 ? 1 : 0, Eigen::Map<const Vector>(step_.x(), index(N_))});
    at_ = &beyond;
    guards_.forget();
    steps_since_event_ = 0;
    if (result_.ledger.switches > options_.most_events) end(Outcome::too_many_events);
    return true;
  }

  /// Does the field jump from `rate_`, in the mode before, to that of the step's mode?
  bool jumps() {
    step_.field(step_.mode(), step_.u(), rate_beyond_.data());
    double size = 0.0;
    double jump = 0.0;
    for (std::size_t i = 0; i < N_; ++i) {
      size = std::max(size, std::abs(rate_[i]) + std::abs(step_.x()[i]));
      jump = std::max(jump, std::abs(rate_[i] - rate_beyond_[i]));
    }
    return jump > 1e-13 * size;
  }

  /// A watched surface may be passed at the very instant.
  bool is_near_watched() const {
    constexpr double near = 1e-6;
    for (const Watch& watch : run_.watches) {
      const ExactRow& row = at_->events[layout_.contacts + layout_.switches + watch.surface];
      if (!row.affine) return true;
      double value = ExactGuards::value_of(row, step_.start());
      if (watch.modulo > 0.0) value -= watch.modulo * std::round(value / watch.modulo);
      if (std::abs(value) <= near * (1.0 + watch.modulo)) return true;
    }
    return false;
  }

  /// Watched surfaces that are passed by the instant of another event.
  void meet_coinciding_sections(const FlowPoint& before) {
    const auto found = coinciding_sections(mechanism_, run_.watches, point_.t, run_.period,
                                           {before.x, before.mode, before.natural_step},
                                           {point_.x, point_.mode, point_.natural_step}, result_.events);
    result_.events.insert(result_.events.end(), found.begin(), found.end());
    crossings_ += static_cast<long>(found.size());
    if (!found.empty() && run_.stop_after > 0 && crossings_ >= run_.stop_after) end(Outcome::stopped);
  }

  void meet_section(const Guard& guard) {
    unload();
    const double t = point_.t.absolute(run_.period);
    if (!is_known_section(result_.events, t, guard.watch, -guard.sign)) {
      result_.events.push_back({EventKind::section, t, guard.watch, -guard.sign, 0.0, 0.0, point_.x, point_.x});
      ++crossings_;
    }
    if (run_.stop_after > 0 && crossings_ >= run_.stop_after) end(Outcome::stopped);
  }

  /// An instant: settles the point. False: the run ended.
  bool arrive(const Trigger& trigger) {
    const std::size_t before = result_.events.size();
    const Settled settled = settler_.settle(point_, trigger, result_.events, result_.ledger);
    steps_since_event_ = 0;
    load();
    return has_settled(settled, before);
  }

  /// What an instant left behind. False: the run ended.
  bool has_settled(const Settled& settled, std::size_t events_before) {
    const long total = result_.ledger.impacts + result_.ledger.switches + result_.ledger.slides;
    if (!run_.keep_events) result_.events.resize(events_before);
    if (!settled.stop && total <= options_.most_events) return true;
    result_.message = settled.message;
    result_.contacts = settled.contacts;
    end(settled.stop.value_or(Outcome::too_many_events));
    return false;
  }

  /// Takes the step as far as it was laid out.
  void accept() {
    const double tau = step_.tau();
    if (!guards_.misses().empty()) keep_misses();
    if (next_sample_ < run_.samples.size()) take_samples(tau);
    result_.divergence += at_->trace * tau;
    if (run_.measure_energy) add_work(tau);
    for (std::size_t i = 0; i < layout_.contacts; ++i)
      if (point_.mode.closed[i]) result_.ledger.sliding_time[i] += tau;
    if (point_.tangent.cols() > 0) step_.carry(point_.tangent.data(), layout_.state_columns, layout_.varied.size());
    step_.take();
    const long cycles = point_.t.cycles;
    point_.t.advance(tau);
    if (ends_) point_.t = run_.end;
    if (run_.period > 0.0 && !ends_ && point_.t.phase >= run_.period) {
      point_.t.phase -= run_.period;
      ++point_.t.cycles;
    }
    if (step_.is_whole() && point_.t.cycles == cycles) guards_.go_on();
    else refresh();
    if (point_.t.cycles != cycles) turn_columns(point_.t.cycles - cycles);
    guards_.begin_on({});
    ++result_.ledger.steps;
    ++steps_since_event_;
    note_penetration();
    if (at_->masked) project();
    if (result_.ledger.steps % 64 != 0) return;
    if (run_.progress) run_.progress(point_.t);
    if (run_.interrupted && run_.interrupted()) return end(Outcome::stopped);
    if (std::string words = endless(result_.ledger.steps, point_.t, run_); !words.empty()) {
      result_.message = std::move(words);
      end(Outcome::step_too_small);
    }
  }

  void refresh() {
    step_.refresh_basis(point_.t.phase);
    guards_.forget();
  }

  /// Back onto the surfaces that the mode slides along.
  void project() {
    unload();
    settler_.project(point_);
    std::copy_n(point_.x.data(), N_, step_.x());
    guards_.forget();
  }

  void note_penetration() {
    for (std::size_t i = 0; i < layout_.contacts; ++i) {
      if (point_.mode.closed[i]) continue;
      const double h = ExactGuards::value_of(at_->events[i], step_.start());
      result_.ledger.worst_penetration = std::max(result_.ledger.worst_penetration, -h);
    }
  }

  /// A parameter may change the period: at a fixed number of cycles and a fixed phase its column gains ẋ ∂period/∂p per turn.
  void turn_columns(long turns) {
    if (point_.tangent.cols() == 0 || run_.period_rates.empty()) return;
    step_.field(*at_, step_.u(), rate_.data());
    for (std::size_t c = 0; c < layout_.varied.size(); ++c)
      for (std::size_t i = 0; i < N_; ++i)
        point_.tangent(index(i), index(layout_.state_columns + c)) +=
            static_cast<double>(turns) * run_.period_rates[c] * rate_[i];
  }

  void take_samples(double tau) {
    while (next_sample_ < run_.samples.size()) {
      const Time& wanted = run_.samples[next_sample_];
      const double ahead = until(wanted, point_.t, run_.period);
      if (ahead > tau) return;
      Sample sample{wanted.absolute(run_.period), Vector(index(N_)), point_.mode, {}};
      step_.place(std::max(ahead, 0.0), sample.x.data());
      sample.force = mechanism_.field(wanted.phase, sample.x, sample.mode).force;
      result_.samples.push_back(std::move(sample));
      ++next_sample_;
    }
  }

  /// ∫ of all power on the kinetic energy, by Gauss' rule with eight points: exact to rounding over a step.
  void add_work(double tau) {
    static constexpr std::array<double, 4> places = {0.18343464249564980, 0.52553240991632899, 0.79666647741362674,
                                                     0.96028985649753623};
    static constexpr std::array<double, 4> weights = {0.36268378337836198, 0.31370664587788729, 0.22238103445337447,
                                                      0.10122853629037626};
    Vector x(index(N_));
    for (std::size_t j = 0; j < places.size(); ++j) {
      for (const double side : {-1.0, 1.0}) {
        const double at = 0.5 * tau * (1.0 + side * places[j]);
        step_.place(at, x.data());
        const double power = mechanism_.energy(point_.t.phase + at, x, point_.mode).second;
        result_.ledger.energy_work += 0.5 * tau * weights[j] * power;
      }
    }
  }

  const Layout& layout_;
  const FlowOptions& options_;
  const ExactSystem& system_;
  const FlowRun& run_;
  Mechanism mechanism_;
  Settler settler_;
  FlowPoint point_;
  FlowResult result_;
  std::size_t N_;
  const ExactMode* at_ = nullptr;
  ExactStep step_;
  bool loaded_ = false;  // the step holds the state
  ExactGuards guards_;
  std::vector<double> rate_, rate_beyond_;
  bool ends_ = false;
  bool done_ = false;
  std::size_t next_sample_ = 0;
  long crossings_ = 0;
  long steps_since_event_ = 0;
  int events_here_ = 0;
};

/// Systems are assembled once and used by many runs: what a thread used last is kept.
const ExactSystem& remembered_system(const Kernels& kernels, const std::vector<double>& parameters) {
  struct Entry {
    std::uint64_t serial;
    std::unique_ptr<ExactSystem> system;
  };
  constexpr std::size_t most = 16;
  thread_local std::vector<Entry> entries;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].serial != kernels.serial() || entries[i].system->parameters() != parameters) continue;
    const auto place = entries.begin() + static_cast<std::ptrdiff_t>(i);
    if (i > 0) std::rotate(entries.begin(), place, place + 1);
    return *entries.front().system;
  }
  if (entries.size() == most) entries.pop_back();
  entries.insert(entries.begin(), Entry{kernels.serial(), std::make_unique<ExactSystem>(kernels, parameters)});
  return *entries.front().system;
}

FlowResult exact_flow(const Kernels& kernels, const FlowOptions& options, const FlowRun& run) {
  const ExactSystem& system = remembered_system(kernels, run.parameters);
  if (auto result = ExactRun(kernels, options, system, run).result()) return std::move(*result);
  if (options.method == FlowMethod::exact)
    throw Error(
        ExitCode::usage,
        "method 'exact': the motion slides along a switch across which the force changes by more than a constant, "
        "or is held where several switches meet, and that is not linear\n  use method 'rk'");
  FlowOptions general = options;
  general.method = FlowMethod::runge_kutta;
  return flow(kernels, general, run);
}

}  // namespace

bool flows_exactly(const Kernels& kernels, const FlowOptions& options) {
  if (options.method == FlowMethod::runge_kutta) return false;
  if (kernels.is_piecewise_linear()) return true;
  if (options.method == FlowMethod::exact)
    throw Error(ExitCode::usage, "method 'exact' needs a model that is linear in every mode\n  use method 'rk'");
  return false;
}

LaneUse exact_flow_lanes(const Kernels& kernels, const FlowOptions& options, unsigned width,
                         LaneStepper::Carries carries, LaneWork& work) {
  LaneUse use;
  for (std::size_t lane = 0; lane < width; ++lane) {
    FlowRun run;
    while (work.next(lane, run)) {
      if (carries == LaneStepper::Carries::state) run.start.tangent.resize(run.start.tangent.rows(), 0);
      FlowResult result = exact_flow(kernels, options, run);
      use += {result.ledger.steps, result.ledger.steps, result.ledger.steps};
      work.done(lane, std::move(result));
      run = FlowRun();
    }
  }
  return use;
}

}  // namespace saltus
