#include "bench/cusparse_spgemm.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "bench/cusparse_csr_cuda.hpp"
#include "core/timer.hpp"

namespace amgsolve::bench {
namespace {

using Plan = std::unique_ptr<cusparseSpGEMMDescr, Destroy<cusparseSpGEMM_destroyDescr>>;
using Scratch = Buffer<std::byte, Cuda>;

constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr float chunk_fraction = 0.2F;  // of alg3

cusparseSpGEMMAlg_t algorithm_of(const std::string& name) {
  return name == "alg2" ? CUSPARSE_SPGEMM_ALG2 : name == "alg3" ? CUSPARSE_SPGEMM_ALG3 : CUSPARSE_SPGEMM_ALG1;
}

Plan make_plan() {
  cusparseSpGEMMDescr_t created = nullptr;
  AMGSOLVE_CUSPARSE_CHECK(cusparseSpGEMM_createDescr(&created));
  return Plan(created);
}

/// A and B as cuSPARSE takes them.
template <class T>
struct Operands {
  Buffer<std::int32_t, Cuda> a_offsets;
  Buffer<std::int32_t, Cuda> b_offsets;
  ConstMatrixDescriptor a;
  ConstMatrixDescriptor b;
  T one{1};
  T zero{0};

  Operands(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B)
      : a_offsets(narrow_row_offsets(ctx, A)),
        b_offsets(narrow_row_offsets(ctx, B)),
        a(describe_csr(A, a_offsets)),
        b(describe_csr(B, b_offsets)) {}

  std::size_t bytes() const { return a_offsets.bytes() + b_offsets.bytes(); }
};

/// C with 32-bit row offsets; columns and values when their number is known.
template <class T>
struct Result {
  Index rows;
  Index cols;
  Buffer<std::int32_t, Cuda> row_offsets;
  Buffer<Index, Cuda> col_indices{};
  Buffer<T, Cuda> values{};
  MatrixDescriptor descriptor{};

  Result(Context<Cuda>& ctx, Index rows_, Index cols_)
      : rows(rows_), cols(cols_), row_offsets(ctx, static_cast<std::size_t>(rows) + 1) {
    cusparseSpMatDescr_t created = nullptr;
    AMGSOLVE_CUSPARSE_CHECK(cusparseCreateCsr(&created, rows, cols, 0, row_offsets.data(), nullptr, nullptr,
                                              CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                              value_type<T>));
    descriptor.reset(created);
  }

  /// Makes room for the entries that cuSPARSE has counted; returns their number.
  Offset allocate(Context<Cuda>& ctx) {
    std::int64_t r = 0;
    std::int64_t c = 0;
    std::int64_t nnz = 0;
    AMGSOLVE_CUSPARSE_CHECK(cusparseSpMatGetSize(descriptor.get(), &r, &c, &nnz));
    col_indices = Buffer<Index, Cuda>(ctx, static_cast<std::size_t>(nnz));
    values = Buffer<T, Cuda>(ctx, static_cast<std::size_t>(nnz));
    AMGSOLVE_CUSPARSE_CHECK(
        cusparseCsrSetPointers(descriptor.get(), row_offsets.data(), col_indices.data(), values.data()));
    return nnz;
  }

