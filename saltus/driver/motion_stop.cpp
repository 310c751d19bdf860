#include "saltus/driver/motion_stop.hpp"

#include <fmt/format.h>

#include <cmath>

#include "saltus/base/text.hpp"
#include "saltus/expr/evaluate.hpp"
#include "saltus/numerics/decompositions.hpp"

namespace saltus {
namespace {

std::string quoted_contacts(const PreparedModel& prepared, const std::vector<std::size_t>& contacts) {
  std::vector<std::string> names;
  for (const std::size_t i : contacts) names.push_back("'" + prepared.model->contacts[i].name + "'");
  if (names.size() < 2) return names.empty() ? "" : names.front();
  const std::string last = names.back();
  names.pop_back();
  return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

/// "the switching surfaces 'x' and 'x''".
std::string surfaces(const PreparedModel& prepared, const std::vector<std::size_t>& switches) {
  std::vector<std::string> names;
  for (const std::size_t k : switches) names.push_back("'" + prepared.model->switches[k].text + " = 0'");
  if (names.empty()) return "switching surfaces";
  return (names.size() == 1 ? "the switching surface " : "the set of switching surfaces ") + listed(names);
}

std::string state_line(const PreparedModel& prepared, const FlowPoint& end) {
  const std::vector<std::string> names = prepared.model->component_names();
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < names.size(); ++i)
    parts.push_back(fmt::format("{} = {}", names[i], six_digits(end.x[static_cast<Eigen::Index>(i)])));
  return "the state there: " + listed(parts);
}

/// Expressions of the model at a state, by the interpreter: kernels need not be at hand.
class StateValues {
 public:
  StateValues(const PreparedModel& prepared, double t, const Vector& x)
      : prepared_(prepared), names_(prepared.model->component_names()), t_(t), x_(x) {}

  double operator()(Expr expr) const {
    return evaluate(expr, [this](const std::string& name) { return value_of(name); });
  }

 private:
  double value_of(const std::string& name) const {
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == name) return x_[static_cast<Eigen::Index>(i)];
    const std::vector<Parameter>& parameters = prepared_.model->parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (parameters[i].name == name) return prepared_.setup.parameters[i];
    return t_;
  }

  const PreparedModel& prepared_;
  std::vector<std::string> names_;
  double t_;
  const Vector& x_;
};

/// "closed contacts: 'floor'" or "no contact is closed; the nearest is 'floor', gap 0.25"; nothing without contacts.
std::string contact_line(const PreparedModel& prepared, const FlowPoint& end) {
  const std::vector<Contact>& contacts = prepared.model->contacts;
  if (contacts.empty()) return "";
  const StateValues value(prepared, end.t.phase, end.x);
  std::vector<std::string> closed;
  std::size_t nearest = 0;
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (end.mode.is_closed(i)) closed.push_back("'" + contacts[i].name + "'");
    const double h = value(contacts[i].gap.expr);
    if (std::abs(h) < std::abs(smallest)) {
      smallest = h;
      nearest = i;
    }
  }
  if (!closed.empty()) return fmt::format("\n  closed contacts: {}", listed(closed));
  if (!std::isfinite(smallest)) return "";
  return fmt::format("\n  no contact is closed; the nearest is '{}', gap {}", contacts[nearest].name,
                     six_digits(smallest));
}

/// The smallest eigenvalue of M at a state.
double least_inertia(const PreparedModel& prepared, double t, const Vector& x) {
  const StateValues value(prepared, t, x);
  const auto n = static_cast<Eigen::Index>(prepared.model->n());
  Matrix M(n, n);
  for (Eigen::Index i = 0; i < n * n; ++i)
    M(i / n, i % n) = value(prepared.model->mass[static_cast<std::size_t>(i)].expr);
  return M.allFinite() ? eigenvalues_of(M).real().minCoeff() : 1.0;
}

/// Has some motion nearly no inertia where the motion ended, compared with the start?
bool has_lost_inertia(const PreparedModel& prepared, const FlowPoint& end) {
  constexpr double nearly_none = 1e-6;
  const std::vector<double>& initial = prepared.setup.initial;
  const Vector x = Eigen::Map<const Vector>(initial.data(), static_cast<Eigen::Index>(initial.size()));
  return !(least_inertia(prepared, end.t.phase, end.x) > nearly_none * least_inertia(prepared, 0.0, x));
}

bool is_far_away(const Vector& x) {
  constexpr double far = 1e6;
  return !x.allFinite() || x.cwiseAbs().maxCoeff() > far;
}

std::string not_finite(const PreparedModel& prepared, const FlowPoint& end, const std::string& otherwise) {
  if (is_far_away(end.x))
    return fmt::format(
        "the motion leaves to infinity\n  {}\n  change the initial state or the parameters, or shorten the run",
        state_line(prepared, end));
  const bool singular = prepared.model->n() > 0 && has_lost_inertia(prepared, end);
  return fmt::format("{}\n  {}{}\n  {}", singular ? "the mass matrix is singular from here on" : otherwise,
                     state_line(prepared, end), contact_line(prepared, end),
                     singular ? "change the model so that every motion has inertia, or the initial state"
                              : "check the forces of the model near this state, or change the initial state");
}

std::string gap_words(const Stop& stop, const std::string& state) {
  const auto* fault = std::get_if<GapFault>(&stop.details);
  if (fault && *fault == GapFault::no_normal)
    return fmt::format("closes where its derivative vanishes, and has no normal there\n  {}\n  {}", state,
                       "write a gap whose derivative is not zero where it closes, x instead of x^3");
  return fmt::format("is not a number from here on\n  {}\n  {}", state,
                     "write a gap that is defined wherever the motion may go, or change the initial state");
}

