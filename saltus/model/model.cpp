#include "saltus/model/model.hpp"

namespace saltus {

std::vector<std::string> Model::component_names() const {
  std::vector<std::string> names = coordinates;
  for (const std::string& coordinate : coordinates) names.push_back(coordinate + "'");
  names.insert(names.end(), states.begin(), states.end());
  return names;
}

}  // namespace saltus
