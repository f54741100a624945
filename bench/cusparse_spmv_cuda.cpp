#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "bench/cusparse_csr_cuda.hpp"
#include "bench/cusparse_spmv.hpp"
#include "spmv/transfer.hpp"

namespace amgsolve::bench {
namespace {

using Vector = std::unique_ptr<const cusparseDnVecDescr, Destroy<cusparseDestroyDnVec>>;
using OutputVector = std::unique_ptr<cusparseDnVecDescr, Destroy<cusparseDestroyDnVec>>;
using DenseMatrix = std::unique_ptr<const cusparseDnMatDescr, Destroy<cusparseDestroyDnMat>>;
using OutputMatrix = std::unique_ptr<cusparseDnMatDescr, Destroy<cusparseDestroyDnMat>>;

/// A matrix as cuSPARSE takes it.
struct Operand {
  Buffer<std::int32_t, Cuda> offsets;
  Buffer<Index, Cuda> col_indices;  ///< empty where the caller's are used
  Buffer<std::byte, Cuda> values;   ///< likewise
  ConstMatrixDescriptor descriptor;
  std::size_t bytes = 0;
};

template <class T>
std::shared_ptr<Operand> make_csr(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A) {
  auto operand = std::make_shared<Operand>();
  operand->offsets = narrow_row_offsets(ctx, A);
  operand->bytes = operand->offsets.bytes() + A.col_indices.bytes() + A.values.bytes();
  operand->descriptor = describe_csr(A, operand->offsets);
  return operand;
}

/// Slices of 128 rows as wide as their longest one, entry k of row r of a slice at k · 128 + r behind its start.
template <class T>
std::shared_ptr<Operand> make_sliced_ell(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& device_A) {
  constexpr Index slice_rows = 128;
  constexpr Index padding = -1;
  Context<Host> host;
  const CsrMatrix<T, Host> A = download(ctx, host, device_A);
  const auto row_begin = [&](Index i) { return A.row_offsets[static_cast<std::size_t>(i)]; };
  std::vector<std::int32_t> offsets{0};
  for (Index first = 0; first < A.rows; first += slice_rows) {
    Offset width = 0;
    for (Index i = first; i < std::min(first + slice_rows, A.rows); ++i) {
      width = std::max(width, row_begin(i + 1) - row_begin(i));
    }
    offsets.push_back(checked_index(offsets.back() + width * slice_rows, "the number of entries of sliced ELL"));
  }
  const auto size = static_cast<std::size_t>(offsets.back());
  std::vector<Index> col_indices(size, padding);
  std::vector<T> values(size, T{0});
  for (Index i = 0; i < A.rows; ++i) {
    auto position = static_cast<std::size_t>(offsets[static_cast<std::size_t>(i / slice_rows)] + i % slice_rows);
    for (auto k = static_cast<std::size_t>(row_begin(i)); k < static_cast<std::size_t>(row_begin(i + 1)); ++k) {
      col_indices[position] = A.col_indices[k];
      values[position] = A.values[k];
      position += slice_rows;
    }
  }

  auto operand = std::make_shared<Operand>();
  operand->offsets = upload(ctx, Span<const std::int32_t, Host>(offsets.data(), offsets.size()));
  operand->col_indices = upload(ctx, Span<const Index, Host>(col_indices.data(), size));
  operand->values =
      upload(ctx, Span<const std::byte, Host>(reinterpret_cast<const std::byte*>(values.data()), size * sizeof(T)));
  operand->bytes = operand->offsets.bytes() + operand->col_indices.bytes() + operand->values.bytes();
  cusparseConstSpMatDescr_t created = nullptr;
  AMGSOLVE_CUSPARSE_CHECK(
      cusparseCreateConstSlicedEll(&created, A.rows, A.cols, A.nnz(), static_cast<std::int64_t>(size), slice_rows,
                                   operand->offsets.data(), operand->col_indices.data(), operand->values.data(),
                                   CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, value_type<T>));
  operand->descriptor.reset(created);
  return operand;
}

template <class T>
Work work_of(const Operand& A, Offset nnz, MultiVectorView<const T, Cuda> X, MultiVectorView<T, Cuda> Y) {
  return {static_cast<std::int64_t>(A.bytes + (X.size() + Y.size()) * sizeof(T)), 2 * nnz * X.columns};
}

constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;

template <class T>
std::function<void()> make_spmv(Context<Cuda>& ctx, std::shared_ptr<Operand> A, MultiVectorView<const T, Cuda> x,
                                MultiVectorView<T, Cuda> y, cusparseSpMVAlg_t algorithm) {
  struct State {
    std::shared_ptr<Operand> A;
    Vector x;
    OutputVector y;
    Buffer<std::byte, Cuda> scratch;
    T one{1};
    T zero{0};
  };
  auto state = std::make_shared<State>();
  state->A = std::move(A);
  cusparseConstDnVecDescr_t x_created = nullptr;
  AMGSOLVE_CUSPARSE_CHECK(cusparseCreateConstDnVec(&x_created, x.rows, x.data, value_type<T>));
  state->x.reset(x_created);
  cusparseDnVecDescr_t y_created = nullptr;
  AMGSOLVE_CUSPARSE_CHECK(cusparseCreateDnVec(&y_created, y.rows, y.data, value_type<T>));
  state->y.reset(y_created);
  const auto call = [&ctx, algorithm](auto step, State& s, auto last) {
    AMGSOLVE_CUSPARSE_CHECK(step(ctx.cusparse(), plain, &s.one, s.A->descriptor.get(), s.x.get(), &s.zero, s.y.get(),
                                 value_type<T>, algorithm, last));
  };
  std::size_t bytes = 0;
  call(cusparseSpMV_bufferSize, *state, &bytes);
  state->scratch = Buffer<std::byte, Cuda>(ctx, bytes);
  if (algorithm == CUSPARSE_SPMV_CSR_ALG1) {
    call(cusparseSpMV_preprocess, *state, state->scratch.data());
  }
  return [call, state] { call(cusparseSpMV, *state, state->scratch.data()); };
}

template <class T>
std::function<void()> make_spmm(Context<Cuda>& ctx, std::shared_ptr<Operand> A, MultiVectorView<const T, Cuda> X,
                                MultiVectorView<T, Cuda> Y, cusparseSpMMAlg_t algorithm, cusparseOrder_t order) {
  struct State {
    std::shared_ptr<Operand> A;
    DenseMatrix X;
    OutputMatrix Y;
    Buffer<std::byte, Cuda> scratch;
    T one{1};
    T zero{0};
  };
  auto state = std::make_shared<State>();
  state->A = std::move(A);
  const auto leading = [order](auto view) { return order == CUSPARSE_ORDER_ROW ? view.columns : view.rows; };
  cusparseConstDnMatDescr_t x_created = nullptr;
  AMGSOLVE_CUSPARSE_CHECK(
      cusparseCreateConstDnMat(&x_created, X.rows, X.columns, leading(X), X.data, value_type<T>, order));
  state->X.reset(x_created);
  cusparseDnMatDescr_t y_created = nullptr;
  AMGSOLVE_CUSPARSE_CHECK(cusparseCreateDnMat(&y_created, Y.rows, Y.columns, leading(Y), Y.data, value_type<T>, order));
  state->Y.reset(y_created);
  const auto call = [&ctx, algorithm](auto step, State& s, auto last) {
    AMGSOLVE_CUSPARSE_CHECK(step(ctx.cusparse(), plain, plain, &s.one, s.A->descriptor.get(), s.X.get(), &s.zero,
                                 s.Y.get(), value_type<T>, algorithm, last));
  };
  std::size_t bytes = 0;
  call(cusparseSpMM_bufferSize, *state, &bytes);
  state->scratch = Buffer<std::byte, Cuda>(ctx, bytes);
  if (algorithm != CUSPARSE_SPMM_CSR_ALG2) {  // which has nothing to prepare
    call(cusparseSpMM_preprocess, *state, state->scratch.data());
  }
  return [call, state] { call(cusparseSpMM, *state, state->scratch.data()); };
}

}  // namespace

template <class T>
std::vector<CusparseProduct> cusparse_products(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A,
                                               MultiVectorView<const T, Cuda> X, MultiVectorView<T, Cuda> Y) {
  const std::shared_ptr<Operand> csr = make_csr(ctx, A);
  const Work csr_work = work_of(*csr, A.nnz(), X, Y);
  if (X.columns == 1) {
    const std::shared_ptr<Operand> sell = make_sliced_ell(ctx, A);
    return {
        {"cuSPARSE csr", csr_work, make_spmv(ctx, csr, X, Y, CUSPARSE_SPMV_CSR_ALG1)},
        {"cuSPARSE sliced ell", work_of(*sell, A.nnz(), X, Y), make_spmv(ctx, sell, X, Y, CUSPARSE_SPMV_SELL_ALG1)}};
  }
  return {{"cuSPARSE by columns", csr_work, make_spmm(ctx, csr, X, Y, CUSPARSE_SPMM_CSR_ALG1, CUSPARSE_ORDER_COL)},
          {"cuSPARSE by rows, ALG2", csr_work, make_spmm(ctx, csr, X, Y, CUSPARSE_SPMM_CSR_ALG2, CUSPARSE_ORDER_ROW)},
          {"cuSPARSE by rows, ALG3", csr_work, make_spmm(ctx, csr, X, Y, CUSPARSE_SPMM_CSR_ALG3, CUSPARSE_ORDER_ROW)}};
}

template std::vector<CusparseProduct> cusparse_products(Context<Cuda>&, const CsrMatrix<float, Cuda>&,
                                                        MultiVectorView<const float, Cuda>,
                                                        MultiVectorView<float, Cuda>);
template std::vector<CusparseProduct> cusparse_products(Context<Cuda>&, const CsrMatrix<double, Cuda>&,
                                                        MultiVectorView<const double, Cuda>,
                                                        MultiVectorView<double, Cuda>);

}  // namespace amgsolve::bench
