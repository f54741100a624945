#include "spmv/conversions.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/algorithms.hpp"
#include "core/instantiate.hpp"
#include "spmv/counted_rows.hpp"
#include "spmv/counting_sort_host.hpp"
#include "spmv/csr_ref.hpp"
#include "spmv/parallel_rows_host.hpp"
#include "spmv/shapes.hpp"
#include "spmv/sort_by_column_host.hpp"

namespace amgsolve {
namespace {

// Up to this length an unsorted row is sorted by insertion, which needs no memory and wins on rows of meshes.
constexpr Offset insertion_sort_length = 64;

template <class T>
void check_indices(Context<Host>& ctx, const CooMatrix<T, Host>& A) {
  const Index* rows = A.row_indices.data();
  const Index* cols = A.col_indices.data();
  const auto is_outside = [&](std::int64_t entry) {
    return rows[entry] < 0 || rows[entry] >= A.rows || cols[entry] < 0 || cols[entry] >= A.cols;
  };
  const Offset first = parallel_reduce(
      ctx, A.nnz(), A.nnz(),
      [&](std::int64_t begin, std::int64_t end) {
        while (begin < end && !is_outside(begin)) {
          ++begin;
        }
        return begin < end ? begin : A.nnz();
      },
      [](Offset a, Offset b) { return std::min(a, b); });
  if (first < A.nnz()) {
    throw_entry_outside(first, rows[first], cols[first], shape_of(A));
  }
}

/// CSR with the entries of each row in their order of occurrence, duplicates included.
template <class T>
CsrMatrix<T, Host> group_by_row(Context<Host>& ctx, const CooMatrix<T, Host>& A) {
  CsrMatrix<T, Host> B(ctx, A.rows, A.cols, A.nnz());
  CountingSort by_row(ctx, A.nnz(), A.rows, B.row_offsets.span(),
                      [&](std::int64_t chunk, std::int64_t chunks, const auto& sink) {
                        const Offset end = A.nnz() * (chunk + 1) / chunks;
                        for (Offset entry = A.nnz() * chunk / chunks; entry < end; ++entry) {
                          sink(A.row_indices.data()[entry], entry);
                        }
                      });
  by_row.place(
      ctx, [](Index) { return true; },
      [&](Offset position, Index, Offset entry) {
        B.col_indices.data()[position] = A.col_indices.data()[entry];
        B.values.data()[position] = A.values.data()[entry];
      });
  return B;
}

template <class T>
void insertion_sort(Index* columns, T* values, Offset n) {
  for (Offset i = 1; i < n; ++i) {
    const Index column = columns[i];
    const T value = values[i];
    Offset k = i;
    for (; k > 0 && columns[k - 1] > column; --k) {
      columns[k] = columns[k - 1];
      values[k] = values[k - 1];
    }
    columns[k] = column;
    values[k] = value;
  }
}

/// Sums runs of equal columns of a sorted row into `columns_out`, `values_out`.
template <class T>
void merge_row(const Index* columns, const T* values, Offset n, Index* columns_out, T* values_out) {
  Offset merged = 0;
  for (Offset k = 0; k < n; ++k) {
    if (k > 0 && columns[k] == columns[k - 1]) {
      values_out[merged - 1] += values[k];
    } else {
      columns_out[merged] = columns[k];
      values_out[merged] = values[k];
      ++merged;
    }
  }
}

/// Merges duplicates of a matrix with sorted rows.
template <class T>
CsrMatrix<T, Host> merge_duplicates(Context<Host>& ctx, CsrMatrix<T, Host> A) {
  const Offset* offsets = A.row_offsets.data();
  const Index* columns = A.col_indices.data();
  CsrMatrix<T, Host> merged = uncounted_matrix<T>(ctx, A.rows, A.cols);
  parallel_rows(ctx, A.rows, offsets, [&](Index first, Index last) {
    for (Index row = first; row < last; ++row) {
      Offset unique = 0;
      for (Offset k = offsets[row]; k < offsets[row + 1]; ++k) {
        unique += k == offsets[row] || columns[k] != columns[k - 1];
      }
      merged.row_offsets.data()[row + 1] = unique;
    }
  });
  const Offset nnz = counts_to_offsets(ctx, merged.row_offsets);
  if (nnz == A.nnz()) {
    return A;
  }
  allocate_entries(ctx, merged, nnz, {});
  parallel_rows(ctx, A.rows, offsets, [&](Index first, Index last) {
    for (Index row = first; row < last; ++row) {
      const Offset begin = offsets[row];
      const Offset target = merged.row_offsets.data()[row];
      merge_row(columns + begin, A.values.data() + begin, offsets[row + 1] - begin, merged.col_indices.data() + target,
                merged.values.data() + target);
    }
  });
  return merged;
}

}  // namespace

template <class T>
CsrMatrix<T, Host> coo_to_csr(Context<Host>& ctx, const CooMatrix<T, Host>& A, Offset* duplicates) {
  check_indices(ctx, A);
  CsrMatrix<T, Host> grouped = group_by_row(ctx, A);
  sort_rows(ctx, grouped);
  CsrMatrix<T, Host> merged = merge_duplicates(ctx, std::move(grouped));
  if (duplicates != nullptr) {
    *duplicates = A.nnz() - merged.nnz();
  }
  return merged;
}

template <class T>
CooMatrix<T, Host> csr_to_coo(Context<Host>& ctx, const CsrMatrix<T, Host>& A) {
  CooMatrix<T, Host> B(ctx, A.rows, A.cols, A.nnz());
  parallel_rows(ctx, A.rows, A.row_offsets.data(), [&](Index first, Index last) {
    for (Index row = first; row < last; ++row) {
      std::fill(B.row_indices.data() + A.row_offsets.data()[row], B.row_indices.data() + A.row_offsets.data()[row + 1],
                row);
    }
  });
  parallel_ranges(
      ctx, A.nnz(),
      [&](std::int64_t begin, std::int64_t end) {
        std::copy(A.col_indices.data() + begin, A.col_indices.data() + end, B.col_indices.data() + begin);
        std::copy(A.values.data() + begin, A.values.data() + end, B.values.data() + begin);
      },
      1);
  return B;
}

template <class T>
void sort_rows(Context<Host>& ctx, CsrMatrix<T, Host>& A) {
  const Offset* offsets = A.row_offsets.data();
  Index* columns = A.col_indices.data();
  T* values = A.values.data();
  const auto is_unsorted = [&](std::int64_t row) {
    return !std::is_sorted(columns + offsets[row], columns + offsets[row + 1]);
  };
  parallel_rows(ctx, A.rows, offsets, [&](Index first, Index last) {
    for (Index row = first; row < last; ++row) {
      const Offset length = offsets[row + 1] - offsets[row];
      if (length <= insertion_sort_length) {
        insertion_sort(columns + offsets[row], values + offsets[row], length);
      }
    }
  });
  const bool long_rows_unsorted = parallel_reduce(
      ctx, A.rows, false,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
          if (offsets[row + 1] - offsets[row] > insertion_sort_length && is_unsorted(row)) {
            return true;
          }
        }
        return false;
      },
      [](bool a, bool b) { return a || b; });
  if (long_rows_unsorted) {
    // Two stable counting sorts, by column and by row, take linear time however long a row is.
    const CsrMatrix<T, Host> by_columns = transpose(ctx, A);
    WorkspaceScope<Host> scope(ctx.workspace());
    EntriesByColumn<T, Host>(ctx, by_columns, scope.take<Offset>(A.row_offsets.size()))
        .for_all(ctx,
                 [columns, values, from = by_columns.values.data()](Offset position, Index, Index column, Offset k) {
                   columns[position] = column;
                   values[position] = from[k];
                 });
  }
}

