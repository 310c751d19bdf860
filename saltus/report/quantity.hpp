#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "saltus/result/json_text.hpp"
#include "saltus/result/result_file.hpp"

namespace saltus {

/// What a result says of each of its rows (points, values, starts), once for JSON, CSV and NetCDF.
template <class Row>
struct Quantity {
  using Number = std::function<double(const Row&)>;
  using Text = std::function<std::string(const Row&)>;

  using InJson = std::function<Json(const Row&)>;  // where JSON says it otherwise; null where it says nothing

  Quantity(std::string its_name, std::string its_meaning, std::string its_unit,
           std::variant<std::monostate, Number, Text> its_value, InJson its_json = nullptr)
      : name(std::move(its_name)),
        meaning(std::move(its_meaning)),
        unit(std::move(its_unit)),
        value(std::move(its_value)),
        json(std::move(its_json)) {}

  /// One that files do not have.
  Quantity(std::string its_name, InJson its_json) : name(std::move(its_name)), json(std::move(its_json)) {}

  std::string name;
  std::string meaning;
  std::string unit;  // empty: the model's own
  std::variant<std::monostate, Number, Text> value;
  InJson json;

  /// A number that is none is null.
  Json in_json(const Row& row) const {
    if (json) return json(row);
    if (const auto* text = std::get_if<Text>(&value)) return (*text)(row);
    const double number = std::get<Number>(value)(row);
    return number == number ? json_number(number) : Json(nullptr);
  }
};

template <class Row>
using Quantities = std::vector<Quantity<Row>>;

/// {name: value, …} of one row.
template <class Row>
Json row_json(const Quantities<Row>& quantities, const Row& row) {
  Json json = Json::object();
  for (const Quantity<Row>& each : quantities) json[each.name] = each.in_json(row);
  return json;
}

/// {name: [value, …], …} of all rows.
template <class Row>
Json columns_json(const Quantities<Row>& quantities, const std::vector<Row>& rows) {
  Json json = Json::object();
  for (const Quantity<Row>& each : quantities) {
    Json& list = json[each.name] = Json::array();
    for (const Row& row : rows) list.push_back(each.in_json(row));
  }
  return json;
}

/// The variables that files have of them, over `axes`.
template <class Row>
void add_variables(ResultFile& file, const Quantities<Row>& quantities, const std::vector<Row>& rows,
                   const std::vector<std::string>& axes) {
  const auto of_rows = [&](const auto& value) {
    std::vector<decltype(value(rows.front()))> values;
    for (const Row& row : rows) values.push_back(value(row));
    return values;
  };
  for (const Quantity<Row>& each : quantities) {
    if (const auto* number = std::get_if<typename Quantity<Row>::Number>(&each.value))
      file.variables.push_back({each.name, each.meaning, each.unit, axes, of_rows(*number)});
    if (const auto* text = std::get_if<typename Quantity<Row>::Text>(&each.value))
      file.variables.push_back({each.name, each.meaning, each.unit, axes, of_rows(*text)});
  }
}

}  // namespace saltus
