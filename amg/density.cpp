#include "amg/density.hpp"

#include <algorithm>

#include "amg/density_steps.hpp"
#include "core/instantiate.hpp"

namespace amgsolve {
namespace {

constexpr Index most_rows = 256;

}  // namespace

template <class T, MemorySpace S>
double estimate_density(Context<S>& ctx, const CsrMatrix<T, S>& R, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& P) {
  const RowStrata choice{R.rows, std::min(R.rows, most_rows)};
  if (choice.count == 0 || A.nnz() == 0) {
    return 0.0;
  }
  const Offset entries = count_product_entries(ctx, ref_of(R), ref_of(A), ref_of(P), P.cols, choice);
  return static_cast<double>(entries) / choice.count * R.rows / static_cast<double>(A.nnz());
}

#define AMGSOLVE_INSTANTIATE(T, S) \
  template double estimate_density(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
