#include "spmv/statistics.hpp"

#include <cmath>

#include "core/copy.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/blas1_steps.hpp"
#include "spmv/conversions.hpp"
#include "spmv/matrix_checks.hpp"
#include "spmv/random.hpp"
#include "spmv/shapes.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
void check_structure(Context<S>& ctx, const CsrMatrix<T, S>& A) {
  if (A.rows < 0 || A.cols < 0 || A.row_offsets.size() != static_cast<std::size_t>(A.rows) + 1) {
    throw InputError(format_text("{} row offsets for a matrix of {} x {}", A.row_offsets.size(), A.rows, A.cols));
  }
  if (A.values.size() != A.col_indices.size()) {
    throw InputError(format_text("{} column indices but {} values", A.col_indices.size(), A.values.size()));
  }
  if (const std::string problem = find_offset_problem(ctx, A.row_offsets.span(), A.nnz()); !problem.empty()) {
    throw InputError(problem);
  }
  if (const std::string problem = find_column_problem(ctx, A); !problem.empty()) {
    throw InputError(problem);
  }
}

template <class T, MemorySpace S>
std::string find_column_problem(Context<S>& ctx, const CsrMatrix<T, S>& A) {
  const EntryPosition wrong = detail::find_wrong_column(ctx, A);
  if (wrong.row < 0) {
    return {};
  }
  if (wrong.col < 0 || wrong.col >= A.cols) {
    return format_text("row {}: column {} is outside 1 to {}, counted from 1", wrong.row + 1,
                       std::int64_t{wrong.col} + 1, A.cols);
  }
  return format_text("row {}: column {} is repeated or out of order", wrong.row + 1, wrong.col + 1);
}

template <class T, MemorySpace S>
double symmetry_defect(Context<S>& ctx, const CsrMatrix<T, S>& A, std::type_identity_t<Span<const T, S>> scales) {
  expect_square(shape_of(A));
  return symmetry_defect<T>(ctx, Operator<T, S>(ctx, borrow(A), Storage::csr), scales, 0);
}

template <class T, MemorySpace S>
double symmetry_defect(Context<S>& ctx, const Operator<T, S>& A, std::type_identity_t<Span<const T, S>> scales,
                       std::int64_t first_row) {
  expect_length("scales", scales.size(), A.rows());
  WorkspaceScope<S> scope(ctx.workspace());
  const MultiVectorView<T, S> xy = MultiVector<T, S>::scratch(scope, A.rows(), 2, A.margins());
  const MultiVectorView<T, S> product = MultiVector<T, S>::scratch(scope, A.rows(), 2);
  fill_random<T>(ctx, 0, xy, static_cast<std::uint64_t>(2 * first_row));
  scale_rows<T>(ctx, scales, xy, xy);
  A.apply(ctx, T{1}, xy, T{0}, product);
  const auto sums = scope.template take<double>(3);
  detail::global_sums(ctx, A.rows(), detail::CrossDifference<T>{{}, xy.data, product.data}, sums.subspan(0, 1));
  scale_rows<T>(ctx, scales, product, product);
  dot<T>(ctx, product, product, sums.subspan(1, 2));
  double results[3];
  to_host(ctx, sums, results);
  if (results[0] == 0.0) {
    return 0.0;
  }
  constexpr double variance = 1.0 / 3.0;  // of numbers uniform in [−1, 1)
  return std::abs(results[0]) / std::sqrt(variance * (results[1] + results[2]) / 2.0);
}

template <MemorySpace S>
std::string find_offset_problem(Context<S>& ctx, std::type_identity_t<Span<const Offset, S>> row_offsets,
                                Offset entries) {
  const std::size_t rows = row_offsets.size() - 1;
  const auto offset = [&](std::size_t row) { return element(ctx, row_offsets, row); };
  if (offset(0) != 0) {
    return format_text("row 1: begins at entry {} and not at 0", offset(0));
  }
  if (const Index decreasing = detail::find_decreasing_row(ctx, row_offsets); decreasing >= 0) {
    const auto row = static_cast<std::size_t>(decreasing);
    return format_text("row {}: ends at entry {}, before its first entry {}", row + 1, offset(row + 1), offset(row));
  }
  if (offset(rows) != entries) {
    return format_text("row {}: ends at entry {}, but the matrix has {} entries", rows, offset(rows), entries);
  }
  return {};
}

template std::string find_offset_problem(Context<Host>&, Span<const Offset, Host>, Offset);
#if AMGSOLVE_HAVE_CUDA
template std::string find_offset_problem(Context<Cuda>&, Span<const Offset, Cuda>, Offset);
#endif

#define AMGSOLVE_INSTANTIATE(T, S)                                                        \
  template void check_structure(Context<S>&, const CsrMatrix<T, S>&);                     \
  template std::string find_column_problem(Context<S>&, const CsrMatrix<T, S>&);          \
  template double symmetry_defect(Context<S>&, const CsrMatrix<T, S>&, Span<const T, S>); \
  template double symmetry_defect(Context<S>&, const Operator<T, S>&, Span<const T, S>, std::int64_t);

AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
