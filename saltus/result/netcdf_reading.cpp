// Reading of NetCDF files, which anybody may have written or damaged.
#include <netcdf.h>
#include <netcdf_mem.h>

#include <fmt/format.h>

#include <array>
#include <limits>

#include "saltus/base/error.hpp"
#include "saltus/base/input_file.hpp"
#include "saltus/base/text.hpp"
#include "saltus/result/guarded_process.hpp"
#include "saltus/result/netcdf_file.hpp"
#include "saltus/result/one_line.hpp"
#include "saltus/result/packed.hpp"

namespace saltus {
namespace {

constexpr std::size_t largest_netcdf = std::size_t{1} << 30U;     // bytes
constexpr std::size_t most_values = std::size_t{1} << 27U;      // of all variables together
constexpr std::size_t longest_attribute = std::size_t{1} << 24U;     // of an attribute
constexpr std::size_t most_variables = 10'000;                  // and as many dimensions
constexpr const char* hdf5_mark = "\x89HDF\r\n\x1a\n";

Error cannot_read_netcdf(const std::string& path, const std::string& why) {
  return {ExitCode::file, fmt::format("cannot read '{}': {}", printable(path), why)};
}

std::vector<std::pair<std::string, std::string>> pairs_of(const std::string& lines) {
  std::vector<std::pair<std::string, std::string>> pairs;
  std::size_t begin = 0;
  while (begin < lines.size()) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    const std::string line = lines.substr(begin, end - begin);
    const std::size_t equals = std::min(line.find('='), line.size());
    pairs.emplace_back(from_one_line(line.substr(0, equals)),
                       equals < line.size() ? from_one_line(line.substr(equals + 1)) : "");
    begin = end + 1;
  }
  return pairs;
}

/// What is wrong with a file, as far as the library says it.
struct Damage {
  std::string why;
};

// ---- in the process of its own ---------------------------------------------------------------------------------------

class Reading {
 public:
  explicit Reading(std::string& bytes) { require(nc_open_mem("result", NC_NOWRITE, bytes.size(), bytes.data(), &id_)); }

  /// All of it, packed.
  std::string packed() const {
    Packing whole;
    for (const char* name :
         {"title", "outcome", "program", "command", "model_file", "model_text", "case", "assignments", "settings"})
      whole.put(text_of(NC_GLOBAL, name));
    int complete = 1;
    if (nc_get_att_int(id_, NC_GLOBAL, "complete", &complete) != NC_NOERR) complete = 1;
    whole.put(static_cast<std::uint64_t>(complete != 0));
    int dimensions = 0;
    int variables = 0;
    require(nc_inq(id_, &dimensions, &variables, nullptr, nullptr));
    if (dimensions < 0 || variables < 0 || static_cast<std::size_t>(dimensions) > most_variables ||
        static_cast<std::size_t>(variables) > most_variables)
      throw Damage{"it has too many variables"};
    std::vector<Axis> axes;
    for (int i = 0; i < dimensions; ++i) axes.push_back(axis(i));
    whole.put(static_cast<std::uint64_t>(axes.size()));
    for (const Axis& each : axes) {
      whole.put(each.name);
      whole.put(static_cast<std::uint64_t>(each.size));
    }
    whole.put(static_cast<std::uint64_t>(variables));
    std::size_t left = most_values;
    for (int i = 0; i < variables; ++i) put_variable(whole, i, axes, left);
    return whole.bytes();
  }

 private:
  static void require(int status) {
    if (status != NC_NOERR) throw Damage{nc_strerror(status)};
  }

  std::string text_of(int variable, const char* name) const {
    std::size_t size = 0;
    nc_type type = 0;
    if (nc_inq_att(id_, variable, name, &type, &size) != NC_NOERR) return "";
    if (type != NC_CHAR || size > longest_attribute) throw Damage{fmt::format("its attribute '{}' is no text", name)};
    std::string text(size, '\0');
    require(nc_get_att_text(id_, variable, name, text.data()));
    return text;
  }

  Axis axis(int number) const {
    std::array<char, NC_MAX_NAME + 1> name{};
    std::size_t size = 0;
    require(nc_inq_dim(id_, number, name.data(), &size));
    return {name.data(), size};
  }

