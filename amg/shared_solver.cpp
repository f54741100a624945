#include "amg/shared_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "amg/approach.hpp"
#include "amg/check_matrix.hpp"
#include "amg/coarsening_choices.hpp"
#include "amg/conjugate_gradients.hpp"
#include "amg/multigrid_preconditioner.hpp"
#include "amg/nullspace.hpp"
#include "amg/shared_block_size.hpp"
#include "amg/shared_coarsening.hpp"
#include "amg/solver.hpp"
#include "core/errors.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "dist/collectively.hpp"
#include "dist/halo.hpp"
#include "dist/replicate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "spmv/statistics.hpp"
#include "spmv/transfer.hpp"

namespace amgsolve {
namespace {

double largest_of(const Communicator& communicator, double x) {
  return std::bit_cast<double>(communicator.max(std::bit_cast<std::int64_t>(x)));  // of numbers that are not negative
}

/// Of a column of the window. Synchronises.
template <MemorySpace S>
std::int64_t row_of(Context<S>& ctx, const Layout<S>& layout, Index column) {
  const Index own = column - layout.first_own();
  if (own >= 0 && own < layout.own_rows()) {
    return layout.first_row() + own;
  }
  return element(ctx, layout.ghosts(), static_cast<std::size_t>(own < 0 ? column : column - layout.own_rows()));
}

/// Refuses what no rank can work with, naming the row as the whole matrix has it.
template <class T, MemorySpace S>
void check_rows(Context<S>& ctx, const LocalMatrix<T, S>& A) {
  const Layout<S>& layout = *A.layout;
  collectively(ctx.communicator(), [&] {
    if (const std::string problem = find_column_problem(ctx, A.A); !problem.empty()) {
      throw InputError(fmt::format("of the rows from {} on, {}", layout.first_row() + 1, problem));
    }
    if (const EntryPosition bad = find_non_finite<T>(ctx, A.A); bad.row >= 0) {
      throw InputError(fmt::format("the matrix entry in row {}, column {} is NaN or infinite",
                                   layout.first_row() + bad.row + 1, row_of(ctx, layout, bad.col) + 1));
    }
    if (const Index row = find_zero_row<T>(ctx, A.A); row >= 0) {
      throw InputError(
          fmt::format("row {} of the matrix is zero: the matrix is singular", layout.first_row() + row + 1));
    }
  });
}

/// What is known of the rows of all ranks.
struct SharedFindings {
  RowMagnitudes magnitudes;
  bool is_plain;  ///< symmetric, with a positive diagonal, and constants are no null vector
};

template <class T, MemorySpace S>
SharedFindings look_at(Context<S>& ctx, const LocalMatrix<T, S>& A) {
  const Communicator& communicator = ctx.communicator();
  const Layout<S>& layout = *A.layout;
  Buffer<T, S> scales(ctx, static_cast<std::size_t>(layout.own_rows()));
  RowMagnitudes magnitudes = scale_by_rows<T>(ctx, A.A, scales);
  magnitudes.largest = largest_of(communicator, magnitudes.largest);
  magnitudes.smallest = 1.0 / largest_of(communicator, 1.0 / magnitudes.smallest);
  const Operator<T, S> whole(ctx, borrow(A.A), Storage::csr, std::make_shared<Halo<T, S>>(A.layout));
  const bool is_symmetric = has_usual_magnitudes<T>(magnitudes) && is_symmetric_within_rounding<T>(symmetry_defect<T>(
                                                                       ctx, whole, scales.span(), layout.first_row()));
  MultiVector<T, S> ones(ctx, layout.columns());
  fill<T>(ctx, T{1}, ones);
  const bool is_singular = communicator.max(maps_to_zero<T>(ctx, A.A, std::as_const(ones).view()) ? 0 : 1) == 0;
  const bool has_positive_diagonal = communicator.max(has_other_than_positive_diagonal(ctx, A) ? 1 : 0) == 0;
  return {magnitudes, is_symmetric && !is_singular && has_positive_diagonal};
}

}  // namespace

bool can_share_levels(const AmgOptions& amg, const SolverOptions& solver) {
  const bool goes_row_by_row =
      amg.smoother.type == SmootherType::automatic || amg.smoother.type == SmootherType::jacobi ||
      amg.smoother.type == SmootherType::l1_jacobi || amg.smoother.type == SmootherType::chebyshev;
  const bool is_cg = solver.method == Method::automatic || solver.method == Method::cg || solver.method == Method::fcg;
  return goes_row_by_row && is_cg && amg.block_size.value_or(1) == 1 && amg.unknowns == Numbering::by_node &&
         amg.strength.measure != StrengthMeasure::symmetric && solver.reuse == Reuse::none && !amg.spgemm.statistics;
}

template <class T, MemorySpace S>
struct SharedSolver<T, S>::State {
  AmgOptions amg;
  SolverOptions solver;
  Method method = Method::cg;
  std::shared_ptr<const Layout<S>> layout{};                        ///< of A
  std::unique_ptr<MultigridPreconditioner<T, S>> preconditioner{};  ///< where levels are shared
  std::optional<AmgSolver<T, S>> alone{};                           ///< else

