#include "spmv/transpose_plan.hpp"

#include <stdexcept>

#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "spmv/conversions.hpp"
#include "spmv/transpose_steps.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
TransposePlan<T, S>::TransposePlan(Context<S>& ctx, const CsrMatrix<T, S>& A) : places_(ctx, A.col_indices.size()) {
  pattern_.rows = A.cols;
  pattern_.cols = A.rows;
  pattern_.row_offsets = Buffer<Offset, S>(ctx, static_cast<std::size_t>(A.cols) + 1);
  pattern_.col_indices = Buffer<Index, S>(ctx, A.col_indices.size());
  detail::find_transpose(ctx, A, pattern_.row_offsets.span(), pattern_.col_indices.span(), places_.span());
}

template <class T, MemorySpace S>
CsrMatrix<T, S> TransposePlan<T, S>::transpose(Context<S>& ctx, const CsrMatrix<T, S>& A) const {
  if (A.rows != pattern_.cols || A.cols != pattern_.rows || A.values.size() != places_.size() ||
      A.col_indices.size() != places_.size()) {
    throw std::invalid_argument(
        format_text("planned transpose: A is {} x {} with {} entries, but was planned as {} x {} with {}", A.rows,
                    A.cols, A.nnz(), pattern_.cols, pattern_.rows, places_.size()));
  }
  CsrMatrix<T, S> At = borrow_pattern(ctx, pattern_);
  detail::gather_values<T>(ctx, A, pattern_.col_indices.span(), places_.span(), At.values.span());
  ctx.profile().add({static_cast<std::int64_t>(At.col_indices.bytes() + places_.bytes() + A.row_offsets.bytes() +
                                               A.values.bytes() + At.values.bytes()),
                     0});
  return At;
}

#define AMGSOLVE_INSTANTIATE(T, S) template class TransposePlan<T, S>;
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
