#pragma once

#include <limits>

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"

/// The steps of colour_rows().
namespace amgsolve::detail {

/// The colour of a row that waits for its neighbours.
inline constexpr Index uncoloured = std::numeric_limits<Index>::max();

/// No row has a colour.
template <MemorySpace S>
void uncolour(Context<S>& ctx, Span<Index, S> colours);

/// after_i = the colour of row i where it has one before, or where all neighbours of a higher hash do.
template <class T, MemorySpace S>
void colour_round(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<const Index, S> before, Span<Index, S> after);

/// Whether a row has an entry in the column of another one of its colour. Synchronises.
template <class T, MemorySpace S>
bool has_conflict(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<const Index, S> colours);

/// What sorting by colour begins with: keys_i = the colour of row i, places_i = i.
template <MemorySpace S>
void list_by_row(Context<S>& ctx, Span<const Index, S> colours, Span<std::uint64_t, S> keys, Span<Offset, S> places);

/// From the sorted ones: rows_i = places_i, starts_c = the first i with keys_i ≥ c.
template <MemorySpace S>
void take_sorted(Context<S>& ctx, Span<const std::uint64_t, S> keys, Span<const Offset, S> places, Span<Index, S> rows,
                 Span<Offset, S> starts);

}  // namespace amgsolve::detail
