#pragma once

#include "core/algorithms.hpp"
#include "core/atomic.hpp"
#include "core/host_device.hpp"
#include "core/instantiate.hpp"
#include "dist/local_matrix_steps.hpp"
#include "dist/product_columns.hpp"
#include "spmv/csr_ref.hpp"

/// The body of dist/product_columns.hpp, written once for both memory spaces: parallel_rows(ctx, rows,
/// body(lanes, row)) is that of the context.
namespace amgsolve {
namespace detail {

/// Lanes share the entries of a row of A, of which there are more than in one of B.
template <class T>
struct FlagProductColumns {
  CsrRef<T> a;
  WindowColumns of_a;
  CsrRef<T> b;
  const Index* chosen;
  std::uint8_t* flags;  ///< of the columns of B's window

  template <class Lanes>
  AMGSOLVE_LANES void operator()(const Lanes& lanes, std::int64_t i) const {
    const Offset end = a.row_offsets[chosen[i] + 1];
    for (Offset entry = a.row_offsets[chosen[i]] + lanes.thread_rank(); entry < end; entry += lanes.num_threads()) {
      if (const Index j = a.col_indices[entry]; of_a.has_own(j)) {
        const Index row = j - of_a.first_own;
        for (Offset k = b.row_offsets[row]; k < b.row_offsets[row + 1]; ++k) {
          atomic_flag(flags + b.col_indices[k]);
        }
      }
    }
  }
};

}  // namespace detail

template <class T, MemorySpace S>
Buffer<std::int64_t, S> product_columns(Context<S>& ctx, const LocalMatrix<T, S>& A, const LocalMatrix<T, S>& B,
                                        std::type_identity_t<Span<const Index, S>> chosen) {
  WorkspaceScope<S> scope(ctx.workspace());
  const auto columns = static_cast<std::size_t>(B.layout->columns());
  const auto flags = scope.template take<std::uint8_t>(columns);
  set_zero(ctx, flags);
  parallel_rows(
      ctx, static_cast<std::int64_t>(chosen.size()),
      detail::FlagProductColumns<T>{ref_of(A.A), A.layout->window(), ref_of(B.A), chosen.data(), flags.data()});
  const auto flagged = scope.template take<Index>(columns);
  const auto count = static_cast<std::size_t>(select_flagged(ctx, flags, flagged));
  Buffer<std::int64_t, S> rows(ctx, count);
  detail::find_rows<std::int64_t, S>(ctx, B.layout->window(), flagged.subspan(0, count), rows.span());
  return rows;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                  \
  template Buffer<std::int64_t, S> product_columns(Context<S>&, const LocalMatrix<T, S>&, const LocalMatrix<T, S>&, \
                                                   Span<const Index, S>);

}  // namespace amgsolve
