#pragma once

#include "core/context.hpp"
#include "spmv/multi_vector.hpp"
#include "spmv/operator.hpp"

namespace amgsolve {

/// A B for candidates B, and |A| |B|, which its size is relative to.
template <class T, MemorySpace S>
struct CandidateImages {
  CandidateImages(Context<S>& ctx, const Operator<T, S>& A, MultiVectorView<const T, S> candidates);

  /// Of an A that ranks may share: takes the memory on all of them or on none. Collective.
  static CandidateImages of_shared(Context<S>& ctx, const Operator<T, S>& A, MultiVectorView<const T, S> candidates);

  MultiVector<double, S> images;
  MultiVector<T, S> magnitudes;

 private:
  CandidateImages(Context<S>& ctx, Index rows, Index columns);

  void form(Context<S>& ctx, const Operator<T, S>& A, MultiVectorView<const T, S> candidates);

  MultiVector<T, S> zero_;  ///< until they are formed
};

}  // namespace amgsolve
