#pragma once

#include <cmath>
#include <vector>

#include "amg/raised_diagonal.hpp"
#include "core/instantiate.hpp"
#include "core/search.hpp"
#include "spmv/blas1.hpp"
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

/// |a_ii|, and Σ_{j≠i} |a_ij| √(w_i / w_j).
template <class T>
struct RowSums {
  T own = 0;
  T others = 0;

  /// What takes the place of a_ii.
  AMGSOLVE_HOST_DEVICE T raised() const {
    return own < others ? others + static_cast<T>(definite_part) * (others - own) : own;
  }
  /// The part of it that was added.
  AMGSOLVE_HOST_DEVICE T added() const { return own < others ? (raised() - own) / raised() : T{0}; }
};

/// @param roots  √w, or null for w = 1
template <class T>
AMGSOLVE_HOST_DEVICE RowSums<T> row_sums(const CsrRef<T>& A, std::int64_t i, const T* roots) {
  RowSums<T> sums;
  for (Offset k = A.row_offsets[i]; k < A.row_offsets[i + 1]; ++k) {
    const Index j = A.col_indices[k];
    const T magnitude = std::fabs(A.values[k]);
    if (j == static_cast<Index>(i)) {
      sums.own += magnitude;
    } else {
      sums.others += roots == nullptr ? magnitude : magnitude * (roots[i] / roots[j]);
    }
  }
  return sums;
}

}  // namespace detail

template <class T, MemorySpace S>
CsrMatrix<T, S> raised_diagonal(Context<S>& ctx, const CsrMatrix<T, S>& A) {
  const CsrRef<T> a = ref_of(A);
  CsrMatrix<T, S> result = uncounted_matrix<T>(ctx, A.rows, A.cols);
  Offset* const counts = row_counts(result).data();
  WorkspaceScope<S> scope(ctx.workspace());
  T* const roots = scope.template take<T>(static_cast<std::size_t>(A.rows)).data();
  // By w = 1, then by the other weights.
  const MultiVectorView<T, S> added = MultiVector<T, S>::scratch(scope, A.rows, 2);
  T* const added_values = added.data;
  parallel_for(ctx, A.rows, [a, counts, roots, added_values] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    counts[i] = a.row_offsets[i + 1] - a.row_offsets[i] + detail::lacking_at(a, i, detail::diagonal_place(a, i));
    const detail::RowSums<T> sums = detail::row_sums<T>(a, i, nullptr);
    const T weight = sums.own > T{0} ? sums.own : sums.others;
    roots[i] = weight > T{0} ? std::sqrt(weight) : T{1};
    added_values[2 * i] = sums.added();
  });
  allocate_entries(ctx, result);
  parallel_for(ctx, A.rows, [a, roots, added_values] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    added_values[2 * i + 1] = detail::row_sums<T>(a, i, roots).added();
  });
  const std::vector<double> parts = norms<T>(ctx, added);
  const T* const chosen = 2.0 * parts[1] < parts[0] ? roots : nullptr;
  const Offset* const offsets = result.row_offsets.data();
  Index* const cols = result.col_indices.data();
  T* const values = result.values.data();
  parallel_for(ctx, A.rows, [a, chosen, offsets, cols, values] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    const Offset begin = a.row_offsets[i];
    const Offset place = detail::diagonal_place(a, i);
    const Offset lacking = detail::lacking_at(a, i, place);
    for (Offset k = begin; k < a.row_offsets[i + 1]; ++k) {
      const Offset to = offsets[i] + (k - begin) + (k < place ? 0 : lacking);
      cols[to] = a.col_indices[k];
      values[to] = a.values[k];
    }
    const Offset diagonal = offsets[i] + (place - begin);
    cols[diagonal] = static_cast<Index>(i);
    values[diagonal] = detail::row_sums(a, i, chosen).raised();
  });
  return result;
}

#define AMGSOLVE_INSTANTIATE(T, S) template CsrMatrix<T, S> raised_diagonal(Context<S>&, const CsrMatrix<T, S>&);

}  // namespace amgsolve
