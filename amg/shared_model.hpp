#pragma once

#include <utility>

#include "amg/diagonal.hpp"
#include "amg/options.hpp"
#include "amg/symmetric_sum.hpp"
#include "core/collectively.hpp"
#include "core/timer.hpp"
#include "dist/node_layout.hpp"
#include "dist/product.hpp"
#include "spmv/conversions.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {

/// The Model of a level whose rows ranks share. Collective.
template <class T, MemorySpace S>
struct SharedModel {
  /// @param A              stays in use; its window becomes that of the model
  /// @param diagonal_of_A  of the own rows
  SharedModel(Context<S>& ctx, NodeStrip<T, S>& A, Span<const T, S> diagonal_of_A, Index unknowns_a_node, int level,
              MatrixKind kind)
      : diagonal(diagonal_of_A) {
    const Communicator& communicator = ctx.communicator();
    if (kind != MatrixKind::general) {
      matrix = {{borrow(A.unknowns.A), A.unknowns.layout}, A.nodes};
      return;
    }
    ScopedTimer timer(ctx, "symmetric part", level);
    NodeStrip<T, S> transposed =
        with_whole_nodes(ctx, transpose(ctx, A.unknowns, A.unknowns.layout->partition()), unknowns_a_node);
    join_windows(ctx, A, transposed, unknowns_a_node);
    matrix.unknowns.layout = A.unknowns.layout;
    matrix.nodes = A.nodes;
    collectively(communicator, [&] {
      matrix.unknowns.A = sum_of(ctx, A.unknowns.A, transposed.unknowns.A);
      own_diagonal = Buffer<T, S>(ctx, diagonal.size());
      extract_diagonal<T>(ctx, matrix.unknowns.A, matrix.unknowns.layout->first_own(), own_diagonal);
    });
    diagonal = std::as_const(own_diagonal).span();
  }

  NodeStrip<T, S> matrix;
  Buffer<T, S> own_diagonal;
  Span<const T, S> diagonal;
};

}  // namespace amgsolve
