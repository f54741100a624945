#pragma once

#include <functional>
#include <string>

#include "spmv/csr_matrix.hpp"

/// cuSPARSE's sparse products, as it forms them for a program whose matrices have its 32-bit row offsets: nothing is
/// converted, checked or sorted afterwards.
namespace amgsolve::bench {

/// One way to form C = A B. A and B must outlive it.
struct CusparseSpgemm {
  struct Result {
    Offset nnz;
    std::size_t bytes;  ///< of C
  };
  std::string name;
  std::size_t operand_bytes;         ///< of the 32-bit row offsets of A and B
  std::function<Result()> multiply;  ///< forms C and frees it
};

/// @param algorithm  "alg1", which is cuSPARSE's default, "alg2" or "alg3", which form the products in chunks (alg3: a
///                   fifth of them at a time, as in NVIDIA's example) and take less memory
/// Throws InputError where A or B has 2³¹ entries or more. Calls throw DeviceError where cuSPARSE refuses.
template <class T>
CusparseSpgemm cusparse_spgemm(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                               const std::string& algorithm);

/// C = A B whose pattern is known: cuSPARSE's SpGEMMreuse.
struct CusparseSpgemmReuse {
  Offset nnz;                    ///< of C
  std::size_t bytes;             ///< kept beside A, B and C
  std::function<void()> update;  ///< forms the values of C from those of A and B
};

template <class T>
CusparseSpgemmReuse cusparse_spgemm_reuse(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B);

}  // namespace amgsolve::bench
