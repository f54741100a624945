#pragma once

#include "amg/colouring_steps.hpp"
#include "core/hash.hpp"
#include "core/instantiate.hpp"
#include "core/search.hpp"
#include "spmv/csr_ref.hpp"

/// The bodies of the steps of colour_rows(), written once for both memory spaces: parallel_for and find_first are those
/// of the context. A row is the work of one thread.
namespace amgsolve::detail {

/// The lowest colour that no neighbour of row i has. Colours are looked at 64 at a time.
template <class T>
AMGSOLVE_HOST_DEVICE Index lowest_free_colour(const CsrRef<T>& A, const Index* colours, std::int64_t i) {
  for (Index first = 0;; first += 64) {
    std::uint64_t taken = 0;
    for (Offset k = A.row_offsets[i]; k < A.row_offsets[i + 1]; ++k) {
      const Index j = A.col_indices[k];
      const Index colour = colours[j];
      if (j != i && colour >= first && colour - first < 64) {
        taken |= std::uint64_t{1} << (colour - first);
      }
    }
    Index free = 0;
    while (free < 64 && (taken >> free & 1) != 0) {
      ++free;
    }
    if (free < 64) {
      return first + free;
    }
  }
}

template <MemorySpace S>
void uncolour(Context<S>& ctx, Span<Index, S> colours_of_rows) {
  Index* const colours = colours_of_rows.data();
  parallel_for(ctx, static_cast<std::int64_t>(colours_of_rows.size()),
               [colours] AMGSOLVE_HOST_DEVICE(std::int64_t i) { colours[i] = uncoloured; });
}

template <class T, MemorySpace S>
void colour_round(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<const Index, S> before, Span<Index, S> after) {
  const CsrRef<T> a = ref_of(A);
  const Index* const colours = before.data();
  Index* const result = after.data();
  parallel_for(ctx, A.rows, [a, colours, result] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    result[i] = colours[i];
    if (colours[i] != uncoloured) {
      return;
    }
    const std::uint64_t own = hash64(static_cast<std::uint64_t>(i));
    for (Offset k = a.row_offsets[i]; k < a.row_offsets[i + 1]; ++k) {
      const Index j = a.col_indices[k];
      if (colours[j] == uncoloured && hash64(static_cast<std::uint64_t>(j)) > own) {
        return;
      }
    }
    result[i] = lowest_free_colour(a, colours, i);
  });
}

template <class T, MemorySpace S>
bool has_conflict(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<const Index, S> colours_of_rows) {
  const CsrRef<T> a = ref_of(A);
  const Index* const colours = colours_of_rows.data();
  return find_first(ctx, A.rows, [a, colours] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
           for (Offset k = a.row_offsets[i]; k < a.row_offsets[i + 1]; ++k) {
             if (a.col_indices[k] != i && colours[a.col_indices[k]] == colours[i]) {
               return true;
             }
           }
           return false;
         }) < A.rows;
}

template <MemorySpace S>
void list_by_row(Context<S>& ctx, Span<const Index, S> colours_of_rows, Span<std::uint64_t, S> keys,
                 Span<Offset, S> places) {
  const Index* const colours = colours_of_rows.data();
  std::uint64_t* const key = keys.data();
  Offset* const place = places.data();
  parallel_for(ctx, static_cast<std::int64_t>(keys.size()), [colours, key, place] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    key[i] = static_cast<std::uint64_t>(colours[i]);
    place[i] = i;
  });
}

template <MemorySpace S>
void take_sorted(Context<S>& ctx, Span<const std::uint64_t, S> keys, Span<const Offset, S> places, Span<Index, S> rows,
                 Span<Offset, S> starts) {
  const std::uint64_t* const key = keys.data();
  const Offset* const place = places.data();
  const auto count = static_cast<std::int64_t>(keys.size());
  Index* const row = rows.data();
  Offset* const start = starts.data();
  parallel_for(ctx, count,
               [place, row] AMGSOLVE_HOST_DEVICE(std::int64_t i) { row[i] = static_cast<Index>(place[i]); });
  parallel_for(ctx, static_cast<std::int64_t>(starts.size()), [key, count, start] AMGSOLVE_HOST_DEVICE(std::int64_t c) {
    start[c] = lower_bound(key, 0, count, static_cast<std::uint64_t>(c));
  });
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                       \
  template void colour_round(Context<S>&, const CsrMatrix<T, S>&, Span<const Index, S>, Span<Index, S>); \
  template bool has_conflict(Context<S>&, const CsrMatrix<T, S>&, Span<const Index, S>);

#define AMGSOLVE_INSTANTIATE_SORTING(S)                                                                       \
  template void uncolour(Context<S>&, Span<Index, S>);                                                        \
  template void list_by_row(Context<S>&, Span<const Index, S>, Span<std::uint64_t, S>, Span<Offset, S>);      \
  template void take_sorted(Context<S>&, Span<const std::uint64_t, S>, Span<const Offset, S>, Span<Index, S>, \
                            Span<Offset, S>);

}  // namespace amgsolve::detail