template <class T>
CsrMatrix<T, Host> drop_zeros(Context<Host>& ctx, CsrMatrix<T, Host> A) {
  const CsrRef<T> a = ref_of(A);
  const Offset* offsets = a.row_offsets;
  const Index* columns = a.col_indices;
  const T* values = a.values;
  CsrMatrix<T, Host> kept = uncounted_matrix<T>(ctx, A.rows, A.cols);
  parallel_rows(ctx, A.rows, offsets, [&](Index first, Index last) {
    for (Index row = first; row < last; ++row) {
      const Offset length = offsets[row + 1] - offsets[row];
      kept.row_offsets.data()[row + 1] = length - std::count(values + offsets[row], values + offsets[row + 1], T{0});
    }
  });
  const Offset nnz = counts_to_offsets(ctx, kept.row_offsets);
  if (nnz == A.nnz()) {
    return A;
  }
  allocate_entries(ctx, kept, nnz, {});
  parallel_rows(ctx, A.rows, offsets, [&](Index first, Index last) {
    Offset target = kept.row_offsets.data()[first];
    for (Offset k = offsets[first]; k < offsets[last]; ++k) {
      if (values[k] != T{0}) {
        kept.col_indices.data()[target] = columns[k];
        kept.values.data()[target] = values[k];
        ++target;
      }
    }
  });
  return kept;
}

template <class U, class T>
void detail::convert_list(Context<Host>& ctx, Span<const T, Host> from, double factor, Span<U, Host> to) {
  const T* const source = from.data();
  U* const target = to.data();
  parallel_for(
      ctx, static_cast<std::int64_t>(to.size()),
      [=](std::int64_t k) { target[k] = static_cast<U>(static_cast<double>(source[k]) * factor); }, 1);
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                           \
  template CsrMatrix<T, S> coo_to_csr(Context<S>&, const CooMatrix<T, S>&, Offset*);         \
  template CooMatrix<T, S> csr_to_coo(Context<S>&, const CsrMatrix<T, S>&);                  \
  template void sort_rows(Context<S>&, CsrMatrix<T, S>&);                                    \
  template CsrMatrix<T, S> drop_zeros(Context<S>&, CsrMatrix<T, S>);                         \
  template void detail::convert_list(Context<S>&, Span<const T, S>, double, Span<float, S>); \
  template void detail::convert_list(Context<S>&, Span<const T, S>, double, Span<double, S>);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
