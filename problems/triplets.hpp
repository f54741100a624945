#pragma once

#include "core/context.hpp"
#include "spmv/coo_matrix.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/global_entries.hpp"

/// What a file's triplets need before and after they become a matrix.
namespace amgsolve {

struct MirroredEntries {
  Offset entries = 0;            ///< with the mirror images
  Offset upper_entries = 0;      ///< that stood above the diagonal
  Offset first_upper_entry = 0;  ///< the first of them
};

/// Makes the first `entries` triplets of A, one triangle or a mixture of both, a whole (skew-)symmetric matrix: those
/// above the diagonal move below it and the mirror images of all off the diagonal are appended, for which A has room.
/// Duplicates then stand in the same order on both sides of the diagonal, so that their sums have the same bits.
/// @param sign  1: symmetric, -1: skew-symmetric
/// @tparam M    CooMatrix or GlobalEntries
template <class M, class T>
MirroredEntries mirror_lower_triangle(Context<Host>& ctx, M& A, Offset entries, T sign);

struct DuplicateEntries {
  Offset entries = 0;      ///< whose indices occurred before
  Offset first_entry = 0;  ///< the first of them
};

/// The matrix of triplets; see coo_to_csr().
/// @param duplicates  receives those among the first `entries` triplets, which are looked for where there are any:
///                    sequential, O(entries log(entries of a row))
template <class T>
CsrMatrix<T, Host> assemble(Context<Host>& ctx, const CooMatrix<T, Host>& triplets, Offset entries,
                            DuplicateEntries& duplicates);

/// The triplets [begin, end) of A, in its memory.
/// @tparam M  CooMatrix or GlobalEntries
template <class M>
M entries_between(const M& A, Offset begin, Offset end) {
  const auto part_of = [&]<class V>(const Buffer<V, Host>& of) {
    return Buffer<V, Host>::borrow(
        of.span().subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
  };
  M part;
  part.rows = A.rows;
  part.cols = A.cols;
  part.row_indices = part_of(A.row_indices);
  part.col_indices = part_of(A.col_indices);
  part.values = part_of(A.values);
  return part;
}

}  // namespace amgsolve
