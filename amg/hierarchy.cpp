#include "amg/hierarchy.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "amg/aggregation.hpp"
#include "amg/amalgamation.hpp"
#include "amg/diagonal.hpp"
#include "amg/prolongator.hpp"
#include "amg/spectral_radius.hpp"
#include "amg/strength.hpp"
#include "amg/tentative.hpp"
#include "core/errors.hpp"
#include "core/timer.hpp"
#include "spgemm/galerkin.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "spmv/spmv.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {
namespace {

/// A level that cannot be coarsened is still factored up to this size: 32 MB and some tenths of a second.
constexpr Index direct_limit = 2000;

/// Coarsening has stalled where a level keeps more than this fraction of the rows.
constexpr double stalled_ratio = 0.9;

/// The passes of aggregation on a level. More than one makes aggregates of 8 to 10 nodes in 2D instead of 14, and of 16
/// to 20 in 3D instead of 33: small enough that a V-cycle's iterations do not grow with the levels. What the hierarchy
/// costs is decided on the finest level, whose stencil and aggregates are the smallest anyway; further down the third
/// pass is as good as free.
constexpr int passes_on(int level) { return std::min(level + 1, 3); }

/// A V-cycle solves a coarse problem from one side: the eigenvalues of M_c⁻¹ A_c lie in [1 − q, 1] with q about 0.13
/// once there are several levels. Scaled by 2 / (2 − q) they lie around 1, which halves the error of each level's
/// coarse correction for nothing (over-correction, as Braess 1995 does for plain aggregation).
constexpr double over_correction = 1.07;

/// On smooth errors the factors multiply, and the cycle is positive definite while their product is below 2: no deeper
/// level is scaled. 1.07⁹ < 1.9.
constexpr std::size_t over_corrected_levels = 9;

}  // namespace

template <class T, MemorySpace S>
Hierarchy<T, S>::Hierarchy(Context<S>& ctx, LevelMatrix<T, S> A, FatView<const T, S> near_nullspace,
                           const AmgOptions& options)
    : options_(options) {
  FatVector<T, S> candidates(ctx, near_nullspace.rows, near_nullspace.columns);
  copy<T, T>(ctx, near_nullspace, candidates);
  Index block_size = options.block_size;
  levels_.emplace_back();
  levels_.back().A = std::move(A);
  while (levels_.back().A.rows > options.coarse_size && std::ssize(levels_) < options.max_levels) {
    ctx.notify({.phase = "setup", .step = std::ssize(levels_), .steps = options.max_levels});
    if (!add_coarser_level(ctx, candidates, block_size)) {
      break;
    }
    block_size = candidates.columns();
  }
  finish_coarsest(ctx);
  for (Level& level : levels_) {
    level.summary.rows = level.A.rows;
    level.summary.nnz = level.A.nnz();
    level.summary.bytes = level.A.bytes() + level.P.bytes() + level.R.bytes() + level.smoother.bytes();
  }
  if (coarse_solver_) {
    levels_.back().summary.bytes += coarse_solver_->bytes();
  }
}

template <class T, MemorySpace S>
Buffer<T, S> Hierarchy<T, S>::diagonal(Context<S>& ctx, std::size_t level) const {
  const auto& A = levels_[level].A;
  Buffer<T, S> d(ctx, static_cast<std::size_t>(A.rows));
  extract_diagonal<T>(ctx, A, d);
  if (const Index row = find_non_positive_diagonal<T>(ctx, A, d); row >= 0) {
    throw BreakdownError(fmt::format(
        "the diagonal entry of row {} on level {} is not positive: the matrix is not positive definite (if it is "
        "negative definite, solve -A x = -b)",
        row + 1, level));
  }
  return d;
}

