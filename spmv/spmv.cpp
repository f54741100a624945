#include "spmv/spmv.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/operator.hpp"
#include "spmv/relax_blocks.hpp"
#include "spmv/relax_rows.hpp"
#include "spmv/shapes.hpp"
#include "spmv/spmv_steps.hpp"
#include "spmv/storage_tuning.hpp"
#include "spmv/whole_size.hpp"
#include "spmv/work.hpp"

namespace amgsolve {
namespace {

template <class T, MemorySpace S, class Matrix>
void multiply_add(Context<S>& ctx, T alpha, const Matrix& A, int lanes, MultiVectorView<const T, S> X, T beta,
                  MultiVectorView<T, S> Y) {
  expect_shape("X", shape_of(X), {A.cols, X.columns});
  expect_shape("Y", shape_of(Y), {A.rows, X.columns});
  detail::multiply_rows(ctx, ref_of(A), X, lanes, detail::MultiplyAdd<T>{alpha, beta, Y.data});
  const bool reads_Y = beta != T{0};
  book_product(ctx, A, X, reads_Y ? 2 : 1, false, reads_Y ? 3 : 1);
}

template <class T, MemorySpace S>
void expect_product(const Operator<T, S>& A, MultiVectorView<const T, S> X, MultiVectorView<T, S> Y) {
  expect_shape("X", shape_of(X), {A.cols(), X.columns});
  expect_shape("Y", shape_of(Y), {A.rows(), X.columns});
}

template <class T, class U, MemorySpace S, class Matrix, class Epilogue>
void subtract_product(Context<S>& ctx, const Matrix& A, int lanes, MultiVectorView<const T, S> B,
                      MultiVectorView<const T, S> X, MultiVectorView<U, S> R, const Epilogue& epilogue) {
  expect_shape("X", shape_of(X), {A.cols, X.columns});
  expect_shape("B", shape_of(B), {A.rows, X.columns});
  expect_shape("R", shape_of(R), {A.rows, X.columns});
  detail::multiply_rows(ctx, ref_of(A), X, lanes, epilogue);
  book_product(ctx, A, X, 1, false, 1);
  book_passes<U>(ctx, R.size(), 1, 0);
}

template <class T, MemorySpace S, class Matrix>
void relax(Context<S>& ctx, const Matrix& A, int lanes, Span<const T, S> d, T a, T s, T c,
           MultiVectorView<const T, S> B, MultiVectorView<const T, S> X, MultiVectorView<T, S> X_out, Index first_own) {
  expect_strip(shape_of(A), first_own);
  expect_length("d", d.size(), A.rows);
  expect_shape("X", shape_of(X), {A.cols, X.columns});
  expect_shape("B", shape_of(B), {A.rows, X.columns});
  expect_shape("X_out", shape_of(X_out), {A.rows, X.columns});
  const T* const own = X.data + std::ptrdiff_t{first_own} * X.columns;
  detail::multiply_rows(ctx, ref_of(A), X, lanes, detail::SmoothingStep<T>{a, s, c, d.data(), B.data, own, X_out.data});
  const bool reads_out = c != T{0};
  book_product(ctx, A, X, reads_out ? 3 : 2, true, reads_out ? 7 : 5);
}

template <class T, MemorySpace S, class Matrix>
void relax_sets(Context<S>& ctx, const Matrix& A, int lanes, Span<const T, S> d, Span<const Index, S> rows,
                const std::vector<Offset>& starts, bool backwards, MultiVectorView<const T, S> B,
                MultiVectorView<T, S> X) {
  expect_square(shape_of(A));
  expect_length("d", d.size(), A.rows);
  expect_shape("B", shape_of(B), {A.rows, X.columns});
  expect_shape("X", shape_of(X), {A.rows, X.columns});
  const detail::Relaxation<T> relaxation{d.data(), B.data, X.data, X.columns};
  const std::int64_t row_work = A.nnz() / std::max(A.rows, Index{1}) + 1;
  const std::size_t sets = starts.size() - 1;
  for (std::size_t i = 0; i < sets; ++i) {
    const std::size_t set = backwards ? sets - 1 - i : i;
    const auto first = static_cast<std::size_t>(starts[set]);
    const auto members = rows.subspan(first, static_cast<std::size_t>(starts[set + 1]) - first);
    detail::relax_rows(ctx, ref_of(A), members, row_work, lanes, relaxation);
  }
  book_product<Matrix, T, S>(ctx, A, X, 2, true, 3);
}

template <class T, MemorySpace S, class Matrix>
void relax_in_blocks(Context<S>& ctx, const Matrix& A, Span<const T, S> d, Index block_rows, bool backwards,
                     MultiVectorView<const T, S> B, MultiVectorView<const T, S> X, MultiVectorView<T, S> X_out) {
  expect_square(shape_of(A));
  expect_length("d", d.size(), A.rows);
  expect_shape("B", shape_of(B), {A.rows, X.columns});
  expect_shape("X", shape_of(X), {A.rows, X.columns});
  expect_shape("X_out", shape_of(X_out), {A.rows, X.columns});
  if (block_rows < 1) {
    throw std::invalid_argument(format_text("relaxation in blocks of {} rows", block_rows));
  }
  const std::int64_t row_work = A.nnz() / std::max(A.rows, Index{1}) + 1;
  detail::relax_blocks(
      ctx, ref_of(A), row_work,
      detail::BlockRelaxation<T>{d.data(), B.data, X.data, X_out.data, X.columns, block_rows, backwards});
  book_product(ctx, A, X, 2, true, 3);
}

}  // namespace

template <class T, MemorySpace S>
void spmv(Context<S>& ctx, std::type_identity_t<T> alpha, const CsrMatrix<T, S>& A,
          std::type_identity_t<MultiVectorView<const T, S>> X, std::type_identity_t<T> beta,
          std::type_identity_t<MultiVectorView<T, S>> Y) {
  multiply_add(ctx, alpha, A, tuning::row_lanes(WholeSize{A.rows, A.nnz()}.mean_row_length()), X, beta, Y);
}

template <class T, MemorySpace S>
void Operator<T, S>::apply(Context<S>& ctx, T alpha, MultiVectorView<const T, S> X, T beta,
                           MultiVectorView<T, S> Y) const {
  if (product_) {
    expect_product(*this, X, Y);
    if (alpha == T{1} && beta == T{0}) {
      product_(ctx, X, Y);
      return;
    }
    MultiVector<T, S> AX(ctx, Y.rows, Y.columns);
    product_(ctx, X, AX);
    axpby<T>(ctx, alpha, std::as_const(AX), beta, Y);
    return;
  }
  X = operand(ctx, X);
  std::visit([&](const auto& A) { multiply_add(ctx, alpha, A, lanes_, X, beta, Y); }, A_);
}

template <class T, MemorySpace S>
void Operator<T, S>::residual(Context<S>& ctx, MultiVectorView<const T, S> B, MultiVectorView<const T, S> X,
                              MultiVectorView<T, S> R) const {
  if (product_) {
    expect_product(*this, X, R);
    expect_shape("B", shape_of(B), shape_of(R));
    product_(ctx, X, R);
    axpby<T>(ctx, T{1}, B, T{-1}, R);
    return;
  }
  X = operand(ctx, X);
  const detail::Residual<T> epilogue{B.data, R.data};
  std::visit([&](const auto& A) { subtract_product(ctx, A, lanes_, B, X, R, epilogue); }, A_);
}

template <class T, MemorySpace S>
void Operator<T, S>::judged_residual(Context<S>& ctx, MultiVectorView<const T, S> B, MultiVectorView<const T, S> X,
                                     MultiVectorView<double, S> R, MultiVectorView<T, S> magnitudes) const {
  if (product_) {
    stored().judged_residual(ctx, B, X, R, magnitudes);
    MultiVector<T, S> AX(ctx, B.rows, B.columns);
    product_(ctx, X, AX);
    copy<T, double>(ctx, std::as_const(AX), R);
    MultiVector<double, S> B_in_double(ctx, B.rows, B.columns);
    copy<T, double>(ctx, B, B_in_double);
    axpby<double>(ctx, 1.0, std::as_const(B_in_double), -1.0, R);
    return;
  }
  expect_shape("magnitudes", shape_of(magnitudes), shape_of(R));
  X = operand(ctx, X);
  const detail::JudgedResidual<T> epilogue{B.data, R.data, magnitudes.data};
  std::visit([&](const auto& A) { subtract_product(ctx, A, lanes_, B, X, R, epilogue); }, A_);
  book_passes<T>(ctx, magnitudes.size(), 1, 2);
}

template <class T, MemorySpace S>
void Operator<T, S>::smoothing_step(Context<S>& ctx, Span<const T, S> d, T a, T s, T c, MultiVectorView<const T, S> B,
                                    MultiVectorView<const T, S> X, MultiVectorView<T, S> X_out, Index first_own) const {
  first_own = window_ ? window_->first_own() : first_own;
  X = operand(ctx, X);
  std::visit([&](const auto& A) { relax(ctx, A, lanes_, d, a, s, c, B, X, X_out, first_own); }, A_);
}

template <class T, MemorySpace S>
void Operator<T, S>::relax_in_turn(Context<S>& ctx, Span<const T, S> d, Span<const Index, S> rows,
                                   const std::vector<Offset>& starts, bool backwards, MultiVectorView<const T, S> B,
                                   MultiVectorView<T, S> X) const {
  std::visit([&](const auto& A) { relax_sets(ctx, A, lanes_, d, rows, starts, backwards, B, X); }, A_);
}

template <class T, MemorySpace S>
void Operator<T, S>::relax_blocks(Context<S>& ctx, Span<const T, S> d, Index block_rows, bool backwards,
                                  MultiVectorView<const T, S> B, MultiVectorView<const T, S> X,
                                  MultiVectorView<T, S> X_out) const {
  std::visit([&](const auto& A) { relax_in_blocks(ctx, A, d, block_rows, backwards, B, X, X_out); }, A_);
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                     \
  template void spmv(Context<S>&, T, const CsrMatrix<T, S>&, MultiVectorView<const T, S>, T, MultiVectorView<T, S>);   \
  template void Operator<T, S>::apply(Context<S>&, T, MultiVectorView<const T, S>, T, MultiVectorView<T, S>) const;    \
  template void Operator<T, S>::residual(Context<S>&, MultiVectorView<const T, S>, MultiVectorView<const T, S>,        \
                                         MultiVectorView<T, S>) const;                                                 \
  template void Operator<T, S>::judged_residual(Context<S>&, MultiVectorView<const T, S>, MultiVectorView<const T, S>, \
                                                MultiVectorView<double, S>, MultiVectorView<T, S>) const;              \
  template void Operator<T, S>::relax_in_turn(Context<S>&, Span<const T, S>, Span<const Index, S>,                     \
                                              const std::vector<Offset>&, bool, MultiVectorView<const T, S>,           \
                                              MultiVectorView<T, S>) const;                                            \
  template void Operator<T, S>::relax_blocks(Context<S>&, Span<const T, S>, Index, bool, MultiVectorView<const T, S>,  \
                                             MultiVectorView<const T, S>, MultiVectorView<T, S>) const;                \
  template void Operator<T, S>::smoothing_step(Context<S>&, Span<const T, S>, T, T, T, MultiVectorView<const T, S>,    \
                                               MultiVectorView<const T, S>, MultiVectorView<T, S>, Index) const;

AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
