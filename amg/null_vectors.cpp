#include "amg/null_vectors.hpp"

#include <utility>
#include <vector>

#include "amg/candidate_images.hpp"
#include "amg/gmres.hpp"
#include "amg/iterative_method.hpp"
#include "amg/multigrid_preconditioner.hpp"
#include "core/errors.hpp"
#include "core/instantiate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {
namespace {

constexpr int most_iterations = 200;

/// Of Y in W.
constexpr double least_part = 1e-3;

template <class T, MemorySpace S>
bool are_null_vectors(Context<S>& ctx, const Operator<T, S>& A, MultiVectorView<const T, S> Y,
                      MultiVectorView<const T, S> W) {
  const CandidateImages<T, S> of(ctx, A, Y);
  const std::vector<double> images = norms<double>(ctx, of.images);
  const std::vector<double> magnitudes = norms<T>(ctx, of.magnitudes);
  const std::vector<double> lengths = norms<T>(ctx, Y);
  const std::vector<double> whole = norms<T>(ctx, W);
  for (std::size_t j = 0; j < images.size(); ++j) {
    if (!(images[j] <= most_defect<T> * magnitudes[j] && lengths[j] >= least_part * whole[j])) {
      return false;
    }
  }
  return true;
}

}  // namespace

template <class T, MemorySpace S>
MultiVector<T, S> find_null_vectors(Context<S>& ctx, CsrMatrix<T, S> A, MultiVectorView<const T, S> W,
                                    const AmgOptions& amg) {
  Buffer<T, S> scales(ctx, static_cast<std::size_t>(A.rows));
  const RowMagnitudes magnitudes = scale_by_rows<T>(ctx, A, scales);
  const auto preconditioner =
      make_multigrid_preconditioner<T>(ctx, std::move(A), magnitudes, W, W.columns, amg, Reuse::none);
  const Operator<T, S>& matrix = preconditioner->matrix();
  MultiVector<T, S> image(ctx, W.rows, W.columns);
  MultiVector<T, S> Z(ctx, W.rows, W.columns);
  matrix.apply(ctx, T{1}, W, T{0}, image);
  fill<T>(ctx, T{0}, Z);
  SolverOptions options;
  options.max_iterations = most_iterations;
  options.tolerance = 0.01 * most_defect<T>;
  Gmres<T, S> method(ctx, matrix, *preconditioner, W.columns, options.restart, true);
  if (iterate<T, S>(ctx, matrix, method, std::as_const(image), Z, options).reason == StopReason::interrupted) {
    throw InterruptedError(ctx.profile().current_path());
  }
  axpby<T>(ctx, T{1}, W, T{-1}, Z);
  const bool is_found = are_null_vectors<T, S>(ctx, matrix, std::as_const(Z), W);
  return is_found ? std::move(Z) : MultiVector<T, S>();
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                        \
  template MultiVector<T, S> find_null_vectors(Context<S>&, CsrMatrix<T, S>, MultiVectorView<const T, S>, \
                                               const AmgOptions&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
