#include "saltus/driver/starts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "saltus/analysis/motions/attractors.hpp"
#include "saltus/analysis/motions/state_sizes.hpp"
#include "saltus/base/input_file.hpp"
#include "saltus/base/text.hpp"
#include "saltus/base/unbroken.hpp"
#include "saltus/driver/motion_request.hpp"
#include "saltus/result/recipe.hpp"

namespace saltus {
namespace {

constexpr std::size_t largest_file = std::size_t{1} << 28U;  // bytes

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::size_t begin = 0;
  for (std::size_t end = 0; end <= line.size(); ++end) {
    if (end < line.size() && line[end] != ',') continue;
    std::string cell = line.substr(begin, end - begin);
    cell.erase(0, cell.find_first_not_of(" \t\""));
    cell.erase(cell.find_last_not_of(" \t\r\"") + 1);
    cells.push_back(std::move(cell));
    begin = end + 1;
  }
  return cells;
}

/// Reads one list; every complaint names file and line.
class StartsFile {
 public:
  StartsFile(const std::string& file, const PreparedModel& prepared)
      : file_(file), prepared_(prepared), components_(prepared.model->component_names()) {}

  std::vector<ListedState> read(const std::string& text) {
    std::istringstream stream(text);
    std::vector<ListedState> states;
    for (std::string line; std::getline(stream, line);) {
      ++line_;
      if (line.empty() || line == "\r" || line.front() == '#') continue;
      if (columns_.empty()) read_header(line);
      else states.push_back({state_of(line), line_});
      if (states.size() > most_starts) throw wrong(fmt::format("more than {} starts", most_starts), "shorten the list");
    }
    if (states.empty()) throw wrong("no states", "expected a line of names, then lines of numbers");
    return states;
  }

 private:
  static constexpr std::size_t passed_over = static_cast<std::size_t>(-1);

  Error wrong(const std::string& what, const std::string& remedy) const {
    return {ExitCode::file, fmt::format("{}:{}: {}\n  {}", printable(file_), line_, what, remedy)};
  }

  void read_header(const std::string& line) {
    for (const std::string& name : cells_of(line)) {
      const auto found = std::find(components_.begin(), components_.end(), name);
      if (found == components_.end() && !is_known(name)) {
        const std::string hint = did_you_mean(name, components_);
        throw wrong(fmt::format("'{}' is no component of the state", printable(name)),
                    fmt::format("expected {}{}", listed(components_), hint.empty() ? "" : "\n  " + hint));
      }
      columns_.push_back(found == components_.end() ? passed_over
                                                    : static_cast<std::size_t>(found - components_.begin()));
    }
    if (std::all_of(columns_.begin(), columns_.end(), [](std::size_t c) { return c == passed_over; }))
      throw wrong("no column is a component of the state", fmt::format("expected {}", listed(components_)));
  }

  bool is_known(const std::string& name) const {
    if (name == "t" || name == "start" || name == "point") return true;
    const auto& observables = prepared_.model->observables;
    return std::any_of(observables.begin(), observables.end(), [&](const Observable& o) { return o.name == name; });
  }

  Vector state_of(const std::string& line) const {
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() != columns_.size())
      throw wrong(fmt::format("{} numbers", cells.size()),
                  fmt::format("expected {}, as many as there are names", columns_.size()));
    const std::vector<double>& initial = prepared_.setup.initial;
    Vector x = Eigen::Map<const Vector>(initial.data(), static_cast<Eigen::Index>(initial.size()));
    for (std::size_t k = 0; k < cells.size(); ++k) {
      if (columns_[k] == passed_over) continue;
      char* end = nullptr;
      const double value = std::strtod(cells[k].c_str(), &end);
      if (cells[k].empty() || *end != '\0' || !std::isfinite(value))
        throw wrong(fmt::format("'{}' is no number", printable(cells[k])), "expected a number such as 0.5 or -1e-3");
      x[static_cast<Eigen::Index>(columns_[k])] = value;
    }
    return x;
  }

 public:
  /// Throws if the state lies inside an obstacle.
  void require_free(const ListedState& state, const Kernels& kernels) {
    if (kernels.layout().contacts == 0) return;
    line_ = state.line;
    const Vector& x = state.x;
    const Mechanism mechanism(kernels, prepared_.setup.parameters);
    const Vector h = mechanism.contact(0.0, x, Mode(kernels.layout())).h;
    Eigen::Index deepest = 0;
    constexpr double rounding = 1e-9;  // a state that was printed may lie this much inside
    const Vector sizes = x.cwiseAbs().cwiseMax(initial_state(prepared_).cwiseAbs());
    h.minCoeff(&deepest);
    if (is_penetrating(mechanism, 0.0, x, sizes, rounding))
      throw wrong(
          fmt::format("the state lies inside contact '{}' (gap {})",
                      prepared_.model->contacts[static_cast<std::size_t>(deepest)].name, six_digits(h[deepest])),
          "move it out of the obstacle, or remove the line");
  }

 private:
  std::string file_;
  const PreparedModel& prepared_;
  std::vector<std::string> components_;
  std::vector<std::size_t> columns_;  // component of each
  std::size_t line_ = 0;
};

std::vector<Vector> states_of_file(const std::string& file, const PreparedModel& prepared, const Kernels& kernels) {
  const Unbroken reading;
  StartsFile list(file, prepared);
  std::vector<Vector> states;
  for (const ListedState& each : list.read(input_text(file, largest_file))) {
    list.require_free(each, kernels);
    states.push_back(each.x);
  }
  return states;
}

}  // namespace

std::vector<ListedState> listed_states(const std::string& text, const std::string& file,
                                       const PreparedModel& prepared) {
  return StartsFile(file, prepared).read(text);
}

std::vector<Vector> start_states(const Starts& starts, const PreparedModel& prepared, const Kernels& kernels) {
  if (!starts.file.empty()) return states_of_file(starts.file, prepared, kernels);
  const std::vector<double>& initial = prepared.setup.initial;
  const Vector x = Eigen::Map<const Vector>(initial.data(), static_cast<Eigen::Index>(initial.size()));
  const std::vector<double>& parameters = prepared.setup.parameters;
  return random_states(kernels, parameters, x, starts.count, starts.spread, starts.seed,
                       spread_scale(kernels, FlowOptions(), parameters, prepared.setup.forcing_period, x));
}

}  // namespace saltus
