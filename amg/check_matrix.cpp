#include "amg/check_matrix.hpp"

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/instantiate.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
void check_matrix(Context<S>& ctx, const CsrMatrix<T, S>& A) {
  if (A.rows != A.cols) {
    throw InputError(fmt::format("the matrix is not square: {} x {}", A.rows, A.cols));
  }
  if (A.rows == 0) {
    throw InputError("the matrix has no rows");
  }
  check_structure<T>(ctx, A);
  check_values(ctx, A);
}

template <class T, MemorySpace S>
void check_values(Context<S>& ctx, const CsrMatrix<T, S>& A) {
  constexpr T symmetry_tolerance = sizeof(T) == sizeof(double) ? T(1e-10) : T(1e-5);
  if (const EntryPosition bad = find_non_finite<T>(ctx, A); bad.row >= 0) {
    throw InputError(fmt::format("the matrix entry in row {}, column {} is NaN or infinite", bad.row + 1, bad.col + 1));
  }
  if (const Index row = find_zero_row<T>(ctx, A); row >= 0) {
    throw InputError(fmt::format("row {} of the matrix is zero: the matrix is singular", row + 1));
  }
  if (symmetry_defect<T>(ctx, A) > static_cast<double>(symmetry_tolerance)) {
    const EntryPosition bad = find_asymmetry<T>(ctx, A, symmetry_tolerance);
    throw InputError(fmt::format(
        "the matrix is not symmetric (entry in row {}, column {} differs from its mirror): multigrid under conjugate "
        "gradients needs a symmetric matrix",
        bad.row + 1, bad.col + 1));
  }
}

#define AMGSOLVE_INSTANTIATE(T, S)                                 \
  template void check_matrix(Context<S>&, const CsrMatrix<T, S>&); \
  template void check_values(Context<S>&, const CsrMatrix<T, S>&);

AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
