#include "amg/candidate_images.hpp"

#include <utility>

#include "core/instantiate.hpp"
#include "spmv/blas1.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
CandidateImages<T, S>::CandidateImages(Context<S>& ctx, const Operator<T, S>& A, MultiVectorView<const T, S> candidates)
    : images(ctx, A.rows(), candidates.columns), magnitudes(ctx, A.rows(), candidates.columns) {
  MultiVector<T, S> zero(ctx, A.rows(), candidates.columns);
  fill<T>(ctx, T{0}, zero);
  A.judged_residual(ctx, std::as_const(zero), candidates, images, magnitudes);
}

#define AMGSOLVE_INSTANTIATE(T, S) template struct CandidateImages<T, S>;
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
