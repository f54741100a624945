#pragma once

#include "amg/truncation_steps.hpp"
#include "core/instantiate.hpp"
#include "spmv/csr_ref.hpp"

/// The bodies of the steps of truncate_prolongator(), written once for both memory spaces: parallel_for is that of the
/// context. A row, or the rows of a node, are the work of one thread.
namespace amgsolve {

template <class T, MemorySpace S>
void count_truncated(Context<S>& ctx, const CsrMatrix<T, S>& P, Span<const T, S> coarse_candidate,
                     std::type_identity_t<T> drop_tolerance, Span<TruncatedRow<T>, S> rows, Span<Offset, S> counts) {
  const CsrRef<T> p = ref_of(P);
  const T* const candidate = coarse_candidate.data();
  TruncatedRow<T>* const truncated = rows.data();
  Offset* const entries = counts.data();
  parallel_for(ctx, P.rows, [p, candidate, drop_tolerance, truncated, entries] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    const Offset begin = p.row_offsets[i];
    const Offset end = p.row_offsets[i + 1];
    const TruncatedRow<T> row(p.col_indices + begin, p.values + begin, end - begin, candidate, drop_tolerance);
    Offset count = 0;
    for (Offset k = begin; k < end; ++k) {
      count += row.keeps(p.values[k] * candidate[p.col_indices[k]]) ? 1 : 0;
    }
    truncated[i] = row;
    entries[i] = count;
  });
}

// Which entries stay no processor foresees: each is written where the next one belongs, until the row is full.
template <class T, MemorySpace S>
void fill_truncated(Context<S>& ctx, const CsrMatrix<T, S>& P,
                    std::type_identity_t<Span<const TruncatedRow<T>, S>> rows,
                    std::type_identity_t<Span<const T, S>> coarse_candidate, CsrMatrix<T, S>& result) {
  const CsrRef<T> p = ref_of(P);
  const T* const candidate = coarse_candidate.data();
  const TruncatedRow<T>* const truncated = rows.data();
  const Offset* const offsets = result.row_offsets.data();
  Index* const cols = result.col_indices.data();
  T* const values = result.values.data();
  parallel_for(ctx, P.rows, [p, candidate, truncated, offsets, cols, values] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    const TruncatedRow<T> row = truncated[i];
    Offset next = offsets[i];
    for (Offset k = p.row_offsets[i]; next < offsets[i + 1]; ++k) {
      const T value = p.values[k];
      cols[next] = p.col_indices[k];
      values[next] = row.scaled(value);
      next += row.keeps(value * candidate[p.col_indices[k]]) ? 1 : 0;
    }
  });
}

template <class T, MemorySpace S>
void refill_truncated(Context<S>& ctx, const CsrMatrix<T, S>& P, Span<const T, S> coarse_candidate,
                      std::type_identity_t<T> drop_tolerance, CsrMatrix<T, S>& result) {
  const CsrRef<T> p = ref_of(P);
  const T* const candidate = coarse_candidate.data();
  const CsrRef<T> kept = ref_of(result);
  T* const values = result.values.data();
  parallel_for(ctx, P.rows, [p, candidate, drop_tolerance, kept, values] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    const Offset begin = p.row_offsets[i];
    const Offset first = kept.row_offsets[i];
    refill_truncated_row(p.col_indices + begin, p.values + begin, p.row_offsets[i + 1] - begin, candidate,
                         drop_tolerance, kept.col_indices + first, kept.row_offsets[i + 1] - first, values + first);
  });
}

template <class T, MemorySpace S>
void count_truncated_blocks(Context<S>& ctx, const BlockTruncation<T>& nodes, Span<Offset, S> counts) {
  Offset* const entries = counts.data();
  parallel_for(ctx, nodes.P.rows / nodes.b, [nodes, entries] AMGSOLVE_HOST_DEVICE(std::int64_t node) {
    const Offset count = nodes.survey(node) * nodes.b;
    for (Index r = 0; r < nodes.b; ++r) {
      entries[node * nodes.b + r] = count;
    }
  });
}

template <class T, MemorySpace S>
void fill_truncated_blocks(Context<S>& ctx, const BlockTruncation<T>& nodes, CsrMatrix<T, S>& result) {
  const Offset* const offsets = result.row_offsets.data();
  Index* const cols = result.col_indices.data();
  T* const values = result.values.data();
  parallel_for(ctx, nodes.P.rows / nodes.b, [nodes, offsets, cols, values] AMGSOLVE_HOST_DEVICE(std::int64_t node) {
    nodes.fill(node, offsets, cols, values);
  });
}

template <class T, MemorySpace S>
void refill_truncated_blocks(Context<S>& ctx, const BlockTruncation<T>& nodes, CsrMatrix<T, S>& result) {
  const CsrRef<T> kept = ref_of(result);
  T* const values = result.values.data();
  parallel_for(ctx, nodes.P.rows / nodes.b,
               [nodes, kept, values] AMGSOLVE_HOST_DEVICE(std::int64_t node) { nodes.refill(node, kept, values); });
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                    \
  template void count_truncated(Context<S>&, const CsrMatrix<T, S>&, Span<const T, S>, T, Span<TruncatedRow<T>, S>,   \
                                Span<Offset, S>);                                                                     \
  template void fill_truncated(Context<S>&, const CsrMatrix<T, S>&, Span<const TruncatedRow<T>, S>, Span<const T, S>, \
                               CsrMatrix<T, S>&);                                                                     \
  template void refill_truncated(Context<S>&, const CsrMatrix<T, S>&, Span<const T, S>, T, CsrMatrix<T, S>&);         \
  template void count_truncated_blocks(Context<S>&, const BlockTruncation<T>&, Span<Offset, S>);                      \
  template void fill_truncated_blocks(Context<S>&, const BlockTruncation<T>&, CsrMatrix<T, S>&);                      \
  template void refill_truncated_blocks(Context<S>&, const BlockTruncation<T>&, CsrMatrix<T, S>&);

}  // namespace amgsolve
