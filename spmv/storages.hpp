#pragma once

#include <variant>

#include "spmv/csr_ref.hpp"
#include "spmv/ell_matrix.hpp"
#include "spmv/sell_matrix.hpp"

/// The storages that an Operator chooses among. Each is a struct with rows, cols, nnz() and bytes(), a trivially
/// copyable Ref that tells where the entries of a row lie, and ref_of(). See docs/extending.md for adding one.
namespace amgsolve {

/// How the entries of an Operator lie in memory.
enum class Storage {
  automatic,  ///< the cheapest for products, by the lengths of the rows and by memory
  csr,        ///< compressed rows
  ell,        ///< rows padded to the longest of all
  sell,       ///< rows padded to the longest of the slice of 32 rows that they are in
};

/// The matrices in the order of Storage, without automatic.
template <class T, MemorySpace S>
using StoredMatrix = std::variant<CsrMatrix<T, S>, EllMatrix<T, S>, SellMatrix<T, S>>;

/// Instantiates the steps of products and conversions for all storages of values T: INSTANTIATE(T, Ref).
#define AMGSOLVE_FOR_STORAGES(INSTANTIATE, T) \
  INSTANTIATE(T, CsrRef<T>)                   \
  INSTANTIATE(T, EllRef<T>)                   \
  INSTANTIATE(T, SellRef<T>)

}  // namespace amgsolve
