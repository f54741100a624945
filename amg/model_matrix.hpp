#pragma once

#include "amg/diagonal.hpp"
#include "amg/options.hpp"
#include "amg/symmetric_sum.hpp"
#include "core/timer.hpp"
#include "spmv/conversions.hpp"

namespace amgsolve {

/// What strength and the prolongator look at in the place of A, see Coarsening.
template <class T, MemorySpace S>
struct Model {
  Model(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<const T, S> diagonal_of_A, int level, MatrixKind kind)
      : matrix(borrow(A)), diagonal(diagonal_of_A) {
    if (kind == MatrixKind::general) {
      ScopedTimer timer(ctx, "symmetric part", level);
      matrix = symmetric_sum(ctx, A);
      own_diagonal = Buffer<T, S>(ctx, diagonal.size());
      extract_diagonal<T>(ctx, matrix, own_diagonal);
      diagonal = own_diagonal;
    }
  }

  CsrMatrix<T, S> matrix;
  Buffer<T, S> own_diagonal;
  Span<const T, S> diagonal;
};

}  // namespace amgsolve
