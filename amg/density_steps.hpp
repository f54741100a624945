#pragma once

#include "core/context.hpp"
#include "core/instantiate.hpp"
#include "spmv/csr_ref.hpp"
#include "spmv/row_sample.hpp"

/// The step of estimate_density() that each memory space has its own of.
namespace amgsolve {

/// Σ over the rows of R chosen of the entries that R A P, which has `cols` columns, has there. A need not be square.
/// Synchronises.
template <class T>
Offset count_product_entries(Context<Host>& ctx, const CsrRef<T>& R, const CsrRef<T>& A, const CsrRef<T>& P, Index cols,
                             const RowStrata& choice);
template <class T>
Offset count_product_entries(Context<Cuda>& ctx, const CsrRef<T>& R, const CsrRef<T>& A, const CsrRef<T>& P, Index cols,
                             const RowStrata& choice);

#define AMGSOLVE_INSTANTIATE_DENSITY_STEPS(T, S)                                                                  \
  template Offset count_product_entries(Context<S>&, const CsrRef<T>&, const CsrRef<T>&, const CsrRef<T>&, Index, \
                                        const RowStrata&);

}  // namespace amgsolve
