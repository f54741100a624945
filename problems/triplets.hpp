#pragma once

#include "core/context.hpp"
#include "spmv/coo_matrix.hpp"
#include "spmv/csr_matrix.hpp"

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
template <class T>
MirroredEntries mirror_lower_triangle(Context<Host>& ctx, CooMatrix<T, Host>& A, Offset entries, T sign);

struct DuplicateEntries {
  Offset entries = 0;      ///< whose indices occurred before
  Offset first_entry = 0;  ///< the first of them
};

/// Duplicates among the first `entries` triplets, whose matrix is A. Sequential, O(entries log(entries of a row)).
template <class T>
DuplicateEntries find_duplicates(const CooMatrix<T, Host>& triplets, Offset entries, const CsrMatrix<T, Host>& A);

/// The first `entries` triplets of A, in its memory.
template <class T>
CooMatrix<T, Host> first_entries(CooMatrix<T, Host>& A, Offset entries);

}  // namespace amgsolve
