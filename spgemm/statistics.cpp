#include "spgemm/statistics.hpp"

#include <algorithm>
#include <cmath>

#include "core/instantiate.hpp"
#include "spgemm/rows/row_products.hpp"
#include "spgemm/statistics_rows.hpp"
#include "spmv/shapes.hpp"

namespace amgsolve {
namespace detail {
namespace {

RatioTally join(const RatioTally& a, const RatioTally& b) {
  if (a.rows == 0 || b.rows == 0) {
    return a.rows == 0 ? b : a;
  }
  return {a.rows + b.rows, std::min(a.min, b.min), std::max(a.max, b.max), a.sum + b.sum, a.squares + b.squares};
}

}  // namespace

ProductTally join(const ProductTally& a, const ProductTally& b) {
  ProductTally both = a;
  both.products += b.products;
  both.most_products = std::max(a.most_products, b.most_products);
  for (int bin = 0; bin < histogram_bins; ++bin) {
    both.histogram[bin] += b.histogram[bin];
  }
  return both;
}

RatioTallies join(const RatioTallies& a, const RatioTallies& b) {
  return {join(a.expansion, b.expansion), join(a.contraction, b.contraction)};
}

}  // namespace detail

namespace {

double ratio(Offset products, Offset entries) {
  return entries > 0 ? static_cast<double>(products) / static_cast<double>(entries) : 0.0;
}

RowRatio summarise(double whole, const detail::RatioTally& tally) {
  if (tally.rows == 0) {
    return {};
  }
  const auto rows = static_cast<double>(tally.rows);
  const double mean = tally.sum / rows;
  return {whole, tally.min, tally.max, whole + mean, std::sqrt(std::max(0.0, tally.squares / rows - mean * mean))};
}

}  // namespace

template <class T, MemorySpace S>
SpgemmStatistics spgemm_statistics(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& B,
                                   const CsrMatrix<T, S>& C) {
  expect_shape("B", shape_of(B), {A.cols, B.cols});
  expect_shape("C", shape_of(C), {A.rows, B.cols});
  WorkspaceScope<S> scope(ctx.workspace());
  const auto products = scope.template take<Offset>(static_cast<std::size_t>(A.rows));
  count_row_products(ctx, A, B, products);
  const detail::ProductTally tally = detail::tally_rows(ctx, A.rows, detail::TallyProducts{products.data()});

  SpgemmStatistics result;
  result.rows = A.rows;
  result.a_entries = A.nnz();
  result.c_entries = C.nnz();
  result.products = tally.products;
  result.most_products = tally.most_products;
  int bins = detail::histogram_bins;
  while (bins > 0 && tally.histogram[bins - 1] == 0) {
    --bins;
  }
  result.histogram.assign(tally.histogram, tally.histogram + bins);
  const double expansion = ratio(result.products, result.a_entries);
  const double contraction = ratio(result.products, result.c_entries);
  const detail::RatioTallies ratios = detail::tally_rows(
      ctx, A.rows,
      detail::TallyRatios{products.data(), A.row_offsets.data(), C.row_offsets.data(), expansion, contraction});
  result.expansion = summarise(expansion, ratios.expansion);
  result.contraction = summarise(contraction, ratios.contraction);
  return result;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                         \
  template SpgemmStatistics spgemm_statistics(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&, \
                                              const CsrMatrix<T, S>&);

AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
