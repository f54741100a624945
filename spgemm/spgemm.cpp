#include "spgemm/spgemm.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "core/timer.hpp"
#include "spmv/conversions.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {
namespace {

/// The operand with the given name as the algorithms take it: itself, or sorted where it has to be and may.
template <class T, MemorySpace S>
CsrMatrix<T, S> sorted_operand(Context<S>& ctx, const char* name, const CsrMatrix<T, S>& A, SpgemmInput input) {
  if (input == SpgemmInput::trusted) {
    return borrow(A);
  }
  ScopedTimer timer(ctx, "input");
  const std::string problem = find_column_problem(ctx, A);
  if (problem.empty()) {
    return borrow(A);
  }
  if (input == SpgemmInput::reject) {
    throw std::invalid_argument(fmt::format("sparse product A B: {}, {}", name, problem));
  }
  return sum_duplicates(ctx, A);
}

}  // namespace

template <class T, MemorySpace S>
CsrMatrix<T, S> multiply(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& B,
                         const SpgemmOptions& options) {
  if (A.cols != B.rows) {
    throw std::invalid_argument(
        fmt::format("sparse product A B: A is {} x {} and B is {} x {}", A.rows, A.cols, B.rows, B.cols));
  }
  check_algorithm<S>(*options.algorithm);
  const CsrMatrix<T, S> sorted_A = sorted_operand(ctx, "A", A, options.input);
  const CsrMatrix<T, S> sorted_B = sorted_operand(ctx, "B", B, options.input);
  SpgemmProduct<T, S> product = options.algorithm->functions<S>().template of<T>()(ctx, sorted_A, sorted_B, options);
  if (options.drop_zeros) {
    ScopedTimer timer(ctx, "drop zeros");
    product.C = drop_zeros(ctx, std::move(product.C));
  }
  ctx.profile().add({static_cast<std::int64_t>(A.bytes() + B.bytes() + product.C.bytes()), 2 * product.products});
  return std::move(product.C);
}

template CsrMatrix<float, Host> multiply(Context<Host>&, const CsrMatrix<float, Host>&, const CsrMatrix<float, Host>&,
                                         const SpgemmOptions&);
template CsrMatrix<double, Host> multiply(Context<Host>&, const CsrMatrix<double, Host>&,
                                          const CsrMatrix<double, Host>&, const SpgemmOptions&);
#if AMGSOLVE_HAVE_CUDA
template CsrMatrix<float, Cuda> multiply(Context<Cuda>&, const CsrMatrix<float, Cuda>&, const CsrMatrix<float, Cuda>&,
                                         const SpgemmOptions&);
template CsrMatrix<double, Cuda> multiply(Context<Cuda>&, const CsrMatrix<double, Cuda>&,
                                          const CsrMatrix<double, Cuda>&, const SpgemmOptions&);
#endif

}  // namespace amgsolve
