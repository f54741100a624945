#pragma once

#include "core/context.hpp"
#include "spmv/multi_vector.hpp"

/// What operations of both memory spaces book in the profile.
namespace amgsolve {

/// Passes over n values of T: how many reads and writes of a vector, how many operations on each value.
template <class T, MemorySpace S>
void book_passes(Context<S>& ctx, std::size_t n, int passes, int flops) {
  const auto values = static_cast<std::int64_t>(n);
  ctx.profile().add({values * passes * static_cast<std::int64_t>(sizeof(T)), values * flops});
}

/// A pass over a matrix A of n rows and multivectors of k columns: the product A X itself, `vectors` further reads and
/// writes of n × k values beside X, and a diagonal of n values where there is one. Asks before it whether to go on:
/// loops that are whole and of one thread do not, and an iteration may be of thousands of them.
template <class Matrix, class T, MemorySpace S>
void book_product(Context<S>& ctx, const Matrix& A, MultiVectorView<const T, S> X, int vectors, bool diagonal,
                  int flops_per_value) {
  ctx.poll();
  const auto values = static_cast<std::int64_t>(A.rows) * X.columns;
  const std::int64_t elements =
      static_cast<std::int64_t>(X.size()) + vectors * values + (diagonal ? std::int64_t{A.rows} : 0);
  ctx.profile().add({static_cast<std::int64_t>(A.bytes()) + elements * static_cast<std::int64_t>(sizeof(T)),
                     2 * A.nnz() * X.columns + flops_per_value * values});
}

}  // namespace amgsolve
