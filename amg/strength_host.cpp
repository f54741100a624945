#include "amg/strength.hpp"

#include <cmath>

#include "core/algorithms.hpp"
#include "core/parallel_host.hpp"

namespace amgsolve {
namespace {

/// Visits the blocks of one row of nodes in ascending order, merging the node's b sorted rows: visit(J, ‖block‖_F²).
template <class T, class Visit>
void for_each_block(const CsrMatrix<T, Host>& A, Index block_size, std::int64_t node, Offset* cursor, Visit&& visit) {
  const auto first_row = static_cast<std::size_t>(node * block_size);
  const auto b = static_cast<std::size_t>(block_size);
  for (std::size_t r = 0; r < b; ++r) {
    cursor[r] = A.row_offsets[first_row + r];
  }
  for (;;) {
    Index block_col = max_index;
    for (std::size_t r = 0; r < b; ++r) {
      if (cursor[r] < A.row_offsets[first_row + r + 1]) {
        block_col = std::min(block_col, A.col_indices[static_cast<std::size_t>(cursor[r])] / block_size);
      }
    }
    if (block_col == max_index) {
      return;
    }
    T norm_squared = 0;
    for (std::size_t r = 0; r < b; ++r) {
      const Offset end = A.row_offsets[first_row + r + 1];
      for (; cursor[r] < end; ++cursor[r]) {
        const auto k = static_cast<std::size_t>(cursor[r]);
        if (A.col_indices[k] / block_size != block_col) {
          break;
        }
        norm_squared += A.values[k] * A.values[k];
      }
    }
    visit(block_col, norm_squared);
  }
}

}  // namespace

template <class T>
CsrMatrix<T, Host> amalgamate(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Index block_size) {
  const Index nodes = A.rows / block_size;
  Buffer<Offset, Host> offsets(ctx, static_cast<std::size_t>(nodes) + 1);
  WorkspaceScope<Host> scope(ctx.workspace());
  // A cursor for each row of the node at work, for each thread.
  const auto cursors =
      scope.take<Offset>(static_cast<std::size_t>(ctx.threads()) * static_cast<std::size_t>(block_size));
  const auto my_cursor = [&] { return cursors.data() + thread_number(ctx) * static_cast<std::size_t>(block_size); };
  parallel_for(ctx, nodes, [&](std::int64_t i) {
    Offset count = 0;
    for_each_block(A, block_size, i, my_cursor(), [&](Index, T) { ++count; });
    offsets[static_cast<std::size_t>(i) + 1] = count;
  });
  const Offset nnz = counts_to_offsets(ctx, offsets);
  CsrMatrix<T, Host> norms;
  norms.rows = norms.cols = nodes;
  norms.row_offsets = std::move(offsets);
  norms.col_indices = Buffer<Index, Host>(ctx, static_cast<std::size_t>(nnz));
  norms.values = Buffer<T, Host>(ctx, static_cast<std::size_t>(nnz));
  parallel_for(ctx, nodes, [&](std::int64_t i) {
    auto k = static_cast<std::size_t>(norms.row_offsets[static_cast<std::size_t>(i)]);
    for_each_block(A, block_size, i, my_cursor(), [&](Index block_col, T norm_squared) {
      norms.col_indices[k] = block_col;
      norms.values[k] = std::sqrt(norm_squared);
      ++k;
    });
  });
  return norms;
}

template <class T>
Graph<Host> strength_graph(Context<Host>& ctx, const CsrMatrix<T, Host>& A,
                           Span<const std::type_identity_t<T>, Host> diagonal, double threshold) {
  const T theta_squared = static_cast<T>(threshold * threshold);
  // Squares instead of square roots: |a_ij|² > θ² |a_ii a_jj|. The product commutes, so the test is as symmetric as A.
  const auto strong = [&](std::size_t i, std::size_t k) {
    const auto j = static_cast<std::size_t>(A.col_indices[k]);
    const T a = A.values[k];
    return j != i && a * a > theta_squared * std::abs(diagonal[i] * diagonal[j]);
  };
  Buffer<Offset, Host> offsets(ctx, static_cast<std::size_t>(A.rows) + 1);
  parallel_for(ctx, A.rows, [&](std::int64_t row) {
    const auto i = static_cast<std::size_t>(row);
    Offset count = 0;
    for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]); ++k) {
      count += strong(i, k) ? 1 : 0;
    }
    offsets[i + 1] = count;
  });
  const Offset edges = counts_to_offsets(ctx, offsets);
  Buffer<Index, Host> neighbours(ctx, static_cast<std::size_t>(edges));
  parallel_for(ctx, A.rows, [&](std::int64_t row) {
    const auto i = static_cast<std::size_t>(row);
    auto next = static_cast<std::size_t>(offsets[i]);
    for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]); ++k) {
      if (strong(i, k)) {
        neighbours[next++] = A.col_indices[k];
      }
    }
  });
  ctx.profile().add({.bytes = static_cast<std::int64_t>(2 * (A.bytes() + diagonal.size() * sizeof(T)) +
                                                        offsets.bytes() + neighbours.bytes()),
                     .flops = 4 * A.nnz()});
  return {A.rows, std::move(offsets), std::move(neighbours)};
}

template CsrMatrix<float, Host> amalgamate(Context<Host>&, const CsrMatrix<float, Host>&, Index);
template CsrMatrix<double, Host> amalgamate(Context<Host>&, const CsrMatrix<double, Host>&, Index);
template Graph<Host> strength_graph(Context<Host>&, const CsrMatrix<float, Host>&, Span<const float, Host>, double);
template Graph<Host> strength_graph(Context<Host>&, const CsrMatrix<double, Host>&, Span<const double, Host>, double);

}  // namespace amgsolve
