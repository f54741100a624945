#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "spmv/stored_diagonal_rows.hpp"
#include "spmv/stored_matrix.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/spaces.hpp"

/// The worked example of docs/extending.md: a storage of one's own. Rows have one entry at most, as in an aggregation
/// without smoothing.
namespace amgsolve {

template <class T, MemorySpace S>
struct SingleEntryMatrix {
  Index rows;
  Index cols;
  Offset entries;
  Buffer<Index, S> col_indices;
  Buffer<T, S> values;

  SingleEntryMatrix(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<const Index, S> slice_widths)
      : SingleEntryMatrix(ctx, A.rows, A.cols, A.nnz()) {
    EXPECT_LE(sum_and_max(ctx, slice_widths).max, 1);
  }
  SingleEntryMatrix(Context<S>& ctx, Index rows_, Index cols_, Offset entries_)
      : rows(rows_),
        cols(cols_),
        entries(entries_),
        col_indices(ctx, static_cast<std::size_t>(rows_)),
        values(ctx, static_cast<std::size_t>(rows_)) {}

  Offset nnz() const { return entries; }
  std::size_t bytes() const { return col_indices.bytes() + values.bytes(); }
};

template <class T>
struct SingleEntryRef {
  static constexpr bool has_padding = true;
  static constexpr Index block_rows = 64;

  Index rows;
  const Index* col_indices;
  const T* values;

  AMGSOLVE_HOST_DEVICE ListedEntries row(Offset i) const { return {room(i), col_indices}; }
  AMGSOLVE_HOST_DEVICE RowEntries room(Offset i) const { return {i, rows, 1}; }
  Offset rooms() const { return rows; }
};

template <class T, MemorySpace S>
SingleEntryRef<T> ref_of(const SingleEntryMatrix<T, S>& A) {
  return {A.rows, A.col_indices.data(), A.values.data()};
}

template <class T, MemorySpace S>
SingleEntryMatrix<T, Host> download(Context<S>& ctx, Context<Host>& host, const SingleEntryMatrix<T, S>& A) {
  SingleEntryMatrix<T, Host> B(host, A.rows, A.cols, A.nnz());
  download(ctx, A.col_indices.span(), B.col_indices.span());
  download(ctx, A.values.span(), B.values.span());
  return B;
}

/// A is stored, multiplied by, asked for its diagonal, given new values and read back.
template <MemorySpace S>
void expect_operations_of_single_entries() {
  Context<Host> host(2);
  Context<S> ctx;
  auto A = reference::matrix_from_entries<double>(host, 300, 9, {{0, 3, 2.0}, {7, 7, -1.0}, {299, 0, 5.0}});
  auto stored = store<SingleEntryMatrix<double, S>>(ctx, amgsolve::upload(ctx, A));
  EXPECT_TRUE(reference::identical(to_csr<double>(host, download(ctx, host, stored)), A));

  MultiVector<double, S> d(ctx, 300);
  detail::stored_diagonal(ctx, ref_of(stored), 0, d.view().span());
  EXPECT_EQ(reference::download(ctx, d)[7], -1.0);
  EXPECT_EQ(reference::download(ctx, d)[0], 0.0);

  for (double& value : A.values.span()) {
    value *= 2.0;
  }
  const auto twice = amgsolve::upload(ctx, A);
  detail::store_entries(ctx, ref_of(twice), ref_of(stored), Span<Index, S>(), stored.values.span());
  const auto x = reference::random_values<double>(18, 1);
  const MultiVector<double, S> X = reference::upload(ctx, x, 2);
  MultiVector<double, S> Y(ctx, 300, 2);
  detail::multiply_rows(ctx, ref_of(stored), X.view(), 1, detail::MultiplyAdd<double>{1.0, 0.0, Y.view().data});
  std::vector<double> expected(600);
  for (std::size_t j = 0; j < 2; ++j) {
    expected[j] = 4.0 * x[6 + j];
    expected[14 + j] = -2.0 * x[14 + j];
    expected[598 + j] = 10.0 * x[j];
  }
  EXPECT_EQ(reference::download(ctx, Y), expected);
}

}  // namespace amgsolve
