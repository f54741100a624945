#pragma once

#include "core/global_sum.hpp"
#include "core/reduction.hpp"
#include "spmv/blas1_operations.hpp"

/// How the operations of blas1_operations.hpp are done to all values of vectors of that many rows and columns.
namespace amgsolve::detail {

template <class Operation>
void for_values(Context<Host>& ctx, std::int64_t rows, Index columns, const Operation& operation);
template <class Operation>
void for_values(Context<Cuda>& ctx, std::int64_t rows, Index columns, const Operation& operation);

/// partial[j · blocks + b] = Σ of the terms of column j over block b of the rows, in the order of reduction_lanes().
template <class Operation>
void sum_values(Context<Host>& ctx, std::int64_t rows, Index columns, const Operation& operation,
                Span<double, Host> partial);
template <class Operation>
void sum_values(Context<Cuda>& ctx, std::int64_t rows, Index columns, const Operation& operation,
                Span<double, Cuda> partial);

/// result_j = Σ of the terms of column j over the rows of all ranks; see core/global_sum.hpp.
template <MemorySpace S, class Operation>
void global_sums(Context<S>& ctx, std::int64_t rows, const Operation& operation, Span<double, S> result) {
  WorkspaceScope<S> scope(ctx.workspace());
  const auto partial = scope.template take<double>(static_cast<std::size_t>(reduction_blocks(rows)) * result.size());
  sum_values(ctx, rows, static_cast<Index>(result.size()), operation, partial);
  sum_of_blocks<S>(ctx, partial, result);
}

/// INSTANTIATE(operation) for all operations on values T, of those that return a term and of the others.
#define AMGSOLVE_FOR_OPERATIONS(INSTANTIATE, T) \
  INSTANTIATE(Fill<T>)                          \
  INSTANTIATE(FillRandom<T>)                    \
  INSTANTIATE(AddColumns<T>)                    \
  INSTANTIATE(Axpby<T>)                         \
  INSTANTIATE(ScaleRows<T>)                     \
  INSTANTIATE(CgDirection<T>)                   \
  INSTANTIATE(ToFloat<T>)                       \
  INSTANTIATE(ToDouble<T>)                      \
  INSTANTIATE(ScaleToFloat<T>)                  \
  INSTANTIATE(ScaleToDouble<T>)
#define AMGSOLVE_FOR_SUMS(INSTANTIATE, T) \
  INSTANTIATE(Dot<T>)                     \
  INSTANTIATE(CgUpdate<T>)                \
  INSTANTIATE(LanczosStep<T>)             \
  INSTANTIATE(ScaledSquare<T>)            \
  INSTANTIATE(CrossDifference<T>)

}  // namespace amgsolve::detail
