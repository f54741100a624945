#include "spgemm/row_merge_cuda.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "core/timer.hpp"
#include "spgemm/row_merge_rows_cuda.hpp"
#include "spgemm/tuning.hpp"

namespace amgsolve {

template <class T>
bool can_merge_in_one_pass(const Survey& survey, const CsrMatrix<T, Cuda>& B) {
  return survey.longest_a <= merge_width && B.nnz() < std::numeric_limits<std::uint32_t>::max();
}

template <class T>
SpgemmProduct<T, Cuda> multiply_row_merge(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                                          const Survey& survey) {
  if (can_merge_in_one_pass(survey, B)) {
    ScopedTimer timer(ctx, "merge");
    const int staged = std::clamp<int>(survey.longest_sampled, 1, tuning::merge_most_staged);
    return form_in_one_pass<T>(
               ctx, A.rows, B.cols, merge_tile, survey.entries_bound(),
               [&](const OnePassTarget<T>& target) { merge_rows(ctx, A, B, survey.longest_a, staged, target); })
        .product;
  }
  if (survey.longest_a <= merge_width) {
    throw std::invalid_argument("sparse product by 'row_merge': B must have less than 2^32 entries");
  }
  const CutRows<T> cut = cut_rows(ctx, A);
  const SpgemmProduct<T, Cuda> parts = multiply_row_merge(ctx, cut.pieces, B, survey_product(ctx, cut.pieces, B));
  SpgemmProduct<T, Cuda> whole = multiply_row_merge(ctx, cut.sums, parts.C, survey_product(ctx, cut.sums, parts.C));
  whole.products = parts.products;
  return whole;
}

#define AMGSOLVE_INSTANTIATE(T)                                                                 \
  template bool can_merge_in_one_pass(const Survey&, const CsrMatrix<T, Cuda>&);                \
  template SpgemmProduct<T, Cuda> multiply_row_merge(Context<Cuda>&, const CsrMatrix<T, Cuda>&, \
                                                     const CsrMatrix<T, Cuda>&, const Survey&);

AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
