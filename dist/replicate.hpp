#pragma once

#include "core/collectively.hpp"
#include "dist/local_matrix.hpp"
#include "spmv/blas1.hpp"

/// What every rank gets whole. Collective.
namespace amgsolve {

/// The whole matrix of which the ranks have the rows. Throws InputError where it has 2³¹ rows or columns, and
/// OutOfMemoryError where one rank has not the memory, on all ranks.
template <class T, MemorySpace S>
CsrMatrix<T, S> replicate(Context<S>& ctx, const LocalMatrix<T, S>& A);

/// The way back: this rank's rows of a matrix that each of them has whole. Collective.
/// @param columns  who has what of them
template <class T, MemorySpace S>
LocalMatrix<T, S> own_strip(Context<S>& ctx, const CsrMatrix<T, S>& whole, const Partition& rows,
                            const Partition& columns);

/// Of a matrix that each rank has whole the rows of a window. Collective.
/// @param columns   who has what of its columns
/// @param connects  else the layout is an unconnected one
template <class T, MemorySpace S>
WindowStrip<T, S> window_strip(Context<S>& ctx, const CsrMatrix<T, S>& whole, const Layout<S>& window,
                               const Partition& columns, bool connects);

/// all = the rows of all ranks, which do not lie within it. Throws std::invalid_argument where sizes do not match.
template <class T, MemorySpace S>
void replicate_rows(Context<S>& ctx, const Partition& partition, Same<MultiVectorView<const T, S>> own,
                    Same<MultiVectorView<T, S>> all);

/// The same in memory of its own. Throws InputError, with `what` the rows are of, where there are 2³¹, and
/// OutOfMemoryError where one rank has not the memory, on all ranks.
template <class T, MemorySpace S>
MultiVector<T, S> replicated_rows(Context<S>& ctx, const Partition& partition, Same<MultiVectorView<const T, S>> own,
                                  const char* what) {
  MultiVector<T, S> all;
  collectively(ctx.communicator(),
               [&] { all = MultiVector<T, S>(ctx, checked_index(partition.rows(), what), own.columns); });
  replicate_rows<T>(ctx, partition, own, all);
  return all;
}

/// The columns of a strip become those of the whole matrix, and it has no layout then. Throws InputError where these
/// are 2³¹ or more.
template <class T, MemorySpace S>
void number_globally(Context<S>& ctx, LocalMatrix<T, S>& strip);

}  // namespace amgsolve
