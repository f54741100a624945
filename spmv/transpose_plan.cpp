#include "spmv/transpose_plan.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "core/copy.hpp"
#include "spmv/transpose_steps.hpp"

namespace amgsolve {
namespace {

template <class T, MemorySpace S>
void expect_pattern(const char* name, const CsrMatrix<T, S>& A, Index rows, Index cols, std::size_t nnz) {
  if (A.rows != rows || A.cols != cols || A.values.size() != nnz || A.col_indices.size() != nnz) {
    throw std::invalid_argument(
        fmt::format("planned transpose: {} is {} x {} with {} entries, but was planned as {} x {} with {}", name,
                    A.rows, A.cols, A.nnz(), rows, cols, nnz));
  }
}

}  // namespace

template <class T, MemorySpace S>
TransposePlan<T, S>::TransposePlan(Context<S>& ctx, const CsrMatrix<T, S>& A)
    : rows_(A.cols),
      cols_(A.rows),
      row_offsets_(ctx, static_cast<std::size_t>(A.cols) + 1),
      col_indices_(ctx, A.col_indices.size()),
      places_(ctx, A.col_indices.size()) {
  detail::find_transpose(ctx, A, row_offsets_.span(), col_indices_.span(), places_.span());
}

template <class T, MemorySpace S>
CsrMatrix<T, S> TransposePlan<T, S>::transpose(Context<S>& ctx, const CsrMatrix<T, S>& A) const {
  CsrMatrix<T, S> At(ctx, rows_, cols_, static_cast<Offset>(col_indices_.size()));
  copy(ctx, row_offsets_.span(), At.row_offsets.span());
  copy(ctx, col_indices_.span(), At.col_indices.span());
  update(ctx, A, At);
  return At;
}

template <class T, MemorySpace S>
void TransposePlan<T, S>::update(Context<S>& ctx, const CsrMatrix<T, S>& A, CsrMatrix<T, S>& At) const {
  expect_pattern("A", A, cols_, rows_, places_.size());
  expect_pattern("the transpose of A", At, rows_, cols_, places_.size());
  detail::gather_values<T>(ctx, A, col_indices_.span(), places_.span(), At.values.span());
  ctx.profile().add({static_cast<std::int64_t>(col_indices_.bytes() + places_.bytes() + A.row_offsets.bytes() +
                                               A.values.bytes() + At.values.bytes()),
                     0});
}

template class TransposePlan<float, Host>;
template class TransposePlan<double, Host>;
#if AMGSOLVE_HAVE_CUDA
template class TransposePlan<float, Cuda>;
template class TransposePlan<double, Cuda>;
#endif

}  // namespace amgsolve
