#pragma once

#include <vector>

#include "dist/local_matrix.hpp"

namespace amgsolve {

/// The columns of those rows of a product A B that neighbours need, for each neighbour of `needed`: rows of the whole
/// vector, each once, in any order. Takes no product: O(columns of B's window + entries of those rows of A × those of a
/// row of B) a neighbour. Synchronises once for each.
/// @param fetched  the rows of B that A's ghosts stand for
/// @param ghosts   the rows of other ranks that B's window and the fetched rows have columns of, ascending
/// @param needed   a window of the product's rows
template <class T, MemorySpace S>
std::vector<Buffer<std::int64_t, S>> product_columns(Context<S>& ctx, const LocalMatrix<T, S>& A,
                                                     const LocalMatrix<T, S>& B, const GlobalRows<T, S>& fetched,
                                                     std::type_identity_t<Span<const std::int64_t, S>> ghosts,
                                                     const Layout<S>& needed);

}  // namespace amgsolve
