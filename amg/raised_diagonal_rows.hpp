#pragma once

#include <cmath>
#include <vector>

#include "amg/raised_diagonal.hpp"
#include "core/collectively.hpp"
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
/// @param diagonal  the column of that
template <class T>
AMGSOLVE_HOST_DEVICE Offset diagonal_place(const CsrRef<T>& A, std::int64_t i, Index diagonal) {
  return lower_bound(A.col_indices, A.row_offsets[i], A.row_offsets[i + 1], diagonal);
}

/// The entries that have to be made room for there, none or one.
template <class T>
AMGSOLVE_HOST_DEVICE Offset lacking_at(const CsrRef<T>& A, std::int64_t i, Index diagonal, Offset place) {
  return place < A.row_offsets[i + 1] && A.col_indices[place] == diagonal ? 0 : 1;
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

/// @param roots  √w of A's columns, or null for w = 1
template <class T>
AMGSOLVE_HOST_DEVICE RowSums<T> row_sums(const CsrRef<T>& A, std::int64_t i, Index diagonal, const T* roots) {
  RowSums<T> sums;
  for (Offset k = A.row_offsets[i]; k < A.row_offsets[i + 1]; ++k) {
    const Index j = A.col_indices[k];
    const T magnitude = std::fabs(A.values[k]);
    if (j == diagonal) {
      sums.own += magnitude;
    } else {
      sums.others += roots == nullptr ? magnitude : magnitude * (roots[diagonal] / roots[j]);
    }
  }
  return sums;
}

}  // namespace detail

template <class T, MemorySpace S>
CsrMatrix<T, S> raised_diagonal(Context<S>& ctx, const CsrMatrix<T, S>& A, OperandWindow<T, S>* window) {
  const Communicator& ranks = window != nullptr ? ctx.communicator() : Communicator::serial();
  const Margins margins = window != nullptr ? window->margins() : Margins{};
  const Index first = margins.below;
  const CsrRef<T> a = ref_of(A);
  CsrMatrix<T, S> result;
  WorkspaceScope<S> scope(ctx.workspace());
  MultiVectorView<T, S> own_roots;
  // By w = 1, then by the other weights.
  MultiVectorView<T, S> added;
  collectively(ranks, [&] {
    result = uncounted_matrix<T>(ctx, A.rows, A.cols);
    own_roots = MultiVector<T, S>::scratch(scope, A.rows, 1, margins);
    added = MultiVector<T, S>::scratch(scope, A.rows, 2);
  });
  Offset* const counts = row_counts(result).data();
  T* const of_rows = own_roots.data;
  T* const added_values = added.data;
  parallel_for(ctx, A.rows, [a, first, counts, of_rows, added_values] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    const Index diagonal = first + static_cast<Index>(i);
    counts[i] = a.row_offsets[i + 1] - a.row_offsets[i] +
                detail::lacking_at(a, i, diagonal, detail::diagonal_place(a, i, diagonal));
    const detail::RowSums<T> sums = detail::row_sums<T>(a, i, diagonal, nullptr);
    const T weight = sums.own > T{0} ? sums.own : sums.others;
    of_rows[i] = weight > T{0} ? std::sqrt(weight) : T{1};
    added_values[2 * i] = sums.added();
  });
  const T* const roots = window != nullptr ? window->complete(ctx, own_roots).data : of_rows;
  collectively(ranks, [&] { allocate_entries(ctx, result); });
  parallel_for(ctx, A.rows, [a, first, roots, added_values] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    added_values[2 * i + 1] = detail::row_sums<T>(a, i, first + static_cast<Index>(i), roots).added();
  });
  const std::vector<double> parts = norms<T>(ctx, added);
  const T* const chosen = 2.0 * parts[1] < parts[0] ? roots : nullptr;
  const Offset* const offsets = result.row_offsets.data();
  Index* const cols = result.col_indices.data();
  T* const values = result.values.data();
  parallel_for(ctx, A.rows, [a, first, chosen, offsets, cols, values] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    const Offset begin = a.row_offsets[i];
    const Index diagonal = first + static_cast<Index>(i);
    const Offset place = detail::diagonal_place(a, i, diagonal);
    const Offset lacking = detail::lacking_at(a, i, diagonal, place);
    for (Offset k = begin; k < a.row_offsets[i + 1]; ++k) {
      const Offset to = offsets[i] + (k - begin) + (k < place ? 0 : lacking);
      cols[to] = a.col_indices[k];
      values[to] = a.values[k];
    }
    const Offset to = offsets[i] + (place - begin);
    cols[to] = diagonal;
    values[to] = detail::row_sums(a, i, diagonal, chosen).raised();
  });
  return result;
}

#define AMGSOLVE_INSTANTIATE(T, S) \
  template CsrMatrix<T, S> raised_diagonal(Context<S>&, const CsrMatrix<T, S>&, OperandWindow<T, S>*);

}  // namespace amgsolve
