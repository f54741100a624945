#pragma once

#include "core/context.hpp"
#include "spmv/multi_vector.hpp"
#include "spmv/operator.hpp"

namespace amgsolve {

/// A B for candidates B, and |A| |B|, which its size is relative to.
template <class T, MemorySpace S>
struct CandidateImages {
  CandidateImages(Context<S>& ctx, const Operator<T, S>& A, MultiVectorView<const T, S> candidates);

  MultiVector<double, S> images;
  MultiVector<T, S> magnitudes;
};

}  // namespace amgsolve
