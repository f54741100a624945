#include "amg/prolongator.hpp"
#include "amg/row_lanes_cuda.cuh"
#include "core/algorithms.hpp"
#include "core/search_cuda.cuh"
#include "spmv/parallel_entries_cuda.cuh"

namespace amgsolve {
namespace {

constexpr Index none = Aggregates<Cuda>::none;

/// The label of an entry that the filter drops. Other entries have their column's aggregate, or none.
constexpr Index weak = none - 1;

/// Whether x is among the ascending list[first] … list[last − 1].
__device__ bool contains(const Index* list, Offset first, Offset last, Index x) {
  const Offset position = lower_bound(list, first, last, x);
  return position < last && list[position] == x;
}

/// The entries of A renamed: what a row of P is contracted from. The aggregates that it touches are found in ascending
/// order, each as the lowest label above the one before. That needs no room for a list, so rows may have any length.
struct LabelledRows {
  const Offset* row_offsets;
  const Index* labels;
  const Index* of_node;
  Index block_size;

  __device__ Index own_label(std::int64_t row) const { return of_node[row / block_size]; }

  /// The lowest aggregate above `last` that the row touches, its own included; max_index where there is none.
  __device__ Index next(const RowLanes& lanes, std::int64_t row, Index last) const {
    const Index own = own_label(row);
    Index lowest = own > last ? own : max_index;
    for (Offset k = row_offsets[row] + lanes.thread_rank(); k < row_offsets[row + 1]; k += row_lanes) {
      const Index label = labels[k];
      if (label > last && label < lowest) {
        lowest = label;
      }
    }
    return cooperative_groups::reduce(lanes, lowest, cooperative_groups::less<Index>());
  }
};

/// The label of every entry of A.
template <class T>
void label_entries(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const Graph<Cuda>* strong,
                   const Aggregates<Cuda>& aggregates, Index block_size, Index* labels) {
  const Index* col_indices = A.col_indices.data();
  const Index* of_node = aggregates.of_node.data();
  const bool filtered = strong != nullptr;
  const Offset* strong_offsets = filtered ? strong->row_offsets.data() : nullptr;
  const Index* neighbours = filtered ? strong->col_indices.data() : nullptr;
  parallel_entries(ctx, A.rows, A.row_offsets.data(), [=] __device__(std::int64_t row, Offset k) {
    const auto node = static_cast<Index>(row / block_size);
    const Index other = col_indices[k] / block_size;
    const bool kept =
        !filtered || other == node || contains(neighbours, strong_offsets[node], strong_offsets[node + 1], other);
    labels[k] = kept ? of_node[other] : weak;
  });
}

/// The columns of P's rows: k for each aggregate that a row touches.
template <class T>
void fill_columns(Context<Cuda>& ctx, const LabelledRows& labelled, Index k, CsrMatrix<T, Cuda>& P) {
  const Offset* row_offsets = P.row_offsets.data();
  Index* col_indices = P.col_indices.data();
  parallel_rows(ctx, P.rows, [=] __device__(RowLanes lanes, std::int64_t row) {
    Index aggregate = none;
    for (Offset block = row_offsets[row]; block < row_offsets[row + 1]; block += k) {
      aggregate = labelled.next(lanes, row, aggregate);
      for (auto c = static_cast<Index>(lanes.thread_rank()); c < k; c += row_lanes) {
        col_indices[block + c] = aggregate * k + c;
      }
    }
  });
}

}  // namespace

template <class T>
CsrMatrix<T, Cuda> tentative_to_csr(Context<Cuda>& ctx, const Aggregates<Cuda>& aggregates, Index block_size,
                                    const Tentative<T, Cuda>& tentative) {
  const Index k = tentative.basis.columns();
  const Index* of_node = aggregates.of_node.data();
  const T* basis = tentative.basis.data();
  CsrMatrix<T, Cuda> P;
  P.rows = tentative.basis.rows();
  P.cols = tentative.coarse_candidates.rows();
  P.row_offsets = Buffer<Offset, Cuda>(ctx, static_cast<std::size_t>(P.rows) + 1);
  Offset* offsets = P.row_offsets.data();
  parallel_for(ctx, P.rows,
               [=] __device__(std::int64_t row) { offsets[row + 1] = of_node[row / block_size] == none ? 0 : k; });
  const Offset nnz = counts_to_offsets(ctx, P.row_offsets);
  P.col_indices = Buffer<Index, Cuda>(ctx, static_cast<std::size_t>(nnz));
  P.values = Buffer<T, Cuda>(ctx, static_cast<std::size_t>(nnz));
  Index* col_indices = P.col_indices.data();
  T* values = P.values.data();
  parallel_for(ctx, static_cast<std::int64_t>(tentative.basis.size()), [=] __device__(std::int64_t i) {
    const std::int64_t row = i / k;
    const auto c = static_cast<Index>(i % k);
    if (const Index aggregate = of_node[row / block_size]; aggregate != none) {
      col_indices[offsets[row] + c] = aggregate * k + c;
      values[offsets[row] + c] = basis[i];
    }
  });
  return P;
}

template <class T>
CsrMatrix<T, Cuda> smoothed_prolongator(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const Graph<Cuda>* strong,
                                        const Aggregates<Cuda>& aggregates, Index block_size,
                                        const Tentative<T, Cuda>& tentative, std::type_identity_t<T> damping) {
  const Index k = tentative.basis.columns();
  WorkspaceScope scope(ctx.workspace());
  Index* labels = scope.take<Index>(static_cast<std::size_t>(A.nnz())).data();
  label_entries(ctx, A, strong, aggregates, block_size, labels);
  const LabelledRows labelled{A.row_offsets.data(), labels, aggregates.of_node.data(), block_size};

  CsrMatrix<T, Cuda> P;
  P.rows = A.rows;
  P.cols = tentative.coarse_candidates.rows();
  P.row_offsets = Buffer<Offset, Cuda>(ctx, static_cast<std::size_t>(A.rows) + 1);
  Offset* offsets = P.row_offsets.data();
  parallel_rows(ctx, A.rows, [=] __device__(RowLanes lanes, std::int64_t row) {
    Offset count = 0;
    for (Index a = labelled.next(lanes, row, none); a != max_index; a = labelled.next(lanes, row, a)) {
      count += k;
    }
    if (lanes.thread_rank() == 0) {
      offsets[row + 1] = count;
    }
  });
  const Offset nnz = counts_to_offsets(ctx, P.row_offsets);
  P.col_indices = Buffer<Index, Cuda>(ctx, static_cast<std::size_t>(nnz));
  P.values = Buffer<T, Cuda>(ctx, static_cast<std::size_t>(nnz));
  fill_columns(ctx, labelled, k, P);

  // A lane for each entry of P's row in turn: all of them walk along A's row together, so that a load serves them all,
  // and every sum has the order of A's row.
  const Offset* A_offsets = A.row_offsets.data();
  const Index* A_cols = A.col_indices.data();
  const T* A_values = A.values.data();
  const T* basis = tentative.basis.data();
  const Index* P_cols = P.col_indices.data();
  T* P_values = P.values.data();
  parallel_rows(ctx, A.rows, [=] __device__(RowLanes lanes, std::int64_t row) {
    const Offset begin = A_offsets[row];
    const Offset end = A_offsets[row + 1];
    T diagonal = 0;
    T dropped = 0;
    for (Offset m = begin; m < end; ++m) {
      dropped += labels[m] == weak ? A_values[m] : T{0};
      diagonal += A_cols[m] == row ? A_values[m] : T{0};
    }
    // Lumping may not turn the diagonal around: then the row keeps its own.
    const bool lumped = diagonal + dropped > T{0};
    const T filtered_diagonal = lumped ? diagonal + dropped : diagonal;
    const T scale = filtered_diagonal != T{0} ? -damping / filtered_diagonal : T{0};
    const T own_factor = T{1} + (lumped ? scale * dropped : T{0});
    for (Offset entry = offsets[row] + lanes.thread_rank(); entry < offsets[row + 1]; entry += row_lanes) {
      const Index aggregate = P_cols[entry] / k;
      const Index c = P_cols[entry] % k;
      T sum = 0;
      for (Offset m = begin; m < end; ++m) {
        if (labels[m] == aggregate) {
          sum += A_values[m] * basis[static_cast<std::int64_t>(A_cols[m]) * k + c];
        }
      }
      T value = sum * scale;
      if (aggregate == labelled.own_label(row)) {
        value += own_factor * basis[row * k + c];
      }
      P_values[entry] = value;
    }
  });
  ctx.profile().add(
      {.bytes = static_cast<std::int64_t>(A.bytes() + P.bytes() + tentative.basis.bytes() + aggregates.of_node.bytes()),
       .flops = 2 * A.nnz() * k});
  return P;
}

#define AMGSOLVE_INSTANTIATE(T)                                                                                   \
  template CsrMatrix<T, Cuda> tentative_to_csr(Context<Cuda>&, const Aggregates<Cuda>&, Index,                    \
                                               const Tentative<T, Cuda>&);                                        \
  template CsrMatrix<T, Cuda> smoothed_prolongator(Context<Cuda>&, const CsrMatrix<T, Cuda>&, const Graph<Cuda>*, \
                                                   const Aggregates<Cuda>&, Index, const Tentative<T, Cuda>&, T);
AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
