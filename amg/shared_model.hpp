#pragma once

#include <utility>

#include "amg/diagonal.hpp"
#include "amg/fixed_unknowns.hpp"
#include "amg/options.hpp"
#include "amg/row_balance.hpp"
#include "core/collectively.hpp"
#include "core/timer.hpp"
#include "dist/halo.hpp"
#include "dist/node_layout.hpp"
#include "dist/transpose.hpp"
#include "spmv/conversions.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {

/// The Model of a level whose rows ranks share. Collective.
template <class T, MemorySpace S>
struct SharedModel {
  /// @param A              stays in use; its window becomes that of the model
  /// @param diagonal_of_A  of the own rows, as candidates
  SharedModel(Context<S>& ctx, NodeStrip<T, S>& A, Span<const T, S> diagonal_of_A,
              MultiVectorView<const T, S> candidates, Index unknowns_a_node, int level, MatrixKind kind)
      : diagonal(diagonal_of_A) {
    if (kind != MatrixKind::general) {
      matrix = {{borrow(A.unknowns.A), A.unknowns.layout}, A.nodes};
      return;
    }
    ScopedTimer timer(ctx, "symmetric part", level);
    const auto before = A.unknowns.layout;
    NodeStrip<T, S> rest = {{without_fixed_columns(ctx, A.unknowns.A, before.get()), before}, A.nodes};
    const bool has_rest = ctx.communicator().max(rest.unknowns.A.rows) > 0;  // a rank may have no rows
    NodeStrip<T, S>& coupled = has_rest ? rest : A;
    NodeStrip<T, S> At = with_whole_nodes(ctx, transpose(ctx, coupled.unknowns, before->partition()), unknowns_a_node);
    join_windows(ctx, coupled, At, unknowns_a_node);
    const std::shared_ptr<const Layout<S>>& layout = coupled.unknowns.layout;
    if (has_rest && layout != before) {
      move_to_window(ctx, A.unknowns, layout);
      A.nodes = coupled.nodes;
    }
    Buffer<T, S> scales_of_window;
    if (balances_rows(unknowns_a_node, candidates.columns)) {
      row_scales = balancing_scales(ctx, coupled.unknowns.A, At.unknowns.A, candidates.span(), layout.get());
      are_scaled = ctx.communicator().max(static_cast<std::int64_t>(row_scales.size())) > 0;  // a rank may have no rows
    }
    if (are_scaled) {
      scales_of_window = window_of<T, S>(ctx, *layout, std::as_const(row_scales).span());
    }
    collectively(ctx.communicator(), [&] {
      matrix = {
          {balanced_sum<T, S>(ctx, coupled.unknowns.A, std::move(At.unknowns.A), row_scales, scales_of_window), layout},
          A.nodes};
      own_diagonal = diagonal_of(ctx, matrix.unknowns.A, layout->first_own());
    });
    diagonal = std::as_const(own_diagonal).span();
  }

  NodeStrip<T, S> matrix;
  Buffer<T, S> own_diagonal;
  Span<const T, S> diagonal;
  Buffer<T, S> row_scales;  ///< of the own rows, see Model
  bool are_scaled = false;  ///< on any rank
};

}  // namespace amgsolve
