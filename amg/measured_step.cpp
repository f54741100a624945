#include "amg/measured_step.hpp"

#include <utility>

#include "amg/coarsening.hpp"
#include "amg/density.hpp"
#include "amg/model_matrix.hpp"
#include "core/instantiate.hpp"
#include "spmv/pattern_matrix.hpp"
#include "spmv/statistics.hpp"
#include "spmv/storage_choice.hpp"

namespace amgsolve {

template <class T>
void measure_patterns(Context<Host>& ctx, const CsrMatrix<T, Host>& A, SystemSize& system) {
  const auto patterns = find_row_patterns(ctx, A.row_offsets, A.col_indices);
  system.is_grid = patterns.has_value();
  system.has_alike_rows = patterns && are_mostly_alike(ctx, *patterns);
  system.different_slices = patterns ? different_slices(ctx, A, *patterns) : 1.0;
}

template <class T, MemorySpace S>
StepSizes measure_products(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& P, Index candidates) {
  return {.coarse_rows = static_cast<double>(P.cols),
          .P_nnz = static_cast<double>(P.nnz()),
          .AP_nnz = estimate_product_entries(ctx, A, P),
          .coarse_nnz = estimate_density(ctx, A, P, candidates) * static_cast<double>(A.nnz())};
}

template <class T, MemorySpace S>
StepSizes measure_step(Context<S>& ctx, const CsrMatrix<T, S>& A,
                       std::type_identity_t<MultiVectorView<const T, S>> near_nullspace, const AmgOptions& options,
                       double value_bytes) {
  if (A.rows <= options.coarse_size || options.max_levels <= 1) {
    return {};
  }
  const Index block_size = options.block_size.value_or(1);
  const Buffer<T, S> diagonal = positive_diagonal(ctx, A, 0, options.matrix);
  const Model<T, S> model(ctx, A, diagonal, near_nullspace, block_size, 0, options.matrix);
  Coarsening<T, S> coarsening(ctx, model.matrix, model.diagonal, near_nullspace, block_size, {}, options);
  if (coarsening.stalls(near_nullspace.columns)) {
    return {};
  }
  // A bound will do in the place of ρ: patterns do not depend on it, but for what truncation takes from P.
  const double radius = row_sum_norm<T>(ctx, model.matrix, model.diagonal);
  LevelInterpolation<T, S> interpolation =
      coarsening.interpolate(ctx, model.matrix, model.diagonal, radius, near_nullspace, false);
  const Interpolation<T, S>& smoothed = interpolation.smoothed;
  const CsrMatrix<T, S> R = transpose(ctx, smoothed.P);
  StepSizes sizes = measure_products(ctx, A, smoothed.P, near_nullspace.columns);
  sizes.smoothing = static_cast<double>(smoothed.choices.entries);
  sizes.stored_P_and_R =
      stored_bytes(ctx, smoothed.P, options.storage, value_bytes) + stored_bytes(ctx, R, options.storage, value_bytes);
  return sizes;
}

std::vector<StepSizes> measure_steps(Context<Host>& ctx, const AmgSolver<double, Host>& solver, Storage storage,
                                     double value_bytes) {
  const std::vector<LevelSummary> levels = solver.summary().levels;
  std::vector<StepSizes> steps;
  for (std::size_t l = 0; l + 1 < levels.size(); ++l) {
    const auto part = [&](LevelPart which) { return solver.level_matrix(ctx, ctx, static_cast<int>(l), which); };
    const CsrMatrix<double, Host> A = part(LevelPart::A);
    const CsrMatrix<double, Host> P = part(LevelPart::P);
    const CsrMatrix<double, Host> R = part(LevelPart::R);
    steps.push_back(
        {.coarse_rows = static_cast<double>(P.cols),
         .P_nnz = static_cast<double>(P.nnz()),
         .AP_nnz = estimate_product_entries(ctx, A, P),
         .coarse_nnz = static_cast<double>(levels[l + 1].nnz),
         .stored = stored_bytes(ctx, A, storage, value_bytes),
         .stored_P_and_R = stored_bytes(ctx, P, storage, value_bytes) + stored_bytes(ctx, R, storage, value_bytes),
         .smoothing = static_cast<double>(levels[l].smoothing_entries)});
  }
  return steps;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                     \
  template StepSizes measure_products(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&, Index);             \
  template StepSizes measure_step(Context<S>&, const CsrMatrix<T, S>&, MultiVectorView<const T, S>, const AmgOptions&, \
                                  double);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)
template void measure_patterns(Context<Host>&, const CsrMatrix<float, Host>&, SystemSize&);
template void measure_patterns(Context<Host>&, const CsrMatrix<double, Host>&, SystemSize&);

}  // namespace amgsolve
