#include "saltus/driver/request_options.hpp"

#include <fmt/format.h>

#include <cmath>

#include "saltus/base/input_file.hpp"
#include "saltus/base/text.hpp"

namespace saltus {
namespace {

// ---- parts that several requests have ------------------------------------------------------------------------------

Assignment assignment_from(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw usage(fmt::format("'⟨set⟩ {}' sets nothing\n  expected name=value, such as ⟨set⟩ e=0.5", printable(text)));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

Options model_options(Request& request) {
  const WordedValue model{[&request](const std::string& file) {
                            request.model = file;
                            keep_input(file);
                            if (is_stream(file)) request.text = model_text(file);  // it can be read only once
                          },
                          [&request] { return std::vector{request.model}; }};
  const WordedValue settings{
      [&request](const std::string& text) { request.assignments.push_back(assignment_from(text)); },
      [&request] {
        std::vector<std::string> words;
        for (const Assignment& each : request.assignments) words.push_back(each.name + "=" + each.value);
        return words;
      }};
  return {{"MODEL", "FILE", "the model file; -: standard input", model, Recorded::always},
          {"case", "NAME", "a case of the model: [case.NAME]", &request.case_name},
          {.name = "set",
           .unit = "NAME=VALUE",
           .meaning = "another value for a parameter or an initial value; may be repeated",
           .place = settings,
           .repeated = true}};
}

template <class Count>
Options length_options(std::optional<double>& time, std::optional<Count>& periods, double& transient,
                       const std::string& passed) {
  return {{"time", "T", "how long, in the model's unit of time", &time},
          {"periods", "N", "how long, in forcing periods", &periods},
          {"transient", "T or N", passed + " before, in the same unit", &transient}};
}

Options surface_options(std::string& surface, std::string& modulo) {
  return {{"surface", "EXPR", "section where this expression is zero, instead of the model's", &surface},
          {"modulo", "EXPR", "the surface is met at every multiple of this, such as 2*pi", &modulo}};
}

Options surface_options(WhichSection& request, const std::string& direction) {
  Options options = surface_options(request.surface, request.modulo);
  options.insert(options.begin() + 1, {.name = direction,
                                       .unit = "NAME",
                                       .meaning = "of the crossing of the surface: up (the default), down or both",
                                       .place = &request.direction,
                                       .choices = {"up", "down", "both"}});
  return options;
}

Option method_option(std::string& method, const std::string& meaning) {
  return {.name = "method", .unit = "NAME", .meaning = meaning, .place = &method, .choices = {"auto", "rk", "exact"}};
}

Option method_option(std::string& method) {
  return method_option(method,
                       "auto (the default): exact where possible; rk: Runge-Kutta of order 8; exact: closed form of "
                       "piecewise linear models");
}

Options tolerance_options(RunOptions& run, const std::string& rtol, const std::string& atol) {
  return {{"rtol", "NUMBER", "relative error of a step (default " + rtol + ")", &run.rtol},
          {"atol", "NUMBER", "absolute error of a step (default " + atol + ")", &run.atol}};
}

Options tolerance_options(RunOptions& run) { return tolerance_options(run, "1e-10", "1e-12"); }

Option threads_option(RunOptions& run) {
  return {"threads", "N", "number of threads; 0, the default, is one per processor", &run.threads, Recorded::never};
}

Options random_options(std::uint64_t& seed, double& spread, bool in_use) {
  const Recorded recorded = in_use ? Recorded::always : Recorded::if_changed;
  return {{"seed", "S", "of the random states", &seed, recorded},
          {"spread", "NUMBER",
           "each component is moved by at most so many times its range on the motion from the initial state", &spread,
           recorded, above_zero("is no range")}};
}

Options starts_options(std::size_t& starts, std::uint64_t& seed, double& spread, const std::string& meaning) {
  const Option count{"starts", "N", meaning, &starts, Recorded::if_changed, from_one("starts nothing", most_starts)};
  return joined({{count}, random_options(seed, spread, starts > 1)});
}

/// N random starts, or those of a file.
void read_starts(Starts& starts, const std::string& text) {
  const bool is_number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number && text.find_first_not_of("+-0123456789.eE") == std::string::npos)
    throw usage(
        fmt::format("⟨starts⟩ {} is no number of starts\n  expected a whole number above 0, or the name of a "
                    "CSV file",
                    printable(text)));
  if (is_number) starts.count = text.size() > 7 ? 10'000'000 : std::stoul(text);
  else starts.file = text;
  if (!is_number) keep_input(text);
}

Options starts_options(Starts& starts) {
  const WordedValue worded{
      [&starts](const std::string& text) { read_starts(starts, text); },
      [&starts] { return std::vector{starts.file.empty() ? std::to_string(starts.count) : starts.file}; }};
  const Option count{"starts",
                     "N or FILE",
                     "the initial state and N - 1 random ones around it, or the states listed in a CSV file",
                     worded,
                     Recorded::if_changed,
                     from_one("starts nothing", most_starts)};
  return joined({{count}, random_options(starts.seed, starts.spread, starts.file.empty() && starts.count > 1)});
}

Option base_option(LogBase& base) {
  return choice("base", "BASE", "of exponents: e, natural logarithms, or 2, bits per unit time", base, {"e", "2"});
}

Options element_options(TimeElementOptions& elements, bool in_use) {
  const Recorded recorded = in_use ? Recorded::always : Recorded::if_changed;
  return {{"elements", "N", "of tfem, in one period of the orbit", &elements.elements, recorded},
          {"degree", "D", "of their polynomials", &elements.degree, recorded}};
}

Options resume_and_threads(KeptWork& kept, WhichSolver& solver) {
  return {{"resume", "", "continue an interrupted run with the same ⟨out⟩", &kept.resume, Recorded::never},
          threads_option(solver.options)};
}

Options sweep_options(SweepRequest& request) {
  return joined({model_options(request),
                 {repeated_option("vary", "NAME=FROM:TO:COUNT",
                                  "what is varied: equally spaced values, both ends included", request.vary),
                  {"time", "T", "how long each motion is measured, in the model's unit of time", &request.time},
                  {"periods", "N", "the same in forcing periods", &request.periods},
                  {"returns", "N", "the same in returns to the section of a model without forcing", &request.returns},
                  {"transient", "T or N", "thrown away before, in the same unit", &request.transient}},
                 surface_options(request, "crossing"),
                 {method_option(request.method)},
                 tolerance_options(request.options)});
}

/// How the orbit is sought, or how the motions of shooting are computed.
Option orbit_method_option(OrbitRequest& request) {
  const std::vector<std::string> names = {"shooting", "auto", "rk", "exact", "tfem"};
  const WordedValue worded{[&request, names](const std::string& word) {
                             const std::size_t place = place_among("method", word, names);
                             if (place > 0 && place < 4) request.method = word;
                             else request.orbit_method = place == 0 ? OrbitMethod::shooting : OrbitMethod::tfem;
                           },
                           [&request]() -> std::vector<std::string> {
                             if (request.orbit_method == OrbitMethod::tfem) return {"tfem"};
                             return {request.method.empty() ? "shooting" : request.method};
                           }};
  return {.name = "method",
          .unit = "NAME",
          .meaning = "shooting; auto, rk or exact: shooting with motions computed so; tfem: time finite elements",
          .place = worded,
          .choices = names};
}

Option response_method_option(ResponseRequest& request) {
  const std::vector<std::string> names = {"auto", "rk", "exact", "tfem"};
  const WordedValue worded{[&request, names](const std::string& word) {
                             const bool elements = place_among("method", word, names) == 3;
                             request.road = elements ? ResponseRoad::elements : ResponseRoad::simulated;
                             request.method = elements ? "" : word;
                           },
                           [&request]() -> std::vector<std::string> {
                             if (request.road == ResponseRoad::elements) return {"tfem"};
                             return request.method.empty() ? std::vector<std::string>() : std::vector{request.method};
                           }};
  return {.name = "method",
          .unit = "NAME",
          .meaning =
              "of the motions: auto (the default), rk or exact; or tfem: periodic motions by time finite "
              "elements, fresh from the response of the linear system, up and down from the last stable solution",
          .place = worded,
          .choices = names};
}

std::string fault_of_step(double part) {
  return part > 0.0 && part <= 1.0 ? "" : "is no step\n  expected a part of the range, above 0 and up to 1";
}

std::string fault_of_block(double rows) {
  const bool odd = std::fmod(rows, 2.0) == 1.0;
  return odd && rows >= 1.0 && rows <= static_cast<double>(largest_block)
             ? ""
             : fmt::format("is no block around the middle\n  expected an odd number from 1 to {}", largest_block);
}

std::string fault_of_settling(double transient) {
  return transient >= 0.0 && transient <= 1e12 ? "" : "is no length\n  expected 0 or more, and no more than 1e12";
}

std::string fault_of_longest(double period) {
  return period >= 0.0 && period <= 1e12 ? "" : "is no period\n  expected 0 or more, and no more than 1e12";
}

std::function<std::string(double)> returns_fault(double least, double most) {
  return [least, most](double returns) {
    if (returns < least) return std::string("is no number of returns\n  expected a whole number above 0");
    return returns > most ? fmt::format("are too many\n  expected at most {}", most) : "";
  };
}

}  // namespace

// ---- requests ------------------------------------------------------------------------------------------------------

Option input_file(const std::string& name, std::string& file, const std::string& meaning) {
  const WordedValue worded{[&file](const std::string& word) {
                             file = word;
                             keep_input(word);
                           },
                           [&file] { return file.empty() ? std::vector<std::string>() : std::vector{file}; }};
  return {name, "FILE", meaning, worded};
}

Options options_of(CheckRequest& request) { return model_options(request); }

Options options_of(EquationsRequest& request) {
  const WordedValue latex{[&request](const std::string&) { request.notation = Notation::latex; },
                          [&request] { return std::vector<std::string>(request.notation == Notation::latex ? 1 : 0); }};
  return joined({model_options(request), {{"latex", "", "as LaTeX: an align* environment of amsmath", latex}}});
}

Options options_of(ShowRequest& request) {
  return joined({{choice("STAGE", "", "model, expr or kernel", request.stage, {"model", "expr", "kernel"})},
                 model_options(request),
                 {{"kernel", "NAME", "only this kernel", &request.kernel}}});
}

Options options_of(SimulateRequest& request) {
  static constexpr std::size_t most_samples = 10'000'000;  // a hundred bytes and more for each
  const auto fault = [](double count) -> std::string {
    if (count == 1.0) return "has no spacing\n  expected a number above 1";
    return count > static_cast<double>(most_samples) ? fmt::format("are too many\n  expected at most {}", most_samples)
                                                     : "";
  };
  return joined({model_options(request),
                 length_options(request.time, request.periods, request.transient, "passed over"),
                 {{"samples", "K", "states at this many instants, equally spaced from start to end", &request.samples,
                   Recorded::if_changed, fault}},
                 tolerance_options(request.options),
                 {method_option(request.method)}});
}

template <class MotionRequest>
Options motion_options(MotionRequest& request) {
  return joined({model_options(request),
                 length_options(request.time, request.periods, request.transient, "thrown away"),
                 surface_options(request, "direction"),
                 {method_option(request.method)},
                 tolerance_options(request.options),
                 starts_options(request.starts)});
}

Options options_of(LyapunovRequest& request) {
  return joined({motion_options(request),
                 {{"error", "NUMBER", "end earlier, when every standard error is below this", &request.error,
                   Recorded::if_changed, above_zero("is no error")},
                  base_option(request.base),
                  {"tangent-check", "", "compare the tangent with central differences of the flow, through all events",
                   &request.tangent_check},
                  threads_option(request.options)}});
}

Options options_of(SectionRequest& request) {
  return joined({motion_options(request),
                 {{"at-impacts", "CONTACT", "just before the impacts of this contact", &request.at_impacts},
                  threads_option(request.options)}});
}

Options options_of(DiagramRequest& request) {
  return joined(
      {sweep_options(request),
       {choice("direction", "NAME",
               "up, down or both: each value from the end of the last; fresh: each from the initial state",
               request.sweep, sweep_directions, Recorded::always),
        {"observe", "EXPR",
         "what is shown: a coordinate, velocity, observable or expression; max(EXPR), min(EXPR): over each motion",
         &request.observe},
        {"at-impacts", "CONTACT", "at the impacts of this contact instead of the section", &request.at_impacts},
        {"impact-velocity", "CONTACT", "the approach speeds at this contact", &request.impact_velocity},
        {"extrema", "", "the maxima and minima of ⟨observe⟩", &request.extrema},
        {"lyapunov", "", "the spectrum at each value, drawn below", &request.lyapunov},
        base_option(request.base),
        {"settle", "T or N", "a longer transient for the first value of each ramp", &request.settle,
         Recorded::if_changed, not_negative("is no length", "0 or more, in the unit of ⟨transient⟩")},
        {"ramps", "N", "cut the range into N pieces that are begun anew, side by side", &request.ramps,
         Recorded::if_changed, from_one("follows nothing", most_starts)}},
       starts_options(request.starts, request.seed, request.spread,
                      "the initial state and N - 1 random ones around it"),
       resume_and_threads(request, request)});
}

Options options_of(MapRequest& request) {
  const WordedValue measure{[&request](const std::string& name) { request.measure = measure_named(name); },
                            [&request] { return std::vector{name_of(request.measure)}; }};
  return joined({sweep_options(request),
                 {{.name = "measure",
                   .unit = "NAME",
                   .meaning = "lyapunov, lyapunov2, ..., period, verdict, impacts or sliding",
                   .place = measure,
                   .recorded = Recorded::always,
                   .choices = {"lyapunov", "lyapunov2", "period", "verdict", "impacts", "sliding"}}},
                 resume_and_threads(request, request)});
}

Options options_of(BasinRequest& request) {
  return joined({sweep_options(request), {base_option(request.base)}, resume_and_threads(request, request)});
}

Options options_of(OrbitRequest& request) {
  Options surface = surface_options(request, "direction");
  surface.front().also = "section";
  return joined(
      {model_options(request),
       {{"period", "K", "forcing periods, or returns to the section", &request.period, Recorded::always,
         returns_fault(1.0, 1e18)},
        {"transient", "N or T", "first follow the motion for as many forcing periods, or as long without forcing",
         &request.transient, Recorded::if_changed, fault_of_settling},
        {"time", "T", "without forcing and section: how long the period is, roughly", &request.time,
         Recorded::if_changed, above_zero("is no period")}},
       surface,
       {{"segments", "M", "of multiple shooting; 1: single shooting (default: what suits)", &request.segments},
        orbit_method_option(request)},
       element_options(request.elements, request.orbit_method == OrbitMethod::tfem),
       {{"residual", "NUMBER", "what closed means (default 1e-11)", &request.tolerance, Recorded::if_changed,
         above_zero("is no bound")},
        {"iterations", "N", "of Newton, at most", &request.iterations, Recorded::if_changed,
         from_one("solves nothing", 1'000'000'000)}},
       starts_options(request.starts, request.seed, request.spread,
                      "from the initial state and N - 1 random ones: all orbits up to ⟨period⟩"),
       tolerance_options(request.options),
       {{"samples", "K", "states at this many instants of one period, in files and JSON", &request.samples},
        threads_option(request.options)}});
}

Options options_of(ContinueRequest& request) {
  constexpr double most_returns = 20'000;  // more are never solved for together
  return joined(
      {model_options(request),
       {repeated_option("vary", "NAME=FROM:TO", "the parameter and its bounds; twice for a curve of special points",
                        request.vary),
        input_file("from", request.from, "an orbit or a branch from a file: .json or .nc"),
        {"point", "LABEL", "which point of the file, or of the branch: a label or a number", &request.point},
        listed_option("switch", "LABEL", "go over to the other branch at this PD or BP; LABEL,LABEL,...: again",
                      request.switches),
        {"family", "",
         "orbits at one value of the parameter, as of a conservative system: ⟨vary⟩ names what makes them vanish",
         &request.family},
        {"fix", "WHAT",
         "with two ⟨vary⟩, without forcing: orbits of one period, period, or of one energy, EXPR=VALUE or EXPR\n(that "
         "of the "
         "first orbit): the first ⟨vary⟩ names what makes its family vanish, as with ⟨family⟩",
         &request.fix},
        repeated_option("at", "NAME=VALUE,...", "orbits exactly at these values of what is varied, labelled UZ",
                        request.at),
        listed_option("stop", "LABEL", "each direction ends at the first of a kind: PD, LP, ...; PD2: at the second",
                      request.stops),
        {"longest", "T",
         "towards a homoclinic orbit: follow on until the period is as long (without it: until the parameter stands "
         "still)",
         &request.longest, Recorded::if_changed, fault_of_longest},
        {"period", "K", "of the first orbit, in returns; without it: what the motion shows", &request.period,
         Recorded::if_changed, returns_fault(0.0, most_returns)},
        {"transient", "T or N", "without ⟨from⟩: how long the motion settles, in forcing periods or time",
         &request.transient, Recorded::if_changed, fault_of_settling},
        choice("direction", "NAME", "of the parameter: both, up or down", request.direction, {"both", "up", "down"}),
        {"step", "NUMBER", "longest step, as a part of the range", &request.largest_step, Recorded::if_changed,
         fault_of_step},
        {"points", "N", "most points in each direction", &request.most_points}},
       surface_options(request.surface, request.modulo),
       {{"observe", "EXPR",
         "what the picture shows: an expression at the returns (default: the first coordinate), or max(EXPR), "
         "min(EXPR)\nover the orbit",
         &request.observe},
        method_option(request.method,
                      "of the motions: rk (Runge-Kutta of order 8), exact (closed form of piecewise linear models) or "
                      "auto: exact\nwhere it is possible and nothing strikes")},
       tolerance_options(request.options, "1e-12", "1e-13")});
}

Options options_of(ResponseRequest& request) {
  return joined(
      {model_options(request),
       {repeated_option("vary", "NAME=FROM:TO:COUNT", "the parameter: equally spaced values, both ends included",
                        request.vary),
        {"time", "T",
         "how long is measured, in the model's unit of time; ⟨transient⟩ then too (default three times as long)",
         &request.time},
        {"periods", "N", "forcing periods that are measured (default 32)", &request.periods},
        {"transient", "N", "forcing periods thrown away before (default 96)", &request.transient},
        response_method_option(request)},
       tolerance_options(request.options),
       {choice("direction", "NAME",
               "fresh: every value from the initial state; up, down, both: from the end of the last; none: no "
               "simulation, only ⟨continuation⟩",
               request.sweep, {"fresh", "up", "down", "both", "none"}, Recorded::always),
        {"observe", "EXPR", "what is measured: a coordinate, observable or expression", &request.observe},
        {"samples", "K", "of no effect: amplitudes are those of the motion itself, between its events",
         &request.samples}},
       element_options(request.elements, request.road == ResponseRoad::elements),
       {{"continuation", "", "follow the periodic motions found, stable or not, through the range", &request.continued},
        input_file("from", request.from, "begin the continued curve with an orbit or a branch of a file: .json or .nc"),
        {"point", "LABEL", "which point of the file: a label or a number", &request.point},
        {"step", "NUMBER", "longest step of the continuation, as a part of the range", &request.largest_step,
         Recorded::if_changed, fault_of_step}},
       resume_and_threads(request, request)});
}

Options options_of(HillRequest& request) {
  return joined(
      {model_options(request),
       {repeated_option("vary", "NAME=FROM:TO:COUNT", "twice: the chart over two parameters", request.vary),
        {"chart", "", "the same as ⟨vary⟩ alpha=-8:32:401 ⟨vary⟩ beta=0:12:241", &request.chart},
        {"approximations", "", "in the chart: averaging and Hill's determinant as well", &request.approximations},
        {"block", "K", "rows of Hill's determinant, an odd number", &request.block, Recorded::if_changed,
         fault_of_block},
        {"verify", "", "follow the motion just below and above the critical restitution", &request.verify}},
       tolerance_options(request.options),
       {threads_option(request.options)}});
}

}  // namespace saltus
