#pragma once

#include "core/algorithms.hpp"
#include "core/atomic.hpp"
#include "core/host_device.hpp"
#include "core/instantiate.hpp"
#include "core/map_list.hpp"
#include "core/search.hpp"
#include "dist/product_columns.hpp"
#include "spmv/csr_ref.hpp"

/// The body of dist/product_columns.hpp, written once for both memory spaces: parallel_for and parallel_rows(ctx, rows,
/// body(lanes, row)) are those of the context.
namespace amgsolve {
namespace detail {

/// A numbering of own rows, then ghosts, as flags lie.
struct FlagPlaces {
  std::int64_t first_row;
  Index own_rows;
  const std::int64_t* ghosts;
  Index ghost_count;

  AMGSOLVE_HOST_DEVICE Index operator()(std::int64_t row) const {
    const bool is_own = row >= first_row && row < first_row + own_rows;
    return is_own ? static_cast<Index>(row - first_row)
                  : own_rows + static_cast<Index>(lower_bound(ghosts, 0, ghost_count, row));
  }
};

struct RowAtPlace {
  FlagPlaces places;

  AMGSOLVE_HOST_DEVICE std::int64_t operator()(Index place) const {
    return place < places.own_rows ? places.first_row + place : places.ghosts[place - places.own_rows];
  }
};

/// Lanes share the entries of a row of A, of which there are more than in one of B.
template <class T>
struct FlagProductColumns {
  CsrRef<T> a;
  WindowColumns of_a;
  CsrRef<T> b;
  WindowColumns of_b;
  const Offset* fetched_offsets;
  const Index* place_of_ghost;    ///< of B's window
  const Index* place_of_fetched;  ///< of the fetched rows' entries
  const Index* chosen;
  std::uint8_t* flags;

  template <class Lanes>
  AMGSOLVE_LANES void operator()(const Lanes& lanes, std::int64_t i) const {
    const Offset end = a.row_offsets[chosen[i] + 1];
    for (Offset entry = a.row_offsets[chosen[i]] + lanes.thread_rank(); entry < end; entry += lanes.num_threads()) {
      const Index j = a.col_indices[entry];
      if (of_a.has_own(j)) {
        const Index row = j - of_a.first_own;
        for (Offset k = b.row_offsets[row]; k < b.row_offsets[row + 1]; ++k) {
          const Index column = b.col_indices[k];
          atomic_flag(flags + (of_b.has_own(column) ? column - of_b.first_own : place_of_ghost[of_b.ghost_at(column)]));
        }
      } else {
        const Index row = of_a.ghost_at(j);
        for (Offset k = fetched_offsets[row]; k < fetched_offsets[row + 1]; ++k) {
          atomic_flag(flags + place_of_fetched[k]);
        }
      }
    }
  }
};

}  // namespace detail

template <class T, MemorySpace S>
std::vector<Buffer<std::int64_t, S>> product_columns(Context<S>& ctx, const LocalMatrix<T, S>& A,
                                                     const LocalMatrix<T, S>& B, const GlobalRows<T, S>& fetched,
                                                     std::type_identity_t<Span<const std::int64_t, S>> ghosts,
                                                     const Layout<S>& needed) {
  const Layout<S>& columns = *B.layout;
  const detail::FlagPlaces places{columns.first_row(), columns.own_rows(), ghosts.data(),
                                  static_cast<Index>(ghosts.size())};
  WorkspaceScope<S> scope(ctx.workspace());
  const auto places_of = [&](Span<const std::int64_t, S> rows) {
    const auto result = scope.template take<Index>(rows.size());
    detail::map_list(ctx, rows, result, places);
    return result;
  };
  const auto of_ghosts = places_of(columns.ghosts());
  const auto of_fetched = places_of(fetched.col_indices.span());
  const std::size_t size = static_cast<std::size_t>(columns.own_rows()) + ghosts.size();
  const auto flags = scope.template take<std::uint8_t>(size);
  const auto flagged = scope.template take<Index>(size);
  std::vector<Buffer<std::int64_t, S>> result;
  for (const auto& neighbour : needed.neighbours()) {
    set_zero(ctx, flags);
    parallel_rows(ctx, std::int64_t{neighbour.needs},
                  detail::FlagProductColumns<T>{ref_of(A.A), A.layout->window(), ref_of(B.A), columns.window(),
                                                fetched.row_offsets.data(), of_ghosts.data(), of_fetched.data(),
                                                needed.needs().data() + neighbour.first_need, flags.data()});
    const auto count = static_cast<std::size_t>(select_flagged(ctx, flags, flagged));
    result.emplace_back(ctx, count);
    detail::map_list(ctx, Span<const Index, S>(flagged.subspan(0, count)), result.back().span(),
                     detail::RowAtPlace{places});
  }
  return result;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                 \
  template std::vector<Buffer<std::int64_t, S>> product_columns(Context<S>&, const LocalMatrix<T, S>&,             \
                                                                const LocalMatrix<T, S>&, const GlobalRows<T, S>&, \
                                                                Span<const std::int64_t, S>, const Layout<S>&);

}  // namespace amgsolve
