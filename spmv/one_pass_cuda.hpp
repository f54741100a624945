#pragma once

#include <algorithm>

#include "core/copy.hpp"
#include "spmv/counted_rows.hpp"

/// Matrices that are formed and written row by row in one pass, products above all, without counting entries first: the
/// host guesses how many entries there are, each block of threads forms a tile of consecutive rows on chip, finds out
/// where it begins by a look-back scan, and writes it.
namespace amgsolve {

/// What a pass found.
struct OnePassStatus {
  Offset nnz = 0;
  Offset products = 0;
  Offset unfit_rows = 0;  ///< rows for which the kernel had no room; their entries are missing
};

/// Where a pass writes. Entries from `capacity` on are counted but not written.
template <class T>
struct OnePassTarget {
  Offset* row_offsets;
  Index* col_indices;
  T* values;
  Offset capacity;
  unsigned long long* tile_states;  ///< of a TileScan
  unsigned int* ticket;
  OnePassStatus* status;
};

template <class T>
struct OnePassResult {
  CsrMatrix<T, Cuda> matrix;
  Offset products = 0;    ///< that the pass says it summed
  Offset unfit_rows = 0;  ///< where this is not 0, the matrix is not complete
};

/// Calls run(target), which launches the pass in tiles of `tile_rows`, with room for `capacity` entries, and once more
/// with the room needed where that was too little. The result keeps the memory of the guess. Synchronises.
/// @param margins  beside the entries
template <class T, class Run>
OnePassResult<T> form_in_one_pass(Context<Cuda>& ctx, Index rows, Index cols, Index tile_rows, Offset capacity,
                                  const RowMargins& margins, const Run& run) {
  OnePassResult<T> result{uncounted_matrix<T>(ctx, rows, cols)};
  CsrMatrix<T, Cuda>& C = result.matrix;
  if (rows == 0) {
    set_zero(ctx, C.row_offsets.span());
    return result;
  }
  WorkspaceScope<Cuda> scope(ctx.workspace());
  const auto tiles = static_cast<std::size_t>((std::int64_t{rows} + tile_rows - 1) / tile_rows);
  // The status, the ticket and the states, zeroed together.
  constexpr std::size_t head = (sizeof(OnePassStatus) + sizeof(unsigned long long)) / sizeof(unsigned long long);
  const auto words = scope.take<unsigned long long>(head + tiles);
  auto* const status = reinterpret_cast<OnePassStatus*>(words.data());
  for (;;) {
    allocate_entries(ctx, C, capacity, margins);
    set_zero(ctx, words);
    run(OnePassTarget<T>{C.row_offsets.data(), C.col_indices.data(), C.values.data(), capacity, words.data() + head,
                         reinterpret_cast<unsigned int*>(status + 1), status});
    const OnePassStatus found = element(ctx, Span<const OnePassStatus, Cuda>(status, 1), 0);
    if (found.nnz <= capacity || found.unfit_rows > 0) {
      C.col_indices.truncate(static_cast<std::size_t>(std::min(found.nnz, capacity)));
      C.values.truncate(static_cast<std::size_t>(std::min(found.nnz, capacity)));
      result.products = found.products;
      result.unfit_rows = found.unfit_rows;
      return result;
    }
    C.col_indices = {};
    C.values = {};
    capacity = found.nnz;
  }
}

}  // namespace amgsolve
