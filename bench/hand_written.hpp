// The hand-written programs of peers/ behind plain functions: they are compiled for this machine only, the library is
// not, so the two never share a source file.
#pragma once

namespace bench {

/// One evaluation of field and tangent (42 equations) of fig3a; returns a number that depends on all of it. The
/// functions of W lanes evaluate W trajectories.
double eigen_field_tangent(double t);
double hand_field_tangent_1(double t);
double hand_field_tangent_4(double t);
double hand_field_tangent_8(double t);

enum class Carried { state, tangent };

struct HandFlow {
  double microseconds;  // processor time per forcing period and trajectory, of one run
  double impact_error;  // worst of the first ten impact times
  double steps;         // tried per period, by one trajectory alone
};

/// `trajectories` motions of fig3a side by side over `periods` forcing periods, 1, 4 or 8 at a time. With the tangent:
/// saltation at each impact and QR once per period.
HandFlow hand_flow(unsigned width, Carried carried, double rtol, int trajectories, int periods);

/// Start k of `count`: the state beside the attractor of fig3a with its first angle moved by 1e-3 k / count.
void neighbouring_start(int k, int count, double x[6]);
/// Impact times of the start 0 by DOP853 in long double.
double reference_impact(int k);

}  // namespace bench
