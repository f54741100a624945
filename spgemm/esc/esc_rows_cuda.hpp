#pragma once

#include "core/compute_capability.hpp"
#include "spgemm/esc/tuning.hpp"
#include "spgemm/rows/row_selection_cuda.hpp"
#include "spmv/csr_ref.hpp"

/// The row classes of the ESC algorithm, each formed by one kernel that expands, sorts and contracts on chip; see
/// esc.hpp.
namespace amgsolve::esc {

/// Where the entries of the rows are left: those of row i from position offsets_i on, and their number in counts_i.
template <class T>
struct RowTarget {
  const Offset* offsets;
  Index* col_indices;
  T* values;
  Offset* counts;
};

/// Forms rows with at most most_four_lane_products products each, or those that eight lanes can.
template <class T>
void form_rows_by_four_lanes(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                             const RowSelection& selection, const RowTarget<T>& target);
template <class T>
void form_rows_by_eight_lanes(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                              const RowSelection& selection, const RowTarget<T>& target);

/// Most products of a row that a warp sorts where B has `cols` columns.
int most_warp_products_of(Index cols);

/// Forms rows with at most `most_products` ≤ most_warp_products_of(B.cols) products each.
template <class T>
void form_rows_by_warps(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                        const RowSelection& selection, int most_products, const RowTarget<T>& target);

/// Most products of a row that a block of such a device sorts where B has `cols` columns.
template <class T>
int most_block_products_of(Index cols, ComputeCapability device);

/// Forms rows with at most `most_products` ≤ most_small_block_products, or most_block_products_of(B.cols), products
/// each.
template <class T>
void form_rows_by_small_blocks(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                               const RowSelection& selection, int most_products, const RowTarget<T>& target);
template <class T>
void form_rows_by_blocks(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                         const RowSelection& selection, int most_products, const RowTarget<T>& target);

/// sizes_i = 0 for the rows selected.
void clear_sizes(Context<Cuda>& ctx, Span<const Index, Cuda> rows, Span<Offset, Cuda> sizes);

/// The last end in (begin, offsets.size() − 1] with offsets_end − offsets_begin ≤ limit; begin + 1 where there is none.
/// Synchronises.
Index slice_end(Context<Cuda>& ctx, Span<const Offset, Cuda> offsets, Index begin, Offset limit);

/// Copies each row from where it was left, position from_i on, to its place in C, which has its row offsets. Rows that
/// have room for none where they come from are left out.
template <class T>
void reorder_rows(Context<Cuda>& ctx, Span<const Offset, Cuda> from, Span<const Index, Cuda> col_indices,
                  Span<const T, Cuda> values, CsrMatrix<T, Cuda>& C);

}  // namespace amgsolve::esc
