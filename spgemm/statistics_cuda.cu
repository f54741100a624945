#include "core/parallel_cuda.cuh"
#include "spgemm/statistics_rows.hpp"

namespace amgsolve::detail {
ProductTally tally_rows(Context<Cuda>& ctx, Index rows, const TallyProducts& tally) {
  return parallel_reduce(ctx, rows, ProductTally{}, tally,
                         [](const ProductTally& a, const ProductTally& b) { return join(a, b); });
}

RatioTallies tally_rows(Context<Cuda>& ctx, Index rows, const TallyRatios& tally) {
  return parallel_reduce(ctx, rows, RatioTallies{}, tally,
                         [](const RatioTallies& a, const RatioTallies& b) { return join(a, b); });
}

}  // namespace amgsolve::detail