  /// Takes A, and returns true, where its levels can be shared.
  bool share(Context<S>& ctx, LocalMatrix<T, S>& A) {
    if (!can_share_levels(amg, solver) || ctx.communicator().sum(A.A.nnz()) <= replicated_entries(ctx, amg)) {
      return false;
    }
    SharedFindings findings{};
    {
      ScopedTimer timer(ctx, "check", 0);
      check_rows(ctx, A);
      findings = look_at(ctx, A);
      if (!findings.is_plain || may_have_blocks(ctx, A)) {
        return false;
      }
    }
    method = method_for(solver.method, amg, true);
    const AmgOptions options = options_for({method, MatrixKind::definite}, amg, 1);
    MultiVector<T, S> ones(ctx, layout->own_rows());
    fill<T>(ctx, T{1}, ones);
    try {
      preconditioner =
          make_shared_preconditioner<T, S>(ctx, A, findings.magnitudes, std::as_const(ones).view(), options);
    } catch (const NotShareable&) {
      return false;
    }
    if (preconditioner->summary().nullity > 0) {  // A may be singular in a part of its graph
      Context<Host> host;
      A = {upload(ctx, preconditioner->matrix().to_csr(ctx, host)), layout};
      preconditioner.reset();
      return false;
    }
    return true;
  }
};

template <class T, MemorySpace S>
SharedSolver<T, S>::SharedSolver(const AmgOptions& amg, const SolverOptions& solver)
    : state_(new State{.amg = amg, .solver = solver}) {}

template <class T, MemorySpace S>
void SharedSolver<T, S>::setup(Context<S>& ctx, GlobalRows<T, S> rows, MultiVectorView<const T, S> coordinates) {
  State& state = *state_;
  ScopedTimer timer(ctx, "setup");
  state.preconditioner.reset();
  state.alone.reset();
  const Partition partition(ctx.communicator(), rows.rows());
  LocalMatrix<T, S> A = to_local(ctx, partition, std::move(rows));
  state.layout = A.layout;
  if (coordinates.rows == 0 && state.share(ctx, A)) {
    ctx.workspace().release();
    return;
  }
  CsrMatrix<T, S> whole = replicate(ctx, A);
  A.A = {};
  const typename Context<S>::Alone alone(ctx);
  state.alone.emplace(state.amg, state.solver);
  state.alone->setup(ctx, std::move(whole), {}, coordinates);
}

template <class T, MemorySpace S>
SolveResult SharedSolver<T, S>::solve(Context<S>& ctx, MultiVectorView<const T, S> b, MultiVectorView<T, S> x) {
  State& state = *state_;
  if (!state.layout) {
    throw std::invalid_argument("SharedSolver: setup() has not run, or failed");
  }
  const Index rows = state.layout->own_rows();
  collectively(ctx.communicator(), [&] {
    if (b.rows != rows || x.rows != rows || x.columns != b.columns || b.columns < 1) {
      throw std::invalid_argument(fmt::format("solving with {} rows of a matrix: b is {} x {}, x is {} x {}", rows,
                                              b.rows, b.columns, x.rows, x.columns));
    }
  });
  if (state.alone) {
    const Partition& partition = state.layout->partition();
    const auto gathered = [&](MultiVectorView<const T, S> own) {
      MultiVector<T, S> all(ctx, checked_index(partition.rows(), "rows"), own.columns);
      replicate_rows<T>(ctx, partition, own, all);
      return all;
    };
    const MultiVector<T, S> all_b = gathered(b);
    MultiVector<T, S> all_x = gathered(x);
    SolveResult result;
    {
      const typename Context<S>::Alone alone(ctx);
      result = state.alone->solve(ctx, all_b, all_x);
    }
    const T* const own_x = all_x.data() + partition.first(ctx.communicator().rank()) * x.columns;
    copy<T, T>(ctx, {own_x, rows, x.columns}, x);
    return result;
  }
  const typename Context<S>::WholeLoops whole_loops(ctx);
  ScopedTimer timer(ctx, "solve");
  const Operator<T, S>& A = state.preconditioner->matrix();
  ConjugateGradients<T, S> method(ctx, A, *state.preconditioner, b.columns, state.method == Method::fcg);
  SolveResult result = iterate<T, S>(ctx, A, method, b, x, state.solver);
  result.method = state.method;
  return result;
}

template <class T, MemorySpace S>
HierarchySummary SharedSolver<T, S>::summary() const {
  return state_->alone ? state_->alone->summary() : state_->preconditioner->summary();
}

template <class T, MemorySpace S>
std::size_t SharedSolver<T, S>::shared_levels() const {
  return state_->preconditioner ? state_->preconditioner->shared_levels() : 0;
}

template <class T, MemorySpace S>
std::int64_t SharedSolver<T, S>::ghosts() const {
  return static_cast<std::int64_t>(state_->layout->ghosts().size());
}

template <class T, MemorySpace S>
SharedSolver<T, S>::~SharedSolver() = default;
template <class T, MemorySpace S>
SharedSolver<T, S>::SharedSolver(SharedSolver&&) noexcept = default;
template <class T, MemorySpace S>
SharedSolver<T, S>& SharedSolver<T, S>::operator=(SharedSolver&&) noexcept = default;

#define AMGSOLVE_INSTANTIATE(T, S) template class SharedSolver<T, S>;
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
