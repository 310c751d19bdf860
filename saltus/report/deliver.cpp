#include "saltus/report/deliver.hpp"

#include "saltus/driver/ranks.hpp"

namespace saltus {

void require_writable_all(const Outputs& output) {
  if (ranks() && ranks()->rank() > 0) return;  // another process writes
  if (!output.file.empty()) require_writable(output.file);
  if (!output.plot.empty()) require_writable(output.plot);
}

}  // namespace saltus
