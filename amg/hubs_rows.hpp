#pragma once

#include <cmath>
#include <cstdint>

#include "amg/hubs.hpp"
#include "core/algorithms.hpp"
#include "core/copy.hpp"
#include "core/host_device.hpp"
#include "core/instantiate.hpp"
#include "spmv/counted_rows.hpp"
#include "spmv/csr_ref.hpp"

/// The bodies of hubs.hpp, written once for both memory spaces: parallel_for and transform_reduce are those of
/// the context.
namespace amgsolve {
namespace detail {

struct IsHub {
  const Offset* row_offsets;
  Index block_size;
  Offset most_entries;

  template <class T, MemorySpace S>
  IsHub(const Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size_)
      : row_offsets(A.row_offsets.data()),
        block_size(block_size_),
        most_entries(static_cast<Offset>(5.0 * std::sqrt(static_cast<double>(ctx.communicator().sum(A.nnz()))))) {}

  AMGSOLVE_HOST_DEVICE bool operator()(std::int64_t node) const {
    bool is_hub = false;
    for (std::int64_t i = node * block_size; i < (node + 1) * block_size; ++i) {
      is_hub = is_hub || row_offsets[i + 1] - row_offsets[i] > most_entries;
    }
    return is_hub;
  }

  AMGSOLVE_HOST_DEVICE bool has_row(std::int64_t i) const { return (*this)(i / block_size); }
};

}  // namespace detail

template <class T, MemorySpace S>
Buffer<Index, S> find_hubs(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size) {
  const detail::IsHub is_hub(ctx, A, block_size);
  const Index nodes = A.rows / block_size;
  if (A.cols <= is_hub.most_entries) {
    return {};
  }
  const Offset* const offsets = A.row_offsets.data();
  const Offset longest = transform_reduce(
      ctx, A.rows, Offset{0}, [offsets] AMGSOLVE_HOST_DEVICE(std::int64_t i) { return offsets[i + 1] - offsets[i]; },
      [] AMGSOLVE_HOST_DEVICE(Offset a, Offset b) { return a < b ? b : a; });
  if (longest <= is_hub.most_entries) {
    return {};
  }
  WorkspaceScope<S> scope(ctx.workspace());
  const auto flags = scope.template take<std::uint8_t>(static_cast<std::size_t>(nodes));
  const auto places = scope.template take<Index>(flags.size());
  std::uint8_t* const flag = flags.data();
  parallel_for(ctx, nodes, [is_hub, flag] AMGSOLVE_HOST_DEVICE(std::int64_t node) { flag[node] = is_hub(node); });
  const auto found = places.subspan(0, static_cast<std::size_t>(select_flagged(ctx, flags, places)));
  Buffer<Index, S> hubs(ctx, found.size());
  copy(ctx, found, hubs.span());
  return hubs;
}

template <class T, MemorySpace S>
CsrMatrix<T, S> without_hubs(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size) {
  const detail::IsHub is_hub(ctx, A, block_size);
  const CsrRef<T> a = ref_of(A);
  CsrMatrix<T, S> rest = uncounted_matrix<T>(ctx, A.rows, A.cols);
  Offset* const counts = row_counts(rest).data();
  parallel_for(ctx, A.rows, [is_hub, a, counts] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    counts[i] = is_hub.has_row(i) ? 1 : a.row_offsets[i + 1] - a.row_offsets[i];
  });
  allocate_entries(ctx, rest);
  const Offset* const offsets = rest.row_offsets.data();
  Index* const cols = rest.col_indices.data();
  T* const values = rest.values.data();
  parallel_for(ctx, A.rows, [is_hub, a, offsets, cols, values] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    const Offset begin = offsets[i];
    if (is_hub.has_row(i)) {
      cols[begin] = static_cast<Index>(i);
      values[begin] = T{0};
      return;
    }
    for (Offset k = 0; k < offsets[i + 1] - begin; ++k) {
      cols[begin + k] = a.col_indices[a.row_offsets[i] + k];
      values[begin + k] = a.values[a.row_offsets[i] + k];
    }
  });
  return rest;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                 \
  template Buffer<Index, S> find_hubs(Context<S>&, const CsrMatrix<T, S>&, Index); \
  template CsrMatrix<T, S> without_hubs(Context<S>&, const CsrMatrix<T, S>&, Index);

}  // namespace amgsolve