template <class T, MemorySpace S>
bool Hierarchy<T, S>::add_coarser_level(Context<S>& ctx, FatVector<T, S>& candidates, Index block_size) {
  const std::size_t l = levels_.size() - 1;
  const int level = static_cast<int>(l);
  const auto& A = levels_[l].A;
  Buffer<T, S> d;
  Graph<S> strong;
  {
    ScopedTimer timer(ctx, "strength", level);
    d = diagonal(ctx, l);
    if (block_size == 1) {
      strong = strength_graph<T>(ctx, A, d, options_.strength_threshold);
    } else {
      const CsrMatrix<T, S> norms = amalgamate(ctx, A, block_size);
      Buffer<T, S> node_diagonal(ctx, static_cast<std::size_t>(norms.rows));
      extract_diagonal<T>(ctx, norms, node_diagonal);
      strong = strength_graph<T>(ctx, norms, node_diagonal, options_.strength_threshold);
    }
  }
  Aggregates<S> aggregates;
  {
    ScopedTimer timer(ctx, "aggregation", level);
    aggregates = aggregate(ctx, strong, passes_on(level));
  }
  const double coarse_rows = static_cast<double>(aggregates.count) * candidates.columns();
  if (aggregates.count == 0 || coarse_rows > stalled_ratio * A.rows) {
    return false;
  }
  Tentative<T, S> tentative;
  {
    ScopedTimer timer(ctx, "tentative", level);
    tentative = tentative_prolongator<T>(ctx, aggregates, block_size, candidates);
  }
  double rho = 0.0;
  {
    ScopedTimer timer(ctx, "spectral radius", level);
    rho = spectral_radius<T, S>(ctx, A, d, options_.spectral_radius_steps);
  }
  LevelMatrix<T, S> P;
  {
    ScopedTimer timer(ctx, "prolongator", level);
    const double damping = rho > 0.0 ? options_.prolongator_damping / rho : 0.0;
    P = smoothed_prolongator<T>(ctx, A, options_.filter_prolongator ? &strong : nullptr, aggregates, block_size,
                                tentative, static_cast<T>(damping));
  }
  LevelMatrix<T, S> R;
  {
    ScopedTimer timer(ctx, "transpose", level);
    R = transpose(ctx, P);
  }
  LevelMatrix<T, S> coarse;
  {
    ScopedTimer timer(ctx, "galerkin product", level);
    GalerkinStatistics* statistics = options_.spgemm.statistics ? &levels_[l].summary.products.emplace() : nullptr;
    coarse = galerkin_product(ctx, R, A, P, options_.spgemm, statistics);
  }
  {
    ScopedTimer timer(ctx, "smoother", level);
    levels_[l].smoother = Smoother<T, S>(ctx, A, d, rho, options_.smoother);
  }
  Level& fine = levels_[l];
  fine.P = std::move(P);
  fine.R = std::move(R);
  fine.summary.aggregates = aggregates.count;
  fine.summary.mean_aggregate_size = static_cast<double>(A.rows / block_size) / aggregates.count;
  fine.summary.spectral_radius = rho;
  candidates = std::move(tentative.coarse_candidates);
  levels_.emplace_back();
  levels_.back().A = std::move(coarse);
  return true;
}

template <class T, MemorySpace S>
void Hierarchy<T, S>::finish_coarsest(Context<S>& ctx) {
  Level& coarsest = levels_.back();
  const int level = static_cast<int>(levels_.size()) - 1;
  ScopedTimer timer(ctx, "coarse factor", level);
  const Buffer<T, S> d = diagonal(ctx, levels_.size() - 1);
  if (coarsest.A.rows <= std::max(options_.coarse_size, direct_limit)) {
    coarse_solver_.emplace(ctx, coarsest.A);
    return;
  }
  const double rho = spectral_radius<T, S>(ctx, coarsest.A, d, options_.spectral_radius_steps);
  coarsest.smoother = Smoother<T, S>(ctx, coarsest.A, d, rho, options_.smoother);
  coarsest.summary.spectral_radius = rho;
}

