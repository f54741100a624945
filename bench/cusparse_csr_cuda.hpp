#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include "core/check_cusparse.hpp"
#include "spgemm/cusparse/cusparse_offsets_cuda.hpp"

/// CSR matrices as cuSPARSE takes them, with 32-bit row offsets.
namespace amgsolve::bench {

template <class T>
constexpr cudaDataType value_type = std::is_same_v<T, float> ? CUDA_R_32F : CUDA_R_64F;

template <auto destroy>
struct Destroy {
  template <class Descriptor>
  void operator()(Descriptor* descriptor) const {
    destroy(descriptor);
  }
};
using ConstMatrixDescriptor = std::unique_ptr<const cusparseSpMatDescr, Destroy<cusparseDestroySpMat>>;
using MatrixDescriptor = std::unique_ptr<cusparseSpMatDescr, Destroy<cusparseDestroySpMat>>;

/// The offsets of A in 32 bits. Throws InputError where A has 2³¹ entries or more.
template <class T>
Buffer<std::int32_t, Cuda> narrow_row_offsets(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A) {
  checked_index(A.nnz(), "the number of entries of a matrix, for 32-bit row offsets,");
  Buffer<std::int32_t, Cuda> narrow(ctx, A.row_offsets.size());
  narrow_offsets(ctx, A.row_offsets, narrow);
  return narrow;
}

/// A over its own columns and values and the given offsets, all of which must outlive the descriptor.
template <class T>
ConstMatrixDescriptor describe_csr(const CsrMatrix<T, Cuda>& A, const Buffer<std::int32_t, Cuda>& row_offsets) {
  cusparseConstSpMatDescr_t created = nullptr;
  AMGSOLVE_CUSPARSE_CHECK(cusparseCreateConstCsr(&created, A.rows, A.cols, A.nnz(), row_offsets.data(),
                                                 A.col_indices.data(), A.values.data(), CUSPARSE_INDEX_32I,
                                                 CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, value_type<T>));
  return ConstMatrixDescriptor(created);
}

}  // namespace amgsolve::bench
