#pragma once

#include "dist/local_matrix.hpp"

namespace amgsolve {

/// The columns that own rows of B bring into some rows of a product A B, as rows of the whole vector, each once,
/// ascending. Takes no product: O(columns of B's window + entries of the chosen rows × those of a row of B).
/// Synchronises.
/// @param chosen  own rows of A
template <class T, MemorySpace S>
Buffer<std::int64_t, S> product_columns(Context<S>& ctx, const LocalMatrix<T, S>& A, const LocalMatrix<T, S>& B,
                                        std::type_identity_t<Span<const Index, S>> chosen);

}  // namespace amgsolve
