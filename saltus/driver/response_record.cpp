#include "saltus/driver/response_record.hpp"

#include "saltus/driver/sweep_request.hpp"

namespace saltus {
namespace {

/// In a journal: 1 stable, 0 unstable, 2 neutral.
double number_of(Stability stability) {
  return stability == Stability::stable ? 1.0 : stability == Stability::unstable ? 0.0 : 2.0;
}
Stability stability_of_number(double number) {
  return number == 1.0 ? Stability::stable : number == 0.0 ? Stability::unstable : Stability::neutral;
}

}  // namespace

std::vector<double> record_of(const ResponsePoint& point) {
  const Amplitudes& a = point.amplitudes;
  std::vector<double> numbers = {number_of(point.outcome), a.steady, a.effective, a.mean, a.largest, a.smallest};
  numbers.insert(numbers.end(),
                 {static_cast<double>(point.period), number_of(point.stability), static_cast<double>(point.strobes),
                  (point.drifts ? 1.0 : 0.0) + (point.doubtful ? 2.0 : 0.0) + (point.grows ? 4.0 : 0.0)});
  numbers.insert(numbers.end(), point.end.begin(), point.end.end());
  return numbers;
}

ResponsePoint point_of_record(const std::vector<double>& numbers, std::size_t ramp, std::size_t place) {
  ResponsePoint point{.ramp = ramp, .place = place};
  point.outcome = stored_outcome(numbers[0]);
  point.amplitudes = {numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]};
  point.period = static_cast<std::size_t>(numbers[6]);
  point.stability = stability_of_number(numbers[7]);
  point.strobes = static_cast<std::size_t>(numbers[8]);
  const auto flags = static_cast<unsigned>(numbers[9]);
  point.drifts = (flags & 1U) != 0;
  point.doubtful = (flags & 2U) != 0;
  point.grows = (flags & 4U) != 0;
  point.end = Eigen::Map<const Vector>(numbers.data() + 10, static_cast<Eigen::Index>(numbers.size() - 10));
  return point;
}

bool is_point_record(std::span<const double> numbers, std::size_t dimension) {
  constexpr double most = 1e15;
  if (numbers.size() != 10 && numbers.size() != 10 + dimension) return false;
  return outcome_of(numbers[0]) && is_count(numbers[6], most) && is_count(numbers[7], 2.0) &&
         is_count(numbers[8], most) && is_count(numbers[9], 7.0);
}

}  // namespace saltus
