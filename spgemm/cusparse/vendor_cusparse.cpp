#include "spgemm/cusparse/vendor.hpp"

#include <memory>
#include <type_traits>

#include "core/algorithms.hpp"
#include "core/check_cusparse.hpp"
#include "core/copy.hpp"
#include "core/timer.hpp"
#include "spgemm/cusparse/cusparse_offsets_cuda.hpp"
#include "spmv/conversions.hpp"

namespace amgsolve {
namespace {

template <class T>
constexpr cudaDataType value_type = std::is_same_v<T, float> ? CUDA_R_32F : CUDA_R_64F;

template <class Descriptor, auto destroy>
struct Destroy {
  void operator()(Descriptor* descriptor) const { destroy(descriptor); }
};
using ConstMatrix = std::unique_ptr<const cusparseSpMatDescr, Destroy<const cusparseSpMatDescr, cusparseDestroySpMat>>;
using Matrix = std::unique_ptr<cusparseSpMatDescr, Destroy<cusparseSpMatDescr, cusparseDestroySpMat>>;
using Plan = std::unique_ptr<cusparseSpGEMMDescr, Destroy<cusparseSpGEMMDescr, cusparseSpGEMM_destroyDescr>>;

/// A matrix as cuSPARSE takes it, with row offsets of its own.
template <class T>
struct Operand {
  Buffer<std::int32_t, Cuda> row_offsets;
  ConstMatrix descriptor;

  Operand(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const char* name) : row_offsets(ctx, A.row_offsets.size()) {
    checked_index(A.nnz(), name);
    narrow_offsets(ctx, A.row_offsets, row_offsets);
    cusparseConstSpMatDescr_t created = nullptr;
    AMGSOLVE_CUSPARSE_CHECK(cusparseCreateConstCsr(&created, A.rows, A.cols, A.nnz(), row_offsets.data(),
                                                   A.col_indices.data(), A.values.data(), CUSPARSE_INDEX_32I,
                                                   CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, value_type<T>));
    descriptor.reset(created);
  }
};

template <class T>
Matrix make_result(Index rows, Index cols, std::int32_t* row_offsets) {
  cusparseSpMatDescr_t created = nullptr;
  AMGSOLVE_CUSPARSE_CHECK(cusparseCreateCsr(&created, rows, cols, 0, row_offsets, nullptr, nullptr, CUSPARSE_INDEX_32I,
                                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, value_type<T>));
  return Matrix(created);
}

Plan make_plan() {
  cusparseSpGEMMDescr_t created = nullptr;
  AMGSOLVE_CUSPARSE_CHECK(cusparseSpGEMM_createDescr(&created));
  return Plan(created);
}

template <class T>
CsrMatrix<T, Cuda> zero_matrix(Context<Cuda>& ctx, Index rows, Index cols) {
  CsrMatrix<T, Cuda> C(ctx, rows, cols, 0);
  set_zero(ctx, C.row_offsets.span());
  return C;
}

}  // namespace

template <class T>
SpgemmProduct<T, Cuda> multiply_cusparse(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                                         const SpgemmOptions& /*options*/) {
  if (A.nnz() == 0 || B.nnz() == 0) {  // cuSPARSE refuses null arrays
    return {zero_matrix<T>(ctx, A.rows, B.cols), 0};
  }
  const Operand<T> a(ctx, A, "the number of entries of A, for cuSPARSE's 32-bit row offsets,");
  const Operand<T> b(ctx, B, "the number of entries of B, for cuSPARSE's 32-bit row offsets,");
  Buffer<std::int32_t, Cuda> row_offsets(ctx, A.row_offsets.size());
  const Matrix c = make_result<T>(A.rows, B.cols, row_offsets.data());
  const Plan plan = make_plan();
  const T one{1};
  const T zero{0};
  const auto run = [&](auto step, auto... more) {
    return step(ctx.cusparse(), CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one,
                a.descriptor.get(), b.descriptor.get(), &zero, c.get(), value_type<T>, CUSPARSE_SPGEMM_DEFAULT,
                plan.get(), more...);
  };

  SpgemmProduct<T, Cuda> result;
  Buffer<std::byte, Cuda> estimation_scratch;
  {
    ScopedTimer timer(ctx, "analysis");
    std::size_t bytes = 0;
    AMGSOLVE_CUSPARSE_CHECK(run(cusparseSpGEMM_workEstimation, &bytes, nullptr));
    estimation_scratch = Buffer<std::byte, Cuda>(ctx, bytes);
    AMGSOLVE_CUSPARSE_CHECK(run(cusparseSpGEMM_workEstimation, &bytes, estimation_scratch.data()));
    std::int64_t products = 0;
    AMGSOLVE_CUSPARSE_CHECK(cusparseSpGEMM_getNumProducts(plan.get(), &products));
    result.products = products;
  }
  if (result.products == 0) {
    return {zero_matrix<T>(ctx, A.rows, B.cols), 0};
  }
  Buffer<std::byte, Cuda> compute_scratch;
  {
    ScopedTimer timer(ctx, "compute");
    std::size_t bytes = 0;
    AMGSOLVE_CUSPARSE_CHECK(run(cusparseSpGEMM_compute, &bytes, nullptr));
    compute_scratch = Buffer<std::byte, Cuda>(ctx, bytes);
    AMGSOLVE_CUSPARSE_CHECK(run(cusparseSpGEMM_compute, &bytes, compute_scratch.data()));
  }
  ScopedTimer timer(ctx, "copy");
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  AMGSOLVE_CUSPARSE_CHECK(cusparseSpMatGetSize(c.get(), &rows, &cols, &nnz));
  checked_index(nnz, "the number of entries of A B, for cuSPARSE's 32-bit row offsets,");
  CsrMatrix<T, Cuda>& C = result.C;
  C = CsrMatrix<T, Cuda>(ctx, A.rows, B.cols, nnz);
  AMGSOLVE_CUSPARSE_CHECK(cusparseCsrSetPointers(c.get(), row_offsets.data(), C.col_indices.data(), C.values.data()));
  AMGSOLVE_CUSPARSE_CHECK(run(cusparseSpGEMM_copy));
  widen(ctx, row_offsets, C.row_offsets);
  sort_rows(ctx, C);
  return result;
}

template SpgemmProduct<float, Cuda> multiply_cusparse(Context<Cuda>&, const CsrMatrix<float, Cuda>&,
                                                      const CsrMatrix<float, Cuda>&, const SpgemmOptions&);
template SpgemmProduct<double, Cuda> multiply_cusparse(Context<Cuda>&, const CsrMatrix<double, Cuda>&,
                                                       const CsrMatrix<double, Cuda>&, const SpgemmOptions&);

}  // namespace amgsolve
