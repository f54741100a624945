#include "amg/candidate_images.hpp"

#include <utility>

#include "core/collectively.hpp"
#include "core/instantiate.hpp"
#include "spmv/blas1.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
CandidateImages<T, S>::CandidateImages(Context<S>& ctx, Index rows, Index columns)
    : images(ctx, rows, columns), magnitudes(ctx, rows, columns), zero_(ctx, rows, columns) {}

template <class T, MemorySpace S>
CandidateImages<T, S>::CandidateImages(Context<S>& ctx, const Operator<T, S>& A, MultiVectorView<const T, S> candidates)
    : CandidateImages(ctx, A.rows(), candidates.columns) {
  form(ctx, A, candidates);
}

template <class T, MemorySpace S>
CandidateImages<T, S> CandidateImages<T, S>::of_shared(Context<S>& ctx, const Operator<T, S>& A,
                                                       MultiVectorView<const T, S> candidates) {
  CandidateImages result =
      collectively(ctx.communicator(), [&] { return CandidateImages(ctx, A.rows(), candidates.columns); });
  result.form(ctx, A, candidates);
  return result;
}

template <class T, MemorySpace S>
void CandidateImages<T, S>::form(Context<S>& ctx, const Operator<T, S>& A, MultiVectorView<const T, S> candidates) {
  fill<T>(ctx, T{0}, zero_);
  A.judged_residual(ctx, std::as_const(zero_), candidates, images, magnitudes);
  zero_ = {};
}

#define AMGSOLVE_INSTANTIATE(T, S) template struct CandidateImages<T, S>;
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
