#include "amg/check_matrix.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "amg/diagonal.hpp"
#include "amg/options.hpp"
#include "core/copy.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"

namespace amgsolve {
namespace {

template <class T>
constexpr T symmetry_tolerance = sizeof(T) == sizeof(double) ? T(1e-10) : T(1e-5);

/// How large the largest entry, or its inverse, may be, so that products and quotients of a few such numbers still are
/// numbers.
template <class T>
constexpr double most_magnitude = sizeof(T) == sizeof(double) ? 0x1p900 : 0x1p96;

/// How small the largest entry of a row may be, so that it has an inverse.
template <class T>
constexpr double least_magnitude = 4.0 * std::numeric_limits<T>::min();

template <class T>
bool is_usual(double largest) {
  return largest <= most_magnitude<T> && largest >= 1.0 / most_magnitude<T>;
}

}  // namespace

template <class T>
bool has_usual_magnitudes(const RowMagnitudes& magnitudes) {
  return is_usual<T>(magnitudes.largest) && magnitudes.smallest >= least_magnitude<T>;
}

template <class T>
bool is_symmetric_within_rounding(double symmetry_defect) {
  // NaN, where numbers overflow, is no symmetry either.
  return symmetry_defect <= static_cast<double>(symmetry_tolerance<T>);
}

std::string error_of_zero_row(std::int64_t row) {
  return format_text(
      "row {} of the matrix is zero: the matrix is singular; leave such unknowns out, as isolated vertices of a graph, "
      "or put 1 on their diagonal",
      row + 1);
}

std::string directly(std::int64_t rows) {
  return rows <= most_direct_rows
             ? format_text("solve directly with 'solver.method' gmres and 'amg.coarse_size' {}", rows)
             : "use a direct solver";
}

template bool has_usual_magnitudes<float>(const RowMagnitudes&);
template bool has_usual_magnitudes<double>(const RowMagnitudes&);
template bool is_symmetric_within_rounding<float>(double);
template bool is_symmetric_within_rounding<double>(double);

template <class T, MemorySpace S>
MatrixFindings check_matrix(Context<S>& ctx, const CsrMatrix<T, S>& A) {
  check_pattern(ctx, A);
  return check_values(ctx, A, Operator<T, S>(ctx, borrow(A), Storage::csr));
}

template <class T, MemorySpace S>
void check_pattern(Context<S>& ctx, const CsrMatrix<T, S>& A) {
  if (A.rows != A.cols) {
    throw InputError(format_text("the matrix is not square: {} x {}", A.rows, A.cols));
  }
  if (A.rows == 0) {
    throw InputError("the matrix has no rows");
  }
  check_structure<T>(ctx, A);
}

template <class T, MemorySpace S>
MatrixFindings check_values(Context<S>& ctx, const CsrMatrix<T, S>& A, const Operator<T, S>& stored) {
  WorkspaceScope<S> scope(ctx.workspace());
  const auto scales = scope.template take<T>(static_cast<std::size_t>(A.rows));
  const RowMagnitudes magnitudes = scale_by_rows<T>(ctx, A, scales);
  if (!std::isfinite(magnitudes.largest)) {
    const EntryPosition bad = find_non_finite<T>(ctx, A);
    throw InputError(format_text("the matrix entry in row {}, column {} is NaN or infinite", bad.row + 1, bad.col + 1));
  }
  if (magnitudes.smallest == 0.0) {
    throw InputError(error_of_zero_row(find_zero_row<T>(ctx, A)));
  }
  if (!has_usual_magnitudes<T>(magnitudes)) {
    const bool is_row = is_usual<T>(magnitudes.largest);
    throw InputError(
        format_text("the largest entry of {} is {:.1e}, at the end of the range of {} precision: scale the system",
                    is_row ? "a row of the matrix" : "the matrix", is_row ? magnitudes.smallest : magnitudes.largest,
                    sizeof(T) == sizeof(double) ? "double" : "single"));
  }
  if (!is_symmetric_within_rounding<T>(symmetry_defect<T>(ctx, stored, scales, 0))) {
    return {magnitudes, find_asymmetry<T>(ctx, A, scales, symmetry_tolerance<T>)};
  }
  return {magnitudes};
}

template <class T, MemorySpace S>
DiagonalSigns diagonal_signs(Context<S>& ctx, const CsrMatrix<T, S>& A, Index first, const Operator<T, S>& stored) {
  WorkspaceScope<S> scope(ctx.workspace());
  const auto diagonal = scope.template take<T>(static_cast<std::size_t>(A.rows));
  extract_diagonal<T>(ctx, A, stored, first, diagonal);
  DiagonalSigns signs;
  signs.not_positive = find_non_positive_diagonal<T>(ctx, A, diagonal);
  if (!signs.all_positive()) {
    const MultiVectorView<T, S> all(diagonal.data(), A.rows);
    axpby<T>(ctx, T{-1}, all, T{0}, all);
    signs.not_negative = find_non_positive_diagonal<T>(ctx, A, diagonal);
  }
  return signs;
}

template <class T, MemorySpace S>
void throw_not_of_one_sign(Context<S>& ctx, const CsrMatrix<T, S>& A, const DiagonalSigns& signs, bool is_symmetric) {
  const auto [not_positive, not_negative] = signs;
  WorkspaceScope<S> scope(ctx.workspace());
  const auto diagonal = scope.template take<T>(static_cast<std::size_t>(A.rows));
  extract_diagonal<T>(ctx, A, diagonal);
  const auto entry = [&](Index row) {
    return format_text("row {} has the diagonal entry {:.3g}", row + 1,
                       element(ctx, diagonal, static_cast<std::size_t>(row)));
  };
  const std::string rows =
      not_negative == not_positive ? entry(not_negative) : entry(not_positive) + " and " + entry(not_negative);
  const std::string direct = directly(A.rows);
  throw BreakdownError(
      is_symmetric ? format_text("the matrix is not positive definite: {}; multigrid smooths by the diagonal, so "
                                 "eliminate such unknowns, or try 'solver.method' minres, which takes symmetric "
                                 "matrices of any signs, or {}",
                                 rows, direct)
                   : format_text("{}; multigrid smooths by the diagonal, which must be of one sign: permute the "
                                 "equations so that large entries stand there, scale them by -1, or {}",
                                 rows, direct));
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                          \
  template MatrixFindings check_matrix(Context<S>&, const CsrMatrix<T, S>&);                                \
  template void check_pattern(Context<S>&, const CsrMatrix<T, S>&);                                         \
  template MatrixFindings check_values(Context<S>&, const CsrMatrix<T, S>&, const Operator<T, S>&);         \
  template DiagonalSigns diagonal_signs(Context<S>&, const CsrMatrix<T, S>&, Index, const Operator<T, S>&); \
  template void throw_not_of_one_sign(Context<S>&, const CsrMatrix<T, S>&, const DiagonalSigns&, bool);

AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
