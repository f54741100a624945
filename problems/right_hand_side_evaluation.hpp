#pragma once

#include "core/instantiate.hpp"
#include "problems/elastic_stencil.hpp"
#include "problems/right_hand_side.hpp"
#include "spmv/blas1.hpp"
#include "spmv/random.hpp"

/// The bodies of problems/right_hand_side.hpp, written once for both memory spaces: parallel_for is
/// that of the context.
namespace amgsolve {

template <class T, MemorySpace S>
void random_right_hand_side(Context<S>& ctx, std::uint64_t seed, MultiVectorView<T, S> b, std::int64_t first_row) {
  parallel_for(ctx, b.rows, [seed, b, first_row] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    for (Index j = 0; j < b.columns; ++j) {
      b.data[i * b.columns + j] = static_cast<T>(
          random_uniform(seed + static_cast<std::uint64_t>(j), static_cast<std::uint64_t>(first_row + i)));
    }
  });
}

template <class T, MemorySpace S>
void ones_right_hand_side(Context<S>& ctx, MultiVectorView<T, S> b) {
  fill(ctx, T{1}, b);
}

/// The rows of a range. Throws as load_right_hand_side() does.
RowRange checked_load_rows(const GeneratedProblem& problem, Index vector_rows, RowRange range);

template <class T, MemorySpace S>
void load_right_hand_side(Context<S>& ctx, const GeneratedProblem& problem, MultiVectorView<T, S> b, RowRange range) {
  const RowRange rows = checked_load_rows(problem, b.rows, range);
  const ElasticStencil stencil = make_elastic_stencil(problem);
  const std::int64_t first = rows.first;
  parallel_for(ctx, b.rows, [stencil, b, first] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    const T load = static_cast<T>(load_on_row(stencil, first + i));
    for (Index j = 0; j < b.columns; ++j) {
      b.data[i * b.columns + j] = load;
    }
  });
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                       \
  template void random_right_hand_side(Context<S>&, std::uint64_t, MultiVectorView<T, S>, std::int64_t); \
  template void ones_right_hand_side(Context<S>&, MultiVectorView<T, S>);                                \
  template void load_right_hand_side(Context<S>&, const GeneratedProblem&, MultiVectorView<T, S>, RowRange);

}  // namespace amgsolve
