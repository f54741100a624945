#pragma once

#include "spmv/storages.hpp"

/// The step of Operator::relax_blocks().
namespace amgsolve::detail {

/// x_out_ij = x_ij + d_i (b_ij − Σ_l a_il y_lj), where y_l is x_out_l as it is by then for rows l of i's block, else
/// x_l.
template <class T>
struct BlockRelaxation {
  const T* d;
  const T* b;
  const T* x;
  T* x_out;
  Index columns;
  Index block_rows;
  bool backwards;

  AMGSOLVE_HOST_DEVICE void operator()(Index row, Index column, T sum) const {
    const Offset position = Offset{row} * columns + column;
    x_out[position] = x[position] + d[row] * (b[position] - sum);
  }
};

/// The rows of one block.
struct RowBlock {
  Index first;
  Index end;

  AMGSOLVE_HOST_DEVICE static RowBlock at(std::int64_t number, Index block_rows, Index rows) {
    const std::int64_t first = number * block_rows;
    return {static_cast<Index>(first), static_cast<Index>(first + block_rows < rows ? first + block_rows : rows)};
  }
  AMGSOLVE_HOST_DEVICE bool has(Index row) const { return row >= first && row < end; }
  /// The row that is relaxed after `step` others.
  AMGSOLVE_HOST_DEVICE Index row(Index step, bool backwards) const { return backwards ? end - 1 - step : first + step; }
};

/// Relaxes all rows of A.
/// @param row_work  entries of a row, on average
template <class Ref, class T>
void relax_blocks(Context<Host>& ctx, const Ref& A, std::int64_t row_work, const BlockRelaxation<T>& relaxation);
template <class Ref, class T>
void relax_blocks(Context<Cuda>& ctx, const Ref& A, std::int64_t row_work, const BlockRelaxation<T>& relaxation);

}  // namespace amgsolve::detail
