#pragma once

#include <cmath>
#include <string>

#include "amg/raised_diagonal.hpp"
#include "core/errors.hpp"
#include "core/instantiate.hpp"
#include "core/search.hpp"
#include "spmv/conversions.hpp"
#include "spmv/csr_ref.hpp"

/// The body of raised_diagonal(), written once for both memory spaces: parallel_for and find_first are those of the
/// context. A row is the work of one thread.
namespace amgsolve {
namespace detail {

/// Where in A row i has its diagonal entry, or would have it.
template <class T>
AMGSOLVE_HOST_DEVICE Offset diagonal_entry(const CsrRef<T>& A, std::int64_t i) {
  return lower_bound(A.col_indices, A.row_offsets[i], A.row_offsets[i + 1], static_cast<Index>(i));
}

}  // namespace detail

template <class T, MemorySpace S>
CsrMatrix<T, S> raised_diagonal(Context<S>& ctx, const CsrMatrix<T, S>& A) {
  CsrMatrix<T, S> result = convert_values<T>(ctx, A);
  const CsrRef<T> a = ref_of(A);
  T* const values = result.values.data();
  const std::int64_t lacking = find_first(ctx, A.rows, [a] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    const Offset k = detail::diagonal_entry(a, i);
    return k == a.row_offsets[i + 1] || a.col_indices[k] != static_cast<Index>(i);
  });
  if (lacking < A.rows) {
    throw InputError("row " + std::to_string(lacking + 1) +
                     " of the matrix has no diagonal entry: store a zero there for 'solver.method' minres, which "
                     "preconditions by a matrix with that entry raised");
  }
  parallel_for(ctx, A.rows, [a, values] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    const Offset diagonal = detail::diagonal_entry(a, i);
    T sum = 0;
    for (Offset k = a.row_offsets[i]; k < a.row_offsets[i + 1]; ++k) {
      sum += k == diagonal ? T{0} : std::fabs(a.values[k]);
    }
    const T own = std::fabs(a.values[diagonal]);
    values[diagonal] = own < sum ? sum : own;
  });
  return result;
}

#define AMGSOLVE_INSTANTIATE(T, S) template CsrMatrix<T, S> raised_diagonal(Context<S>&, const CsrMatrix<T, S>&);

}  // namespace amgsolve
