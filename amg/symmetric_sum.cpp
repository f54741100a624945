#include "amg/symmetric_sum.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "core/copy.hpp"
#include "core/instantiate.hpp"
#include "spmv/conversions.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
CsrMatrix<T, S> symmetric_sum(Context<S>& ctx, const CsrMatrix<T, S>& A) {
  if (A.rows != A.cols) {
    throw std::invalid_argument(fmt::format("the symmetric sum of a {} x {} matrix", A.rows, A.cols));
  }
  CooMatrix<T, S> sum(ctx, A.rows, A.cols, 2 * A.nnz());
  {
    const CooMatrix<T, S> triplets = csr_to_coo(ctx, A);
    const std::size_t count = triplets.values.size();
    const auto place = [&](auto& all, const auto& rows, const auto& cols, std::size_t first) {
      copy(ctx, rows.span(), all.row_indices.span().subspan(first, count));
      copy(ctx, cols.span(), all.col_indices.span().subspan(first, count));
      copy(ctx, triplets.values.span(), all.values.span().subspan(first, count));
    };
    place(sum, triplets.row_indices, triplets.col_indices, 0);
    place(sum, triplets.col_indices, triplets.row_indices, count);
  }
  return coo_to_csr(ctx, sum);
}

#define AMGSOLVE_INSTANTIATE(T, S) template CsrMatrix<T, S> symmetric_sum(Context<S>&, const CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
