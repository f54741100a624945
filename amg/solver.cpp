#include "amg/solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "amg/check_matrix.hpp"
#include "amg/conjugate_gradients.hpp"
#include "amg/multigrid_preconditioner.hpp"
#include "amg/stationary_iteration.hpp"
#include "amg/tentative.hpp"
#include "core/copy.hpp"
#include "core/errors.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
struct AmgSolver<T, S>::State {
  AmgOptions amg;
  SolverOptions solver;
  std::unique_ptr<MultigridPreconditioner<T, S>> preconditioner{};
  FatVector<T, S> near_nullspace{};  ///< the caller's, kept for a later setup
  bool has_own_candidates = false;   ///< the caller gave none
  int first_iterations = 0;          ///< of the first solve after a setup; 0 before
  int last_iterations = 0;
  bool last_converged = true;

  MultigridPreconditioner<T, S>& ready_preconditioner() const {
    if (!preconditioner) {
      throw std::invalid_argument("AmgSolver: setup() has not run, or failed");
    }
    return *preconditioner;
  }

  /// Whether the last solve was so slow that what is left of the last setup does not serve any more.
  bool is_outdated() const {
    return !last_converged || last_iterations > solver.rebuild_factor * std::max(first_iterations, 1);
  }

  void build(Context<S>& ctx, CsrMatrix<T, S> A, FatView<const T, S> candidates);
};

namespace {

/// Candidates with norms this far from 1 are scaled; the others are taken as they are.
constexpr int most_exponent = 40;

/// Refuses candidates that are none. Returns them, or copies with norms of about 1 where a norm is far from that.
template <class T, MemorySpace S>
FatVector<T, S> scaled_candidates(Context<S>& ctx, const CsrMatrix<T, S>& A, FatView<const T, S> candidates) {
  if (candidates.rows != A.rows) {
    throw std::invalid_argument(
        fmt::format("near-nullspace of {} rows for a matrix of {} rows", candidates.rows, A.rows));
  }
  std::vector<double> scales = norms<T>(ctx, candidates);
  bool is_near = true;
  for (std::size_t j = 0; j < scales.size(); ++j) {
    if (!std::isfinite(scales[j]) || scales[j] == 0.0) {
      throw InputError(fmt::format("near-nullspace vector {} is zero, or has an entry that is NaN or infinite", j + 1));
    }
    is_near = is_near && std::abs(std::ilogb(scales[j])) < most_exponent;
    scales[j] = std::ldexp(1.0, -std::max(std::ilogb(scales[j]), -1000));
  }
  FatVector<T, S> result;
  if (!is_near) {
    result = FatVector<T, S>(ctx, candidates.rows, candidates.columns);
    Buffer<double, S> factors(ctx, scales.size());
    upload<double>(ctx, {scales.data(), scales.size()}, factors.span());
    scale_columns<T, T>(ctx, factors, candidates, result);
  }
  return result;
}

}  // namespace

template <class T, MemorySpace S>
AmgSolver<T, S>::AmgSolver(const AmgOptions& amg, const SolverOptions& solver)
    : state_(std::make_unique<State>(State{amg, solver})) {}

template <class T, MemorySpace S>
void AmgSolver<T, S>::State::build(Context<S>& ctx, CsrMatrix<T, S> A, FatView<const T, S> candidates) {
  preconditioner.reset();
  first_iterations = 0;
  last_iterations = 0;
  last_converged = true;
  RowMagnitudes magnitudes;
  {
    ScopedTimer check_timer(ctx, "check", 0);
    magnitudes = check_matrix<T>(ctx, A);
  }
  if (A.rows % amg.block_size != 0) {
    throw InputError(
        fmt::format("the matrix has {} rows, which is no multiple of the block size {}", A.rows, amg.block_size));
  }
  FatVector<T, S> constants;
  if (candidates.rows == 0) {
    constants = FatVector<T, S>(ctx, A.rows, amg.block_size);
    fill_constant_candidates<T>(ctx, constants);
    candidates = std::as_const(constants);
  }
  const FatVector<T, S> scaled = scaled_candidates<T>(ctx, A, candidates);
  preconditioner = make_multigrid_preconditioner<T>(ctx, std::move(A), magnitudes,
                                                    scaled.rows() > 0 ? scaled.view() : candidates, amg, solver.reuse);
  // A solve needs much less.
  ctx.workspace().release();
}

