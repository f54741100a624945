#pragma once

#include <functional>
#include <string>
#include <vector>

#include "spmv/csr_matrix.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve::bench {

/// One way of cuSPARSE to form Y = A X.
struct CusparseProduct {
  std::string name;
  Work work;                       ///< the fewest bytes in its own format, with 32-bit offsets
  std::function<void()> multiply;  ///< on the context's stream, without waiting
};

/// Those to compare with, all ready to run. One column: CSR (ALG1, preprocessed) and sliced ELL (slices of 128 rows).
/// Several: SpMM with X and Y row by row (ALG2, ALG3), and column by column (ALG1), for which the values of X and Y, of
/// no matter here, are taken as they lie. A must be square; A, X and Y must outlive what is returned.
/// Throws InputError where A has 2³¹ entries or more, DeviceError where cuSPARSE refuses.
template <class T>
std::vector<CusparseProduct> cusparse_products(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A,
                                               MultiVectorView<const T, Cuda> X, MultiVectorView<T, Cuda> Y);

}  // namespace amgsolve::bench