template <class T, MemorySpace S>
void Hierarchy<T, S>::allocate_vectors(Context<S>& ctx, Index columns) {
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    Level& level = levels_[l];
    const bool direct = coarse_solver_ && l + 1 == levels_.size();
    const auto vector = [&](bool needed) { return FatVector<T, S>(ctx, needed ? level.A.rows : 0, columns); };
    level.b = vector(l > 0);
    level.r = vector(!direct);
    level.iterate = {vector(true), vector(!direct)};
  }
  columns_ = columns;
}

template <class T, MemorySpace S>
FatView<const T, S> Hierarchy<T, S>::cycle(Context<S>& ctx, FatView<const T, S> b) {
  if (b.columns != columns_) {
    allocate_vectors(ctx, b.columns);
  }
  visit(ctx, 0, b, true);
  return std::as_const(levels_.front().iterate.x);
}

template <class T, MemorySpace S>
void Hierarchy<T, S>::visit(Context<S>& ctx, std::size_t l, FatView<const T, S> b, bool from_zero) {
  Level& level = levels_[l];
  const int number = static_cast<int>(l);
  const SmootherOptions& smoothing = options_.smoother;
  const bool coarsest = l + 1 == levels_.size();
  if (coarsest && coarse_solver_) {
    ScopedTimer timer(ctx, "coarse solve", number);
    coarse_solver_->solve(ctx, b, level.iterate.x);
    return;
  }
  {
    ScopedTimer timer(ctx, "smoothing", number);
    level.smoother.apply(ctx, level.A, smoothing.pre_sweeps, from_zero, b, level.iterate);
  }
  if (!coarsest) {
    Level& coarse = levels_[l + 1];
    {
      ScopedTimer timer(ctx, "residual", number);
      residual<T>(ctx, level.A, b, level.iterate.x, level.r);
    }
    {
      ScopedTimer timer(ctx, "restriction", number);
      spmv<T>(ctx, T{1}, level.R, level.r, T{0}, coarse.b);
    }
    visit(ctx, l + 1, coarse.b, true);
    // A direct solve is exact: visiting it again would change nothing.
    const bool coarse_is_exact = coarse_solver_ && l + 2 == levels_.size();
    double scale = 1.0;
    if (options_.cycle == CycleType::w && !coarse_is_exact) {
      visit(ctx, l + 1, coarse.b, false);
    } else if (!coarse_is_exact && l < over_corrected_levels) {
      scale = over_correction;
    }
    ScopedTimer timer(ctx, "prolongation", number);
    spmv<T>(ctx, static_cast<T>(scale), level.P, coarse.iterate.x, T{1}, level.iterate.x);
  }
  ScopedTimer timer(ctx, "smoothing", number);
  level.smoother.apply(ctx, level.A, smoothing.post_sweeps, false, b, level.iterate);
}

template <class T, MemorySpace S>
HierarchySummary Hierarchy<T, S>::summary() const {
  HierarchySummary summary;
  double nnz = 0.0;
  double rows = 0.0;
  for (const Level& level : levels_) {
    summary.levels.push_back(level.summary);
    nnz += static_cast<double>(level.A.nnz());
    rows += level.A.rows;
  }
  const LevelMatrix<T, S>& finest = levels_.front().A;
  summary.operator_complexity = finest.nnz() > 0 ? nnz / static_cast<double>(finest.nnz()) : 1.0;
  summary.grid_complexity = finest.rows > 0 ? rows / finest.rows : 1.0;
  if (!coarse_solver_) {
    summary.coarse_solver = fmt::format("smoothed only: {} rows are too many to factor", levels_.back().A.rows);
  } else if (coarse_solver_->nullity() == 0) {
    summary.coarse_solver = CoarseSolver<T, S>::regular_method;
  } else {
    summary.coarse_solver =
        fmt::format("{}, {} vanishing pivots left out", CoarseSolver<T, S>::singular_method, coarse_solver_->nullity());
  }
  return summary;
}

template class Hierarchy<float, Host>;
template class Hierarchy<double, Host>;
#if AMGSOLVE_HAVE_CUDA
template class Hierarchy<float, Cuda>;
template class Hierarchy<double, Cuda>;
#endif

}  // namespace amgsolve