template <class T, MemorySpace S>
void AmgSolver<T, S>::setup(Context<S>& ctx, CsrMatrix<T, S> A, FatView<const T, S> near_nullspace) {
  State& state = *state_;
  ScopedTimer timer(ctx, "setup");
  state.has_own_candidates = near_nullspace.rows == 0;
  state.near_nullspace = {};
  state.build(ctx, std::move(A), near_nullspace);
  if (!state.has_own_candidates && state.solver.reuse != Reuse::none) {
    state.near_nullspace = FatVector<T, S>(ctx, near_nullspace.rows, near_nullspace.columns);
    copy<T, T>(ctx, near_nullspace, state.near_nullspace);
  }
}

template <class T, MemorySpace S>
void AmgSolver<T, S>::update_values(Context<S>& ctx, CsrMatrix<T, S> A) {
  State& state = *state_;
  const Operator<T, S>& before = state.ready_preconditioner().matrix();
  if (A.rows != before.rows() || A.cols != before.cols() || A.nnz() != before.nnz()) {
    throw std::invalid_argument(
        fmt::format("new values: the matrix is {} x {} with {} entries, but was {} x {} with {}", A.rows, A.cols,
                    A.nnz(), before.rows(), before.cols(), before.nnz()));
  }
  ScopedTimer timer(ctx, "update");
  if (state.solver.reuse == Reuse::none || state.is_outdated()) {
    if (state.solver.reuse != Reuse::none) {
      ctx.profile().note(fmt::format(
          "set up anew: the last solve {} in {} iterations, the first one after a setup took {}",
          state.last_converged ? "converged" : "did not converge", state.last_iterations, state.first_iterations));
    } else if (!state.has_own_candidates) {
      throw std::invalid_argument("new values: a near-nullspace is kept for them only where the hierarchy is reused");
    }
    state.build(ctx, std::move(A), std::as_const(state.near_nullspace).view());
    return;
  }
  // Until it has succeeded there is none.
  auto preconditioner = std::move(state.preconditioner);
  RowMagnitudes magnitudes;
  {
    ScopedTimer check_timer(ctx, "check", 0);
    magnitudes = check_values<T>(ctx, A);
  }
  preconditioner->update_values(ctx, std::move(A), magnitudes);
  state.preconditioner = std::move(preconditioner);
}

template <class T, MemorySpace S>
SolveResult AmgSolver<T, S>::solve(Context<S>& ctx, FatView<const T, S> b, FatView<T, S> x) {
  State& state = *state_;
  MultigridPreconditioner<T, S>& preconditioner = state.ready_preconditioner();
  const Operator<T, S>& A = preconditioner.matrix();
  if (b.rows != A.rows() || x.rows != A.rows() || b.columns != x.columns || b.columns < 1) {
    throw std::invalid_argument(fmt::format("solving with a {0} x {0} matrix: b is {1} x {2}, x is {3} x {4}", A.rows(),
                                            b.rows, b.columns, x.rows, x.columns));
  }
  ScopedTimer timer(ctx, "solve");
  std::unique_ptr<IterativeMethod<T, S>> method;
  if (state.solver.method == Method::amg) {
    method = std::make_unique<StationaryIteration<T, S>>(ctx, A, preconditioner, b.columns);
  } else {
    method = std::make_unique<ConjugateGradients<T, S>>(ctx, A, preconditioner, b.columns,
                                                        state.solver.method == Method::fcg);
  }
  SolveResult result = iterate<T, S>(ctx, A, *method, b, x, state.solver);
  if (result.reason == StopReason::interrupted) {
    return result;  // says nothing of the hierarchy
  }
  state.last_iterations = result.iterations;
  state.last_converged = result.reason <= StopReason::attained;
  if (!state.last_converged && result.reason != StopReason::not_finite && preconditioner.summary().nullity > 0) {
    result.reason = StopReason::singular;
  }
  if (state.first_iterations == 0) {
    state.first_iterations = result.iterations;
  }
  return result;
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

#define AMGSOLVE_INSTANTIATE(T, S) template class AmgSolver<T, S>;
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
