#pragma once

#include "amg/aggregation.hpp"
#include "amg/couplings.hpp"
#include "amg/strength.hpp"
#include "amg/tentative.hpp"
#include "spmv/statistics.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/spaces.hpp"

/// Graphs of matrices; graphs, aggregates and couplings from one memory space to the other, from host to host as
/// copies.
namespace amgsolve::reference {

/// The strength graph of A by its own diagonal.
template <class T, MemorySpace S>
Graph<S> graph_of(Context<S>& ctx, const CsrMatrix<T, S>& A, double threshold = 0.0) {
  Buffer<T, S> d(ctx, static_cast<std::size_t>(A.rows));
  extract_diagonal<T>(ctx, A, d);
  return strength_graph<T>(ctx, A, d, threshold);
}

template <MemorySpace S>
Graph<S> upload(Context<S>& ctx, const Graph<Host>& graph) {
  return {graph.nodes, amgsolve::upload(ctx, graph.row_offsets.span()),
          amgsolve::upload(ctx, graph.col_indices.span())};
}

template <MemorySpace S>
Graph<Host> download(Context<S>& ctx, Context<Host>& host, const Graph<S>& graph) {
  Graph<Host> result(graph.nodes, {host, graph.row_offsets.size()}, {host, graph.col_indices.size()});
  amgsolve::download(ctx, graph.row_offsets.span(), result.row_offsets.span());
  amgsolve::download(ctx, graph.col_indices.span(), result.col_indices.span());
  return result;
}

template <MemorySpace S>
Aggregates<S> upload(Context<S>& ctx, const Aggregates<Host>& aggregates) {
  return {aggregates.count, amgsolve::upload(ctx, aggregates.of_node.span())};
}

template <MemorySpace S>
Aggregates<Host> download(Context<S>& ctx, Context<Host>& host, const Aggregates<S>& aggregates) {
  Aggregates<Host> result{aggregates.count, {host, aggregates.of_node.size()}};
  amgsolve::download(ctx, aggregates.of_node.span(), result.of_node.span());
  return result;
}

/// T as a sparse matrix, of aggregates on the host.
template <class T, MemorySpace S>
CsrMatrix<T, Host> to_csr(Context<S>& ctx, Context<Host>& host, const Aggregates<Host>& aggregates, Index block_size,
                          const Tentative<T, S>& tentative) {
  const std::vector<T> basis = download(ctx, tentative.basis);
  const Index k = tentative.basis.columns();
  std::vector<Entry> entries;
  for (Index i = 0; i < tentative.basis.rows(); ++i) {
    const Index aggregate = aggregates.of_node[static_cast<std::size_t>(i / block_size)];
    for (Index c = 0; c < k && aggregate != Aggregates<Host>::none; ++c) {
      entries.push_back({i, aggregate * k + c, static_cast<double>(basis[static_cast<std::size_t>(i * k + c)])});
    }
  }
  return matrix_from_entries<T>(host, tentative.basis.rows(), tentative.coarse_candidates.rows(), entries);
}

/// What strong_couplings() and strong_block_couplings() found, on the host.
template <class T>
struct FoundCouplings {
  Graph<Host> strong;
  CsrMatrix<T, Host> filtered;
  double dropped_weight;
  double one_sided_share;
};

template <class T, MemorySpace S>
FoundCouplings<T> download(Context<S>& ctx, Context<Host>& host, Couplings<T, S> couplings) {
  FoundCouplings<T> found{
      download(ctx, host, couplings.strong), {}, couplings.dropped_weight, couplings.one_sided_share};
  if (couplings.is_filtered()) {
    found.filtered = download(ctx, std::move(couplings.filtered));
  }
  return found;
}

}  // namespace amgsolve::reference
