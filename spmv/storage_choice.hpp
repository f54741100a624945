#pragma once

#include "core/context.hpp"
#include "spmv/storages.hpp"
#include "spmv/whole_size.hpp"

/// What Storage::automatic is.
namespace amgsolve {

/// How a matrix is to be stored.
struct StorageChoice {
  Storage listed;   ///< csr, ell or sell
  bool by_pattern;  ///< where its rows share few patterns; else as listed
};

/// The storage that products with A take the least time in: the listed one by figures of all ranks' own rows, since the
/// order in which a row is summed depends on it. The reasons are in storage_tuning.hpp. Synchronises; collective.
template <class T>
StorageChoice cheapest_storage(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const OwnRows& own,
                               const WholeSize& whole);
template <class T>
StorageChoice cheapest_storage(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const OwnRows& own,
                               const WholeSize& whole);

/// Whether A stays where it is, as on the host one of which any rank borrows its part: a copy would take more time than
/// its products save. Collective.
template <class T>
bool stays_lent(Context<Host>& ctx, const CsrMatrix<T, Host>& A);
template <class T>
bool stays_lent(Context<Cuda>&, const CsrMatrix<T, Cuda>&) {
  return false;
}

/// CSR where A stays lent, else the cheapest. Synchronises; collective.
template <class T, MemorySpace S>
StorageChoice chosen_storage(Context<S>& ctx, const CsrMatrix<T, S>& A, const OwnRows& own, const WholeSize& whole);

/// Bytes that A would take as an Operator with values of so many bytes, apart from patterns. For one rank alone.
template <class T, MemorySpace S>
double stored_bytes(Context<S>& ctx, const CsrMatrix<T, S>& A, Storage wanted, double value_bytes);

/// Bytes of a matrix in a storage before there is one.
/// @param padded     places for each entry where rows are padded
/// @param different  share of slices whose values are kept, where rows have patterns
double expected_bytes(Storage storage, double rows, double entries, double padded, double value_bytes,
                      double different = 1.0);

}  // namespace amgsolve
