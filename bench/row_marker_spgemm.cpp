#include "bench/row_marker_spgemm.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace amgsolve::bench {
namespace {

template <class T>
void sort_row(Index* cols, T* values, Offset length) {
  for (Offset i = 1; i < length; ++i) {
    const Index col = cols[i];
    const T value = values[i];
    Offset place = i;
    for (; place > 0 && cols[place - 1] > col; --place) {
      cols[place] = cols[place - 1];
      values[place] = values[place - 1];
    }
    cols[place] = col;
    values[place] = value;
  }
}

/// Calls visit(column, k, m) for the products a_ik b_km of row i.
template <class T, class Visit>
void for_each_product(const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B, Index i, const Visit& visit) {
  const Offset* a_offsets = A.row_offsets.data();
  const Offset* b_offsets = B.row_offsets.data();
  const Index* a_cols = A.col_indices.data();
  const Index* b_cols = B.col_indices.data();
  for (Offset k = a_offsets[i]; k < a_offsets[i + 1]; ++k) {
    for (Offset m = b_offsets[a_cols[k]]; m < b_offsets[a_cols[k] + 1]; ++m) {
      visit(b_cols[m], k, m);
    }
  }
}

template <class T>
void multiply(int threads, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B) {
  const auto rows = static_cast<std::size_t>(A.rows);
  // As AMGCL does: memory that is not touched before the threads that work on it do so.
  const auto offsets = std::make_unique_for_overwrite<Offset[]>(rows + 1);
  offsets[0] = 0;
#pragma omp parallel num_threads(threads)
  {
    std::vector<std::ptrdiff_t> marker(static_cast<std::size_t>(B.cols), -1);
#pragma omp for schedule(static)
    for (Index i = 0; i < A.rows; ++i) {
      Offset entries = 0;
      for_each_product(A, B, i, [&](Index col, Offset, Offset) {
        if (marker[static_cast<std::size_t>(col)] != i) {
          marker[static_cast<std::size_t>(col)] = i;
          ++entries;
        }
      });
      offsets[static_cast<std::size_t>(i) + 1] = entries;
    }
  }
  for (std::size_t i = 0; i < rows; ++i) {
    offsets[i + 1] += offsets[i];
  }
  const auto nnz = static_cast<std::size_t>(offsets[rows]);
  const auto cols = std::make_unique_for_overwrite<Index[]>(nnz);
  const auto values = std::make_unique_for_overwrite<T[]>(nnz);
#pragma omp parallel num_threads(threads)
  {
    std::vector<std::ptrdiff_t> marker(static_cast<std::size_t>(B.cols), -1);
#pragma omp for schedule(static)
    for (Index i = 0; i < A.rows; ++i) {
      const Offset begin = offsets[static_cast<std::size_t>(i)];
      Offset end = begin;
      for_each_product(A, B, i, [&](Index col, Offset k, Offset m) {
        std::ptrdiff_t& place = marker[static_cast<std::size_t>(col)];
        const T product = A.values.data()[k] * B.values.data()[m];
        if (place < begin) {
          place = end;
          cols[static_cast<std::size_t>(end)] = col;
          values[static_cast<std::size_t>(end)] = product;
          ++end;
        } else {
          values[static_cast<std::size_t>(place)] += product;
        }
      });
      sort_row(cols.get() + begin, values.get() + begin, end - begin);
    }
  }
}

}  // namespace

template <class T>
std::function<void()> row_marker_spgemm(const Context<Host>& ctx, const CsrMatrix<T, Host>& A,
                                        const CsrMatrix<T, Host>& B) {
  return [threads = ctx.threads(), &A, &B] { multiply(threads, A, B); };
}

template std::function<void()> row_marker_spgemm(const Context<Host>&, const CsrMatrix<float, Host>&,
                                                 const CsrMatrix<float, Host>&);
template std::function<void()> row_marker_spgemm(const Context<Host>&, const CsrMatrix<double, Host>&,
                                                 const CsrMatrix<double, Host>&);

}  // namespace amgsolve::bench
