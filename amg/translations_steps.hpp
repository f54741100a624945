#pragma once

#include "core/context.hpp"
#include "spmv/blas1.hpp"
#include "spmv/multi_vector.hpp"

/// The steps of with_translations().
namespace amgsolve::detail {

/// W = [t_1 … t_b, B].
template <class T, MemorySpace S>
void put_translations_before(Context<S>& ctx, Same<MultiVectorView<const T, S>> B, Index block_size,
                             Same<MultiVectorView<T, S>> W);

/// y_ij = x_i,column for all columns j of y.
template <class T, MemorySpace S>
void spread_column(Context<S>& ctx, Same<MultiVectorView<const T, S>> x, Index column, Same<MultiVectorView<T, S>> y);

/// Column `to` of y is column `from` of x.
template <class T, MemorySpace S>
void copy_column(Context<S>& ctx, Same<MultiVectorView<const T, S>> x, Index from, Same<MultiVectorView<T, S>> y,
                 Index to);

}  // namespace amgsolve::detail
