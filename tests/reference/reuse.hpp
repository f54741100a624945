#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "amg/solver.hpp"
#include "problems/generate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/random.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

/// Matrices with one pattern, and solvers that may reuse what is made of one of them.
namespace amgsolve::reference {

/// −div(c grad u) with c from a checkerboard of 1 and `high`: the same pattern for each.
template <class T>
CsrMatrix<T, Host> checkerboard(Context<Host>& host, double high, double scale = 1.0) {
  GeneratedProblem problem = reference::poisson(reference::grid({24, 20, 16}), Discretization::fd);
  problem.pde = Pde::diffusion;
  problem.coefficient.type = CoefficientType::checkerboard;
  problem.coefficient.low = scale;
  problem.coefficient.high = scale * high;
  return generate_matrix<T>(host, problem);
}

/// Rotated anisotropy, of which the filter drops a part on every level.
template <class T>
CsrMatrix<T, Host> anisotropic(Context<Host>& host, double epsilon) {
  GeneratedProblem problem = reference::poisson(reference::grid({60, 50}), Discretization::q1);
  problem.pde = Pde::diffusion;
  problem.anisotropy = {.epsilon = epsilon, .angle = 30.0};
  return generate_matrix<T>(host, problem);
}

template <class T>
struct Solve {
  SolveResult result;
  std::vector<T> x;
};

template <class T, MemorySpace S>
Solve<T> solve(Context<S>& ctx, AmgSolver<T, S>& solver, Index rows) {
  MultiVector<T, S> b(ctx, rows);
  MultiVector<T, S> x(ctx, rows);
  fill_random<T>(ctx, 7, b);
  fill<T>(ctx, T{0}, x);
  Solve<T> solved;
  solved.result = solver.solve(ctx, std::as_const(b), x);
  EXPECT_EQ(solved.result.reason, StopReason::converged) << describe(solved.result.reason);
  solved.x = reference::download(ctx, x);
  return solved;
}

inline AmgOptions small_levels() {
  AmgOptions amg;
  amg.coarse_size = 50;
  return amg;
}

template <class T>
SolverOptions reusing(Reuse reuse) {
  SolverOptions options;
  options.tolerance = sizeof(T) == sizeof(double) ? 1e-8 : 1e-5;
  options.reuse = reuse;
  return options;
}

inline bool has_note(const Profile& profile, const std::string& begin) {
  for (const Profile::Node& node : profile.nodes()) {
    for (const std::string& note : node.notes) {
      if (note.starts_with(begin)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace amgsolve::reference
