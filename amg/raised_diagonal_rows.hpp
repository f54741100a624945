#pragma once

#include <cmath>

#include "amg/raised_diagonal.hpp"
#include "core/instantiate.hpp"
#include "core/search.hpp"
#include "spmv/counted_rows.hpp"
#include "spmv/csr_ref.hpp"

/// The body of raised_diagonal(), written once for both memory spaces: parallel_for is that of the context. A row is
/// the work of one thread.
namespace amgsolve {
namespace detail {

/// Where in A row i has its diagonal entry, or would have it.
template <class T>
AMGSOLVE_HOST_DEVICE Offset diagonal_place(const CsrRef<T>& A, std::int64_t i) {
  return lower_bound(A.col_indices, A.row_offsets[i], A.row_offsets[i + 1], static_cast<Index>(i));
}

/// The entries that have to be made room for there, none or one.
template <class T>
AMGSOLVE_HOST_DEVICE Offset lacking_at(const CsrRef<T>& A, std::int64_t i, Offset place) {
  return place < A.row_offsets[i + 1] && A.col_indices[place] == static_cast<Index>(i) ? 0 : 1;
}

}  // namespace detail

template <class T, MemorySpace S>
CsrMatrix<T, S> raised_diagonal(Context<S>& ctx, const CsrMatrix<T, S>& A) {
  const CsrRef<T> a = ref_of(A);
  CsrMatrix<T, S> result = uncounted_matrix<T>(ctx, A.rows, A.cols);
  Offset* const counts = row_counts(result).data();
  parallel_for(ctx, A.rows, [a, counts] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    counts[i] = a.row_offsets[i + 1] - a.row_offsets[i] + detail::lacking_at(a, i, detail::diagonal_place(a, i));
  });
  allocate_entries(ctx, result);
  const Offset* const offsets = result.row_offsets.data();
  Index* const cols = result.col_indices.data();
  T* const values = result.values.data();
  parallel_for(ctx, A.rows, [a, offsets, cols, values] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    const Offset begin = a.row_offsets[i];
    const Offset place = detail::diagonal_place(a, i);
    const Offset lacking = detail::lacking_at(a, i, place);
    T sum = 0;
    T own = 0;
    for (Offset k = begin; k < a.row_offsets[i + 1]; ++k) {
      const Offset to = offsets[i] + (k - begin) + (k < place ? 0 : lacking);
      cols[to] = a.col_indices[k];
      values[to] = a.values[k];
      (a.col_indices[k] == static_cast<Index>(i) ? own : sum) += std::fabs(a.values[k]);
    }
    const Offset diagonal = offsets[i] + (place - begin);
    cols[diagonal] = static_cast<Index>(i);
    values[diagonal] = own < sum ? sum + static_cast<T>(definite_part) * (sum - own) : own;
  });
  return result;
}

#define AMGSOLVE_INSTANTIATE(T, S) template CsrMatrix<T, S> raised_diagonal(Context<S>&, const CsrMatrix<T, S>&);

}  // namespace amgsolve
