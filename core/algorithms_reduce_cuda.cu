#include "core/algorithms.hpp"
#include "core/reduce_cuda.cuh"

namespace amgsolve {

SumAndMax sum_and_max(Context<Cuda>& ctx, Span<const Index, Cuda> x, Index lowest) {
  const Index* const values = x.data();
  return transform_reduce(
      ctx, static_cast<std::int64_t>(x.size()), SumAndMax{0, lowest},
      [values] __device__(std::int64_t i) {
        return SumAndMax{values[i], values[i]};
      },
      [] __device__(const SumAndMax& a, const SumAndMax& b) {
        return SumAndMax{a.sum + b.sum, max(a.max, b.max)};
      });
}

}  // namespace amgsolve
