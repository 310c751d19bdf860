#include "saltus/analysis/orbits/struck_together.hpp"

#include <cmath>

#include "saltus/numerics/vectors.hpp"

namespace saltus {
namespace {

using Kind = SegmentEnd::Kind;

bool move_each_other(const ContactValue& at, std::size_t a, std::size_t b) {
  const Index i = index(a);
  const Index j = index(b);
  return std::abs(at.delassus(i, j)) > 1e-12 * std::sqrt(at.delassus(i, i) * at.delassus(j, j));
}

/// Contacts that approach, each struck for itself.
TogetherReading one_by_one(const Mechanism& mechanism, double t, const Vector& x_minus, const ContactValue& at,
                           const std::vector<std::size_t>& struck) {
  for (std::size_t i = 0; i < struck.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (move_each_other(at, struck[i], struck[j]))
        return {{}, "contacts are struck together that move each other, so that their order matters"};
  TogetherReading read;
  Jump jump = no_jump(mechanism.layout(), x_minus);
  for (const std::size_t i : struck) {
    const SegmentEnd end{Kind::impact, i};
    jump = struck_by(jump, mechanism, t, end);
    read.impacts.push_back({end, jump.x});
  }
  return read;
}

/// The contact `met` and closed ones, struck in turn or at once as the law has it.
TogetherReading with_closed(const Mechanism& mechanism, ImpactLaw law, double t, const Vector& x_minus, std::size_t met,
                            const std::vector<std::size_t>& struck) {
  std::vector<char> touching(mechanism.layout().contacts, 0);
  for (const std::size_t i : struck) touching[i] = 1;
  const ImpactResolution resolved = resolve_impacts(mechanism, t, x_minus, touching, law);
  if (resolved.stop) return {{}, "contacts are struck together whose order matters"};
  SegmentEnd end{Kind::impact, met};
  if (law == ImpactLaw::moreau) end.blows = {resolved.jump.struck};
  else
    for (const std::size_t i : resolved.jump.struck) end.blows.push_back({i});
  const Jump jump = struck_by(no_jump(mechanism.layout(), x_minus), mechanism, t, end);
  if ((jump.x - resolved.jump.x).norm() > 1e-12 * (1.0 + jump.x.norm()))
    return {{}, "contacts are struck together without end"};
  return {{{end, jump.x}}, ""};
}

}  // namespace

TogetherReading read_together(const Mechanism& mechanism, ImpactLaw law, double t, const Vector& x_minus,
                              const std::vector<std::size_t>& struck) {
  const ContactValue at = mechanism.contact(t, x_minus, Mode(mechanism.layout()));
  std::vector<std::size_t> met;
  for (const std::size_t i : struck)
    if (at.gamma[index(i)] < -100.0 * rest_speed(at, x_minus, i)) met.push_back(i);
  if (met.size() == struck.size()) return one_by_one(mechanism, t, x_minus, at, struck);
  if (met.size() == 1) return with_closed(mechanism, law, t, x_minus, met.front(), struck);
  return {{}, "several contacts are struck together with closed ones"};
}

Jump struck_by(const Jump& before, const Mechanism& mechanism, double t, const SegmentEnd& end) {
  const std::size_t contacts = mechanism.layout().contacts;
  const std::vector<char> elastic(contacts, 1);
  const std::vector<std::vector<std::size_t>> alone = {{end.index}};
  Jump jump = before;
  for (const std::vector<std::size_t>& blow : end.blows.empty() ? alone : end.blows) {
    std::vector<char> struck(contacts, 0);
    for (const std::size_t i : blow) struck[i] = 1;
    jump = followed_by(jump, mechanism, t, struck, elastic);
  }
  return jump;
}

std::vector<std::size_t> struck_with(const OrbitPlan& plan, std::size_t i) {
  const std::size_t m = plan.segments.size();
  std::size_t first = i;
  while (plan.segments[first].together && (first + m - 1) % m != i) first = (first + m - 1) % m;
  std::vector<std::size_t> contacts;
  for (std::size_t j = first;; j = (j + 1) % m) {
    if (plan.segments[j].end.kind == Kind::impact) contacts.push_back(plan.segments[j].end.index);
    if (!plan.segments[(j + 1) % m].together || (j + 1) % m == first) break;
  }
  return contacts;
}

}  // namespace saltus
