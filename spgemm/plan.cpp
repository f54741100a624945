#include "spgemm/plan.hpp"

#include <stdexcept>
#include <utility>

#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "spmv/conversions.hpp"

namespace amgsolve {

const SpgemmOptions& expect_fixed_pattern(const SpgemmOptions& options) {
  if (options.drop_zeros) {
    throw std::invalid_argument("planned product A B: zeros cannot be dropped from a pattern that new values share");
  }
  if (options.input == SpgemmInput::sort) {
    throw std::invalid_argument("planned product A B: the operands must be sorted by the caller, once for all values");
  }
  return options;
}

template <class T, MemorySpace S>
SpgemmPlan<T, S>::SpgemmPlan(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& B,
                             const SpgemmOptions& options)
    : A_(size_of(A)), B_(size_of(B)), pattern_(amgsolve::multiply(ctx, A, B, expect_fixed_pattern(options))) {
  pattern_.values = {};
  schedule_ = plan_schedule(ctx, A, B, pattern_);
}

template <class T, MemorySpace S>
SpgemmPlan<T, S>::SpgemmPlan(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& B,
                             const SpgemmOptions& options, CsrMatrix<T, S>& C)
    : A_(size_of(A)), B_(size_of(B)) {
  expect_fixed_pattern(options);
  schedule_ = plan_schedule(ctx, A, B, C);
  Buffer<T, S> values = std::move(C.values);
  pattern_ = std::move(C);
  C = borrow(pattern_);
  C.values = std::move(values);
}

template <class T, MemorySpace S>
CsrMatrix<T, S> SpgemmPlan<T, S>::multiply(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& B) const {
  CsrMatrix<T, S> C = borrow_pattern(ctx, pattern_);
  update(ctx, A, B, C);
  return C;
}

template <class T, MemorySpace S>
void SpgemmPlan<T, S>::update(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& B,
                              CsrMatrix<T, S>& C) const {
  expect_size("A", A, A_);
  expect_size("B", B, B_);
  expect_size("C", C, size_of(pattern_));
  ScopedTimer timer(ctx, "numeric");
  sum_products(ctx, schedule_, A, B, C);
  ctx.profile().add({static_cast<std::int64_t>(A.bytes() + B.bytes() + C.bytes()), 2 * schedule_.products});
}

template <class T, MemorySpace S>
void SpgemmPlan<T, S>::give_up_columns() {
  if (reads_columns()) {
    throw std::logic_error("planned product A B: the columns of C are read for new values");
  }
  pattern_.col_indices = Buffer<Index, S>::borrow(Span<const Index, S>(nullptr, pattern_.col_indices.size()));
  has_columns_ = false;
}

template <class T, MemorySpace S>
void SpgemmPlan<T, S>::expect_size(const char* name, const CsrMatrix<T, S>& A, const Size& planned) {
  if (A.rows != planned.rows || A.cols != planned.cols || A.col_indices.size() != planned.nnz ||
      A.values.size() != planned.nnz) {
    throw std::invalid_argument(
        format_text("planned product A B: {} is {} x {} with {} entries, but was planned as {} x {} with {}", name,
                    A.rows, A.cols, A.nnz(), planned.rows, planned.cols, planned.nnz));
  }
}

#define AMGSOLVE_INSTANTIATE(T, S) template class SpgemmPlan<T, S>;
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
