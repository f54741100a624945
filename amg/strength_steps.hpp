#pragma once

#include <cmath>

#include "core/context.hpp"
#include "core/host_device.hpp"
#include "core/instantiate.hpp"
#include "spmv/csr_matrix.hpp"

/// The steps of strength_graph() that each memory space has its own of, and the test that both make.
namespace amgsolve {

/// Whether entries of A are strong: |a_ij| / √|a_ii a_jj| > θ. The product of the scales commutes, so the test is as
/// symmetric as A; no square leaves the range of T.
template <class T>
struct SymmetricStrength {
  const T* scales;  ///< 1 / √|a_ii|
  T theta;

  AMGSOLVE_HOST_DEVICE bool operator()(std::int64_t i, Index j, T a) const {
    return j != i && std::abs(a) * (scales[i] * scales[j]) > theta;
  }
};

/// counts_i = the strong entries in row i of A.
template <class T>
void count_strong_entries(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const SymmetricStrength<T>& is_strong,
                          Span<Offset, Host> counts);
template <class T>
void count_strong_entries(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const SymmetricStrength<T>& is_strong,
                          Span<Offset, Cuda> counts);

/// Lists the columns of the strong entries, row i from offsets_i on.
template <class T>
void list_strong_entries(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const SymmetricStrength<T>& is_strong,
                         Span<const Offset, Host> offsets, Span<Index, Host> neighbours);
template <class T>
void list_strong_entries(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const SymmetricStrength<T>& is_strong,
                         Span<const Offset, Cuda> offsets, Span<Index, Cuda> neighbours);

#define AMGSOLVE_INSTANTIATE_STRENGTH_STEPS(T, S)                                                      \
  template void count_strong_entries(Context<S>&, const CsrMatrix<T, S>&, const SymmetricStrength<T>&, \
                                     Span<Offset, S>);                                                 \
  template void list_strong_entries(Context<S>&, const CsrMatrix<T, S>&, const SymmetricStrength<T>&,  \
                                    Span<const Offset, S>, Span<Index, S>);

}  // namespace amgsolve
