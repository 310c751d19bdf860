// CVODE (Adams) and ARKODE (explicit Runge-Kutta) behind one small interface: start, go to a stop time or a contact.
#pragma once

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <stdexcept>

#include "peer_problem.hpp"

namespace peers {

enum class Arrival { stop_time, contact };

/// The problem as SUNDIALS calls it back.
struct SundialsProblem {
  TriplePendulum<double> system;
  int size;

  static int equations(double t, N_Vector y, N_Vector dy, void* self) {
    const auto& problem = *static_cast<SundialsProblem*>(self);
    right_side(problem.system, t, N_VGetArrayPointer(y), N_VGetArrayPointer(dy), problem.size);
    return 0;
  }

  static int contact(double, N_Vector y, double* gap, void* self) {
    *gap = gap_at(static_cast<SundialsProblem*>(self)->system, N_VGetArrayPointer(y));
    return 0;
  }
};

inline void require(int flag) {
  if (flag < 0) throw std::runtime_error("SUNDIALS reports an error");
}

/// Context and state vector, common to both solvers.
class SundialsState {
 public:
  explicit SundialsState(const SundialsProblem& problem) : problem_(problem) {
    require(SUNContext_Create(nullptr, &context_));
    y_ = N_VNew_Serial(problem.size, context_);
  }
  ~SundialsState() {
    N_VDestroy(y_);
    SUNContext_Free(&context_);
  }
  SundialsState(const SundialsState&) = delete;
  SundialsState& operator=(const SundialsState&) = delete;

  double* data() { return N_VGetArrayPointer(y_); }
  const SundialsProblem& problem() const { return problem_; }

 protected:
  SundialsProblem problem_;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr;
};

class Cvode : public SundialsState {
 public:
  Cvode(const SundialsProblem& problem, double rtol) : SundialsState(problem) {
    put_start({}, data(), problem.size);
    memory_ = CVodeCreate(CV_ADAMS, context_);
    require(CVodeInit(memory_, SundialsProblem::equations, 0.0, y_));
    require(CVodeSStolerances(memory_, rtol, rtol));
    require(CVodeSetUserData(memory_, &problem_));
    solver_ = SUNNonlinSol_FixedPoint(y_, 0, context_);
    require(CVodeSetNonlinearSolver(memory_, solver_));
    require(CVodeSetMaxNumSteps(memory_, 1000000));
    int downwards = -1;
    require(CVodeRootInit(memory_, 1, SundialsProblem::contact));
    require(CVodeSetRootDirection(memory_, &downwards));
  }
  ~Cvode() {
    CVodeFree(&memory_);
    SUNNonlinSolFree(solver_);
  }

  void restart(double t) { require(CVodeReInit(memory_, t, y_)); }

  Arrival advance(double stop, double& t) {
    require(CVodeSetStopTime(memory_, stop));
    const int flag = CVode(memory_, stop, y_, &t, CV_NORMAL);
    require(flag);
    return flag == CV_ROOT_RETURN ? Arrival::contact : Arrival::stop_time;
  }

 private:
  void* memory_ = nullptr;
  SUNNonlinearSolver solver_ = nullptr;
};

class Arkode : public SundialsState {
 public:
  Arkode(const SundialsProblem& problem, double rtol) : SundialsState(problem) {
    put_start({}, data(), problem.size);
    memory_ = ERKStepCreate(SundialsProblem::equations, 0.0, y_, context_);
    require(ERKStepSStolerances(memory_, rtol, rtol));
    require(ERKStepSetUserData(memory_, &problem_));
    require(ERKStepSetOrder(memory_, 5));  // Higher orders take longer steps than its dense output can resolve.
    require(ERKStepSetMaxNumSteps(memory_, 1000000));
    int downwards = -1;
    require(ERKStepRootInit(memory_, 1, SundialsProblem::contact));
    require(ERKStepSetRootDirection(memory_, &downwards));
  }
  ~Arkode() { ERKStepFree(&memory_); }

  void restart(double t) { require(ERKStepReInit(memory_, SundialsProblem::equations, t, y_)); }

  Arrival advance(double stop, double& t) {
    require(ERKStepSetStopTime(memory_, stop));
    const int flag = ERKStepEvolve(memory_, stop, y_, &t, ARK_NORMAL);
    require(flag);
    return flag == ARK_ROOT_RETURN ? Arrival::contact : Arrival::stop_time;
  }

 private:
  void* memory_ = nullptr;
};

/// Goes through `periods` forcing periods from `solver.data()`, with impacts and one QR per period.
template <class Solver>
ImpactLog run_periods(Solver& solver, int periods, std::array<double, 6>& log_growth) {
  const SundialsProblem& problem = solver.problem();
  const double period = problem.system.period();
  ImpactLog log;
  double t = 0;
  solver.restart(t);
  for (int k = 1; k <= periods; ++k) {
    while (solver.advance(k * period, t) == Arrival::contact) {
      log.add(t);
      strike(problem.system, t, solver.data(), problem.size);
      solver.restart(t);
    }
    if (problem.size != full_size) continue;
    orthonormalise_in(solver.data(), log_growth);
    solver.restart(t);
  }
  return log;
}

}  // namespace peers
