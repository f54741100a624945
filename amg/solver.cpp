#include "amg/solver.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "amg/check_matrix.hpp"
#include "amg/conjugate_gradients.hpp"
#include "amg/multigrid_preconditioner.hpp"
#include "amg/stationary_iteration.hpp"
#include "amg/tentative.hpp"
#include "core/errors.hpp"
#include "core/timer.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
struct AmgSolver<T, S>::State {
  AmgOptions amg;
  SolverOptions solver;
  CsrMatrix<T, S> A;
  std::unique_ptr<MultigridPreconditioner<T, S>> preconditioner;

  MultigridPreconditioner<T, S>& ready_preconditioner() const {
    if (!preconditioner) {
      throw std::invalid_argument("AmgSolver: setup() has not run, or failed");
    }
    return *preconditioner;
  }
};

namespace {

template <class T, MemorySpace S>
void check_candidates(Context<S>& ctx, const CsrMatrix<T, S>& A, FatView<const T, S> candidates) {
  if (candidates.rows != A.rows) {
    throw std::invalid_argument(
        fmt::format("near-nullspace of {} rows for a matrix of {} rows", candidates.rows, A.rows));
  }
  Buffer<double, S> norms(ctx, static_cast<std::size_t>(candidates.columns));
  std::vector<double> host_norms(norms.size());
  dot<T>(ctx, candidates, candidates, norms);
  to_host(ctx, norms, host_norms.data());
  for (std::size_t j = 0; j < host_norms.size(); ++j) {
    if (!std::isfinite(host_norms[j]) || host_norms[j] == 0.0) {
      throw InputError(fmt::format("near-nullspace vector {} is zero, or has an entry that is NaN or infinite", j + 1));
    }
  }
}

}  // namespace

template <class T, MemorySpace S>
AmgSolver<T, S>::AmgSolver(const AmgOptions& amg, const SolverOptions& solver)
    : state_(std::make_unique<State>(State{amg, solver, {}, {}})) {}

template <class T, MemorySpace S>
void AmgSolver<T, S>::setup(Context<S>& ctx, CsrMatrix<T, S> A, FatView<const T, S> near_nullspace) {
  State& state = *state_;
  state.preconditioner.reset();
  ScopedTimer timer(ctx, "setup");
  {
    ScopedTimer check_timer(ctx, "check", 0);
    check_matrix<T>(ctx, A);
  }
  if (A.rows % state.amg.block_size != 0) {
    throw InputError(
        fmt::format("the matrix has {} rows, which is no multiple of the block size {}", A.rows, state.amg.block_size));
  }
  FatVector<T, S> constants;
  if (near_nullspace.rows == 0) {
    constants = FatVector<T, S>(ctx, A.rows, state.amg.block_size);
    fill_constant_candidates<T>(ctx, constants);
    near_nullspace = std::as_const(constants);
  }
  check_candidates<T>(ctx, A, near_nullspace);
  state.A = std::move(A);
  state.preconditioner = make_multigrid_preconditioner<T>(ctx, borrow(state.A), near_nullspace, state.amg);
}

template <class T, MemorySpace S>
SolveResult AmgSolver<T, S>::solve(Context<S>& ctx, FatView<const T, S> b, FatView<T, S> x) {
  const State& state = *state_;
  MultigridPreconditioner<T, S>& preconditioner = state.ready_preconditioner();
  const Operator<T, S>& A = preconditioner.matrix();
  if (b.rows != A.rows() || x.rows != A.rows() || b.columns != x.columns || b.columns < 1) {
    throw std::invalid_argument(fmt::format("solving with a {0} x {0} matrix: b is {1} x {2}, x is {3} x {4}", A.rows(),
                                            b.rows, b.columns, x.rows, x.columns));
  }
  ScopedTimer timer(ctx, "solve");
  if (state.solver.method == Method::amg) {
    StationaryIteration<T, S> method(ctx, A, preconditioner, b);
    return iterate<T, S>(ctx, state.A, method, b, x, state.solver);
  }
  ConjugateGradients<T, S> method(ctx, A, preconditioner, b.columns, state.solver.method == Method::fcg);
  return iterate<T, S>(ctx, state.A, method, b, x, state.solver);
}

template <class T, MemorySpace S>
HierarchySummary AmgSolver<T, S>::summary() const {
  return state_->ready_preconditioner().summary();
}

template <class T, MemorySpace S>
AmgSolver<T, S>::~AmgSolver() = default;
template <class T, MemorySpace S>
AmgSolver<T, S>::AmgSolver(AmgSolver&&) noexcept = default;
template <class T, MemorySpace S>
AmgSolver<T, S>& AmgSolver<T, S>::operator=(AmgSolver&&) noexcept = default;

template class AmgSolver<float, Host>;
template class AmgSolver<double, Host>;
#if AMGSOLVE_HAVE_CUDA
template class AmgSolver<float, Cuda>;
template class AmgSolver<double, Cuda>;
#endif

}  // namespace amgsolve
