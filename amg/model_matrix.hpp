#pragma once

#include "amg/diagonal.hpp"
#include "amg/fixed_unknowns.hpp"
#include "amg/options.hpp"
#include "amg/row_balance.hpp"
#include "amg/symmetric_sum.hpp"
#include "core/timer.hpp"
#include "spmv/conversions.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve {

/// What strength and the prolongator look at in the place of A, see Coarsening.
template <class T, MemorySpace S>
struct Model {
  /// @param candidates  of the level
  Model(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<const T, S> diagonal_of_A,
        MultiVectorView<const T, S> candidates, Index block_size, int level, MatrixKind kind)
      : matrix(borrow(A)), diagonal(diagonal_of_A) {
    if (kind == MatrixKind::general) {
      ScopedTimer timer(ctx, "symmetric part", level);
      const CsrMatrix<T, S> rest = without_fixed_columns(ctx, A);
      const CsrMatrix<T, S>& coupled = rest.rows > 0 ? rest : A;
      CsrMatrix<T, S> At = transpose(ctx, coupled);
      if (balances_rows(block_size, candidates.columns)) {
        row_scales = balancing_scales(ctx, coupled, At, candidates.span());
      }
      matrix = balanced_sum<T, S>(ctx, coupled, std::move(At), row_scales, row_scales);
      own_diagonal = diagonal_of(ctx, matrix);
      diagonal = own_diagonal;
    }
  }

  CsrMatrix<T, S> matrix;
  Buffer<T, S> own_diagonal;
  Span<const T, S> diagonal;
  Buffer<T, S> row_scales;  ///< of A, see balancing_scales(); none: 1
};

}  // namespace amgsolve