std::string words_of(const Rounds& rounds) {
  if (rounds.ratio == 0.0)
    return fmt::format("they follow each other without end at t = {}, by no law", six_digits(rounds.end));
  return fmt::format("each round takes {} of the time of the one before, so that they end at t = {}",
                     six_digits(rounds.ratio), six_digits(rounds.end));
}

/// An impact at a speed for which the model gives no restitution between 0 and 1.
std::string without_restitution(const PreparedModel& prepared, const MotionStop& stop, const NoRestitution& at) {
  return fmt::format(
      "contact {} is struck at the speed {}, where its restitution is {}\n  {}\n  write a restitution that stays "
      "between "
      "0 and 1 at every speed, with max(0, …) or min(1, …)",
      quoted_contacts(prepared, stop.why.contacts), six_digits(at.speed), six_digits(at.restitution),
      state_line(prepared, stop.end));
}

std::string ambiguous_impact(const PreparedModel& prepared, const Stop& why) {
  const std::string contacts = quoted_contacts(prepared, why.contacts);
  if (std::holds_alternative<NoRebound>(why.details))
    return fmt::format(
        "contacts {} are struck together, and no velocities give each of them its restitution\n"
        "  change a restitution (0 can always be had), or the initial state",
        contacts);
  return fmt::format(
      "contacts {} are struck at the same instant\n"
      "  the order of the impacts changes the motion (v differs by {}), and the model does not determine it\n"
      "  choose impact_law = \"moreau\" in [solver] to resolve them together, or change the initial state",
      contacts, six_digits(std::get<OrderDecides>(why.details).difference));
}

std::string steps_without_end(const PreparedModel& prepared, const MotionStop& stop) {
  if (const auto* left = std::get_if<OutOfReach>(&stop.why.details); left && left->limit)
    return fmt::format(
        "the motion comes no further than t = {:.6g}, however many steps it takes: they shrink towards it, as "
        "those of a "
        "motion that grows beyond all bounds in finite time\n  {}\n  end the run before",
        *left->limit, state_line(prepared, stop.end));
  if (const auto* left = std::get_if<OutOfReach>(&stop.why.details))
    return fmt::format(
        "the end of the run is out of reach: it would take {:.3g} more steps of {:.3g} each\n  {}\n  shorten the "
        "run",
        left->steps, left->step, state_line(prepared, stop.end));
  if (const auto* limit = std::get_if<StepLimit>(&stop.why.details))
    return fmt::format("the run takes more than {} steps\n  {}\n  shorten the run", limit->steps,
                       state_line(prepared, stop.end));
  return not_finite(prepared, stop.end, "the motion changes so fast that steps shrink below rounding");
}

std::string reason(const PreparedModel& prepared, const MotionStop& stop) {
  switch (stop.why.outcome) {
    case Outcome::reached_end: return "";
    case Outcome::stopped: return "interrupted; what was computed is kept and marked as a part";
    case Outcome::ambiguous_impact: return ambiguous_impact(prepared, stop.why);
    case Outcome::dependent_contacts:
      return fmt::format(
          "contacts {} are closed together and depend on each other\n"
          "  their normals are linearly dependent, so the model does not determine how they share the load\n"
          "  remove one of them, or join them to one contact",
          quoted_contacts(prepared, stop.why.contacts));
    case Outcome::obstacles_exclude:
      return fmt::format(
          "contacts {} exclude each other\n"
          "  they touch, and no motion from here on keeps all of their gaps from becoming negative\n  {}\n"
          "  change the model so that the obstacles leave room, or shorten the run",
          quoted_contacts(prepared, stop.why.contacts), state_line(prepared, stop.end));
    case Outcome::gap_undefined:
      return fmt::format("the gap of contact {} {}", quoted_contacts(prepared, stop.why.contacts),
                         gap_words(stop.why, state_line(prepared, stop.end)));
    case Outcome::ambiguous_sliding:
      return fmt::format(
          "on {} the motion goes to no side that the model determines\n  {}\n"
          "  change the initial state, or the model near these surfaces",
          surfaces(prepared, stop.why.switches), state_line(prepared, stop.end));
    case Outcome::accumulation_unknown:
      return fmt::format(
          "{} is switched ever faster, and no force between those of its sides is known to hold the motion there\n  "
          "{}\n  {}\n"
          "  change the model near these surfaces, or shorten the run",
          surfaces(prepared, stop.why.switches), words_of(std::get<Rounds>(stop.why.details)),
          state_line(prepared, stop.end));
    case Outcome::step_too_small: return steps_without_end(prepared, stop);
    case Outcome::left_domain:
      if (const auto* at = std::get_if<NoRestitution>(&stop.why.details))
        return without_restitution(prepared, stop, *at);
      return not_finite(prepared, stop.end, "the force is not a finite number from here on");
    case Outcome::singular_mass:
      return not_finite(prepared, stop.end, "the mass matrix stops being positive definite here");
    case Outcome::too_many_events:
      return fmt::format(
          "too many events: a run is bounded by {} impacts, switches and slides\n  {}\n  shorten the run",
          FlowOptions().most_events, state_line(prepared, stop.end));
  }
  return "";
}

}  // namespace

std::string stop_message(const PreparedModel& prepared, const MotionStop& stop) {
  if (stop.why.outcome == Outcome::reached_end) return "";
  return fmt::format("{}: stopped at t = {}: {}", prepared.file, six_digits(stop.t), reason(prepared, stop));
}

ExitCode exit_code_of(Outcome outcome) {
  if (outcome == Outcome::reached_end) return ExitCode::done;
  return outcome == Outcome::stopped ? ExitCode::interrupted : ExitCode::stopped_early;
}

}  // namespace saltus
