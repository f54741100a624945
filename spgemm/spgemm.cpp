#include "spgemm/spgemm.hpp"

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "spgemm/nodes/node_product.hpp"
#include "spmv/conversions.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {
namespace {

/// The operand with the given name as the algorithms take it: itself, or sorted where it has to be and may, in
/// `sorted`.
template <class T, MemorySpace S>
const CsrMatrix<T, S>& sorted_operand(Context<S>& ctx, const char* name, const CsrMatrix<T, S>& A, SpgemmInput input,
                                      CsrMatrix<T, S>& sorted) {
  if (input == SpgemmInput::trusted) {
    return A;
  }
  ScopedTimer timer(ctx, "input");
  const std::string problem = find_column_problem(ctx, A);
  if (problem.empty()) {
    return A;
  }
  if (input == SpgemmInput::reject) {
    throw std::invalid_argument(format_text("sparse product A B: {}, {}", name, problem));
  }
  return sorted = sum_duplicates(ctx, A);
}

}  // namespace

template <class T, MemorySpace S>
CsrMatrix<T, S> multiply(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& B,
                         const SpgemmOptions& options) {
  if (A.cols != B.rows) {
    throw std::invalid_argument(
        format_text("sparse product A B: A is {} x {} and B is {} x {}", A.rows, A.cols, B.rows, B.cols));
  }
  check_algorithm<S>(*options.algorithm);
  CsrMatrix<T, S> own_A;
  CsrMatrix<T, S> own_B;
  const CsrMatrix<T, S>& sorted_A = sorted_operand(ctx, "A", A, options.input, own_A);
  const CsrMatrix<T, S>& sorted_B = sorted_operand(ctx, "B", B, options.input, own_B);
  std::optional<SpgemmProduct<T, S>> by_nodes = multiply_by_nodes(ctx, sorted_A, sorted_B, options);
  SpgemmProduct<T, S> product =
      by_nodes ? std::move(*by_nodes)
               : options.algorithm->functions<S>().template of<T>()(ctx, sorted_A, sorted_B, options);
  if (options.drop_zeros) {
    ScopedTimer timer(ctx, "drop zeros");
    product.C = drop_zeros(ctx, std::move(product.C));
  }
  ctx.profile().add({static_cast<std::int64_t>(A.bytes() + B.bytes() + product.C.bytes()), 2 * product.products});
  return std::move(product.C);
}

#define AMGSOLVE_INSTANTIATE(T, S) \
  template CsrMatrix<T, S> multiply(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&, const SpgemmOptions&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
