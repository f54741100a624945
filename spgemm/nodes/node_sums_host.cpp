#include <algorithm>
#include <array>

#include "core/instantiate.hpp"
#include "core/parallel_host.hpp"
#include "spgemm/nodes/node_sums.hpp"
#include "spmv/csr_ref.hpp"

namespace amgsolve {
namespace {

/// Rows of nodes that a thread forms before it takes others.
constexpr std::int64_t nodes_at_a_time = 16;

/// The rows of C that belong to a node.
/// @param places  scratch for all nodes of the columns: where C's row has the block of each
template <class T, int Columns>
void sum_row_of_nodes(const NodeSizes& nodes, const MatrixOfNodes<T, Host>& A, const MatrixOfNodes<T, Host>& B,
                      const NodePattern<Host>& C, std::int64_t node, Index* places, T* values) {
  const CsrRef<float> a = ref_of(A.pattern);
  const CsrRef<float> b = ref_of(B.pattern);
  const CsrRef<float> c = ref_of(C);
  const Offset c_begin = c.row_offsets[node];
  const Offset c_length = (c.row_offsets[node + 1] - c_begin) * Columns;
  T* const sums = values + c_begin * nodes.rows * Columns;
  std::fill_n(sums, c_length * nodes.rows, T{0});
  for (Offset k = c_begin; k < c.row_offsets[node + 1]; ++k) {
    places[c.col_indices[k]] = static_cast<Index>(k - c_begin) * Columns;
  }
  const Offset a_begin = a.row_offsets[node];
  const Offset a_length = (a.row_offsets[node + 1] - a_begin) * nodes.inner;
  const T* const a_values = A.A.values.data() + a_begin * nodes.rows * nodes.inner;
  for (Offset k = a_begin; k < a.row_offsets[node + 1]; ++k) {
    const Index inner_node = a.col_indices[k];
    const Offset b_begin = b.row_offsets[inner_node];
    const Offset b_blocks = b.row_offsets[inner_node + 1] - b_begin;
    const T* const b_values = B.A.values.data() + b_begin * nodes.inner * Columns;
    for (Offset block = 0; block < b_blocks; ++block) {
      const Index place = places[b.col_indices[b_begin + block]];
      for (Index i = 0; i < nodes.rows; ++i) {
        T* const target = sums + i * c_length + place;
        const T* const scales = a_values + i * a_length + (k - a_begin) * nodes.inner;
        std::array<T, std::size_t{Columns}> sum;
        std::copy_n(target, Columns, sum.begin());
        for (Index inner = 0; inner < nodes.inner; ++inner) {
          const T* const row = b_values + (inner * b_blocks + block) * Columns;
          for (std::size_t column = 0; column < sum.size(); ++column) {
            sum[column] += scales[inner] * row[column];
          }
        }
        std::copy_n(sum.begin(), Columns, target);
      }
    }
  }
}

}  // namespace

template <class T>
void sum_by_nodes(Context<Host>& ctx, const NodeSizes& nodes, const MatrixOfNodes<T, Host>& A,
                  const MatrixOfNodes<T, Host>& B, const NodePattern<Host>& C, Span<T, Host> values) {
  WorkspaceScope<Host> scope(ctx.workspace());
  const auto cols = static_cast<std::size_t>(C.cols);
  const auto places = scope.take<Index>(cols * static_cast<std::size_t>(ctx.threads()));
  with_unknowns(nodes.columns, [&](auto columns) {
    parallel_blocks(ctx, (C.rows + nodes_at_a_time - 1) / nodes_at_a_time, [&](std::int64_t piece) {
      Index* const own_places = places.data() + thread_number(ctx) * cols;
      const std::int64_t end = std::min<std::int64_t>((piece + 1) * nodes_at_a_time, C.rows);
      for (std::int64_t node = piece * nodes_at_a_time; node < end; ++node) {
        sum_row_of_nodes<T, columns()>(nodes, A, B, C, node, own_places, values.data());
      }
    });
  });
}

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE_NODE_SUMS, Host)

}  // namespace amgsolve
