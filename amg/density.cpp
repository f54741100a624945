#include "amg/density.hpp"

#include <algorithm>
#include <vector>

#include "amg/density_steps.hpp"
#include "core/copy.hpp"
#include "core/instantiate.hpp"

namespace amgsolve {
namespace {

constexpr Index most_product_rows = 1024;

}  // namespace

template <class T, MemorySpace S>
double estimate_density(Context<S>& ctx, const CsrMatrix<T, S>& R, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& P) {
  const RowStrata choice = density_sample(R.rows);
  if (choice.count == 0 || A.nnz() == 0) {
    return 0.0;
  }
  const Offset entries = count_product_entries(ctx, ref_of(R), ref_of(A), ref_of(P), P.cols, SampledRows(choice));
  return static_cast<double>(entries) / choice.count * R.rows / static_cast<double>(A.nnz());
}

template <class T, MemorySpace S>
double estimate_product_entries(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& P) {
  const RowStrata choice{A.rows, std::min(A.rows, most_product_rows)};
  if (choice.count == 0) {
    return 0.0;
  }
  std::vector<Offset> offsets(static_cast<std::size_t>(choice.count) + 1);
  std::vector<Index> cols(static_cast<std::size_t>(choice.count));
  for (std::size_t k = 0; k < cols.size(); ++k) {
    offsets[k + 1] = static_cast<Offset>(k) + 1;
    cols[k] = static_cast<Index>(choice.row(static_cast<std::int64_t>(k)));
  }
  CsrMatrix<T, S> chosen(ctx, choice.count, A.rows, choice.count);
  upload<Offset>(ctx, {offsets.data(), offsets.size()}, chosen.row_offsets.span());
  upload<Index>(ctx, {cols.data(), cols.size()}, chosen.col_indices.span());
  const Offset entries = count_product_entries(ctx, ref_of(chosen), ref_of(A), ref_of(P), P.cols,
                                               SampledRows({choice.count, choice.count}));
  return static_cast<double>(entries) / choice.count * A.rows;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                              \
  template double estimate_density(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&, \
                                   const CsrMatrix<T, S>&);                                     \
  template double estimate_product_entries(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