  std::size_t bytes() const { return row_offsets.bytes() + col_indices.bytes() + values.bytes(); }
};

/// Calls step(bytes, scratch) twice: for the bytes it needs, and with as many.
template <class Step>
Scratch run_with_scratch(Context<Cuda>& ctx, const Step& step) {
  std::size_t bytes = 0;
  AMGSOLVE_CUSPARSE_CHECK(step(&bytes, nullptr));
  Scratch scratch(ctx, std::max<std::size_t>(bytes, 1));  // a null pointer would ask again
  AMGSOLVE_CUSPARSE_CHECK(step(&bytes, scratch.data()));
  return scratch;
}

template <class T>
CusparseSpgemm::Result multiply_once(Context<Cuda>& ctx, const Operands<T>& operands, Index rows, Index cols,
                                     cusparseSpGEMMAlg_t algorithm) {
  Result<T> C(ctx, rows, cols);
  const Plan plan = make_plan();
  const auto run = [&](auto function, auto... more) {
    return function(ctx.cusparse(), plain, plain, &operands.one, operands.a.get(), operands.b.get(), &operands.zero,
                    C.descriptor.get(), value_type<T>, algorithm, plan.get(), more...);
  };
  Scratch estimation_scratch;
  Scratch compute_scratch;
  {
    const ScopedTimer timer(ctx, "analysis");
    estimation_scratch = run_with_scratch(
        ctx, [&](std::size_t* bytes, void* scratch) { return run(cusparseSpGEMM_workEstimation, bytes, scratch); });
    if (algorithm != CUSPARSE_SPGEMM_ALG1) {
      std::size_t compute_bytes = 0;
      run_with_scratch(ctx, [&](std::size_t* bytes, void* scratch) {
        return run(cusparseSpGEMM_estimateMemory, chunk_fraction, bytes, scratch,
                   scratch == nullptr ? nullptr : &compute_bytes);
      });
      compute_scratch = Scratch(ctx, compute_bytes);
    }
  }
  {
    const ScopedTimer timer(ctx, "compute");
    if (algorithm == CUSPARSE_SPGEMM_ALG1) {
      compute_scratch = run_with_scratch(
          ctx, [&](std::size_t* bytes, void* scratch) { return run(cusparseSpGEMM_compute, bytes, scratch); });
    } else {
      std::size_t bytes = compute_scratch.bytes();
      AMGSOLVE_CUSPARSE_CHECK(run(cusparseSpGEMM_compute, &bytes, compute_scratch.data()));
    }
  }
  const ScopedTimer timer(ctx, "copy");
  const Offset nnz = C.allocate(ctx);
  if (nnz > 0) {
    AMGSOLVE_CUSPARSE_CHECK(run(cusparseSpGEMM_copy));
  }
  return {nnz, C.bytes()};
}

}  // namespace

template <class T>
CusparseSpgemm cusparse_spgemm(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                               const std::string& algorithm) {
  const auto operands = std::make_shared<const Operands<T>>(ctx, A, B);
  return {"cuSPARSE " + algorithm, operands->bytes(),
          [&ctx, operands, rows = A.rows, cols = B.cols, algorithm = algorithm_of(algorithm)] {
            return multiply_once(ctx, *operands, rows, cols, algorithm);
          }};
}

template <class T>
CusparseSpgemmReuse cusparse_spgemm_reuse(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A,
                                          const CsrMatrix<T, Cuda>& B) {
  struct State {
    Operands<T> operands;
    Result<T> C;
    Plan plan;
    Scratch estimation;
    Scratch pattern[3];
    Scratch copied;

    std::size_t bytes() const {
      return operands.bytes() + estimation.bytes() + pattern[0].bytes() + pattern[1].bytes() + pattern[2].bytes() +
             copied.bytes();
    }
  };
  const auto state =
      std::make_shared<State>(State{Operands<T>(ctx, A, B), Result<T>(ctx, A.rows, B.cols), make_plan(), {}, {}, {}});
  constexpr auto algorithm = CUSPARSE_SPGEMM_DEFAULT;
  const auto run = [&ctx, &s = *state](auto function, auto... more) {
    return function(ctx.cusparse(), plain, plain, s.operands.a.get(), s.operands.b.get(), s.C.descriptor.get(),
                    algorithm, s.plan.get(), more...);
  };
  state->estimation = run_with_scratch(
      ctx, [&](std::size_t* bytes, void* scratch) { return run(cusparseSpGEMMreuse_workEstimation, bytes, scratch); });
  std::size_t bytes[3] = {};
  const auto count = [&] {
    return run(cusparseSpGEMMreuse_nnz, bytes, state->pattern[0].data(), bytes + 1, state->pattern[1].data(), bytes + 2,
               state->pattern[2].data());
  };
  AMGSOLVE_CUSPARSE_CHECK(count());
  for (std::size_t i = 0; i < 3; ++i) {
    state->pattern[i] = Scratch(ctx, bytes[i]);
  }
  AMGSOLVE_CUSPARSE_CHECK(count());
  // Both are done with; the other two are of the steps to come.
  state->estimation = {};
  state->pattern[0] = {};
  const Offset nnz = state->C.allocate(ctx);
  state->copied = run_with_scratch(
      ctx, [&](std::size_t* size, void* scratch) { return run(cusparseSpGEMMreuse_copy, size, scratch); });
  state->pattern[1] = {};
  return {nnz, state->bytes(), [&ctx, state] {
            const Operands<T>& operands = state->operands;
            AMGSOLVE_CUSPARSE_CHECK(cusparseSpGEMMreuse_compute(
                ctx.cusparse(), plain, plain, &operands.one, operands.a.get(), operands.b.get(), &operands.zero,
                state->C.descriptor.get(), value_type<T>, algorithm, state->plan.get()));
          }};
}

#define AMGSOLVE_INSTANTIATE(T)                                                                                 \
  template CusparseSpgemm cusparse_spgemm(Context<Cuda>&, const CsrMatrix<T, Cuda>&, const CsrMatrix<T, Cuda>&, \
                                          const std::string&);                                                  \
  template CusparseSpgemmReuse cusparse_spgemm_reuse(Context<Cuda>&, const CsrMatrix<T, Cuda>&,                 \
                                                     const CsrMatrix<T, Cuda>&);

AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve::bench
