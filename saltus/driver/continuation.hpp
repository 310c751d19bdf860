#pragma once

#include <memory>
#include <string>
#include <vector>

#include "saltus/analysis/branches/orbit_branch.hpp"
#include "saltus/analysis/motions/amplitude.hpp"
#include "saltus/driver/motion_request.hpp"
#include "saltus/driver/range.hpp"
#include "saltus/driver/stored_orbits.hpp"
#include "saltus/result/recipe.hpp"

namespace saltus {

/// `saltus continue`: a branch of periodic orbits in one parameter, or a curve of special orbits in two.
struct ContinueRequest : Request, WhichSolver, WhileRunning {
  std::vector<std::string> vary;      // one or two intervals, name=from:to
  std::string from;                   // a file with an orbit or a branch; empty: the motion after the transient
  std::string point;                  // of the file or of the branch: a label or a number from 1; empty: not given
  std::vector<std::string> switches;  // labels at which to change to the other branch, one after the other
  std::vector<std::string> at;        // name=value,value,...: orbits exactly there, labelled UZ
  std::vector<std::string> stops;     // labels at which each direction ends
  bool family = false;  // of orbits at one value of the parameter, as in a conservative system
  std::string
      fix;  // with two --vary, what stays as it is: "period", or a quantity that motions keep, as an expression or expression=value
  double longest = 0.0;  // period up to which orbits of which only that grows are followed; 0: not given
  long period = 0;  // returns of the orbit; 0: found by recurrence
  double transient = 300.0;  // without a file: forcing periods, or time
  BranchOptions::Direction direction = BranchOptions::Direction::both;
  double largest_step = 0.1;  // as a part of the range and of the orbit's size
  std::size_t most_points = 2000;  // in each direction
  std::string surface, modulo;  // another section than the model's
  std::string observe;  // what the picture shows: an expression, or max or min of one; empty: the first coordinate
  bool measures = false;  // ContinueResult::amplitudes are wanted
};

struct ContinueResult {
  PreparedModel prepared;
  ContinueRequest request;
  FlowOptions options;
  Recipe recipe;
  std::vector<VariedRange> ranges;  // of --vary
  std::string section;  // in words; empty: the strobe
  Branch branch;
  std::string missing;  // why there is no first orbit; the one point is where the search for it ended
  std::vector<std::vector<double>> observed;  // of each point, at each return; one number if it is an extreme
  std::string observed_name;
  std::vector<Amplitudes>
      amplitudes;  // of what is observed, along each point's orbit, if wanted; not numbers where it has none

  const std::vector<Diagnostic>& warnings() const { return prepared.warnings; }
  bool complete() const;
};

/// Throws Error(usage) if something asked for does not exist.
ContinueResult run(const ContinueRequest& request);

/// The same of a model that is read and settings that are understood, as other analyses ask for it: `begun` has prepared, request
/// (without a file) and ranges. `kernels` are those of another branch of the same model, parameters and settings; none: they are
/// compiled, and left there.
ContinueResult continued(ContinueResult begun, std::shared_ptr<const Kernels>& kernels);

/// Likewise, from the request's file of orbits, whose case and settings are taken.
ContinueResult continued_from_file(ContinueResult begun);

/// Where and why the branch ends before its bounds, with a remedy; empty if it does not.
std::string stop_message(const ContinueResult& result);
ExitCode exit_code(const ContinueResult& result);

}  // namespace saltus