  void put_variable(Packing& whole, int number, const std::vector<Axis>& axes, std::size_t& left) const {
    std::array<char, NC_MAX_NAME + 1> name{};
    std::array<int, NC_MAX_VAR_DIMS> over{};
    nc_type type = 0;
    int count = 0;
    require(nc_inq_var(id_, number, name.data(), &type, &count, over.data(), nullptr));
    whole.put(std::string(name.data()));
    whole.put(text_of(number, "long_name"));
    whole.put(text_of(number, "units"));
    whole.put(static_cast<std::uint64_t>(count));
    std::size_t size = 1;
    for (int i = 0; i < count; ++i) {
      const auto which = static_cast<std::size_t>(over[static_cast<std::size_t>(i)]);
      if (which >= axes.size()) throw Damage{fmt::format("its variable '{}' has no axis {}", name.data(), which)};
      whole.put(axes[which].name);
      if (axes[which].size != 0 && size > left / axes[which].size)
        throw Damage{fmt::format("its variable '{}' is too large", name.data())};
      size *= axes[which].size;
    }
    left -= size;
    if (type == NC_STRING) put_texts(whole, number, size);
    else put_numbers(whole, number, size);
  }

  void put_numbers(Packing& whole, int number, std::size_t size) const {
    std::vector<double> numbers(size);
    if (size > 0) require(nc_get_var_double(id_, number, numbers.data()));
    whole.put(std::uint64_t{0});
    whole.put(numbers);
  }

  void put_texts(Packing& whole, int number, std::size_t size) const {
    std::vector<char*> raw(size, nullptr);
    if (size > 0) require(nc_get_var_string(id_, number, raw.data()));
    whole.put(std::uint64_t{1});
    whole.put(static_cast<std::uint64_t>(size));
    for (const char* text : raw) whole.put(std::string(text ? text : ""));
  }

  int id_ = 0;
};

/// 'd' and the packed result, or 'w' and what is wrong.
std::string answer_to(std::string& bytes) {
  try {
    return "d" + Reading(bytes).packed();
  } catch (const Damage& damage) { return "w" + damage.why; }
}

// ---- back in this one ------------------------------------------------------------------------------------------------

Variable variable_from(Unpacking& from) {
  Variable variable{from.text(), from.text(), from.text(), {}, {}};
  const std::uint64_t over = from.number();
  for (std::uint64_t i = 0; i < over; ++i) variable.axes.push_back(from.text());
  if (from.number() == 0) {
    variable.values = from.numbers();
    return variable;
  }
  std::vector<std::string> texts;
  const std::uint64_t size = from.number();
  for (std::uint64_t i = 0; i < size; ++i) texts.push_back(from.text());
  variable.values = std::move(texts);
  return variable;
}

ResultFile result_from(Unpacking from) {
  ResultFile result;
  result.title = from.text();
  result.outcome = from.text();
  Recipe& recipe = result.recipe;
  for (std::string* each :
       {&recipe.program, &recipe.command, &recipe.model_file, &recipe.model_text, &recipe.case_name})
    *each = from.text();
  recipe.assignments = pairs_of(from.text());
  recipe.settings = pairs_of(from.text());
  result.complete = from.number() != 0;
  const std::uint64_t axes = from.number();
  for (std::uint64_t i = 0; i < axes; ++i) {
    std::string name = from.text();
    result.axes.push_back({std::move(name), from.number()});
  }
  const std::uint64_t variables = from.number();
  for (std::uint64_t i = 0; i < variables; ++i) result.variables.push_back(variable_from(from));
  return result;
}

}  // namespace

ResultFile read_netcdf(const std::string& path) {
  std::string bytes = input_text(path, largest_netcdf);
  if (!bytes.starts_with(hdf5_mark)) throw cannot_read_netcdf(path, "it is no NetCDF-4 file");
  const std::optional<std::string> answer = from_guarded_process([&] { return answer_to(bytes); });
  if (!answer || answer->empty()) throw cannot_read_netcdf(path, "it is damaged");
  if (answer->front() != 'd') throw cannot_read_netcdf(path, "it is damaged: " + printable(answer->substr(1)));
  try {
    return result_from(Unpacking(std::string_view(*answer).substr(1)));
  } catch (const Unpacking::Broken&) { throw cannot_read_netcdf(path, "it is damaged"); }
}

Recipe read_recipe(const std::string& path) { return read_netcdf(path).recipe; }

}  // namespace saltus
