#include "amg/tentative_rows.hpp"
#include "core/parallel_cuda.cuh"

namespace amgsolve {
namespace {

struct InOneWarp {
  __device__ static bool is_first() { return lane_of_warp() == 0; }

  template <class Visit>
  __device__ static void for_each(std::int64_t rows, const Visit& visit) {
    for (std::int64_t r = lane_of_warp(); r < rows; r += warp_size) {
      visit(r);
    }
  }

  template <class T, class Term>
  __device__ static T sum(std::int64_t rows, const Term& term) {
    T sum = 0;
    for_each(rows, [&](std::int64_t r) { sum += term(r); });
    return sum_lanes(sum);
  }
};
static_assert(aggregate_lanes(2) == warp_size);

template <class Body>
__global__ void aggregates_by_warps_kernel(std::int64_t count, Body body) {
  const std::int64_t a = thread_index() / warp_size;
  if (a < count) {
    body(InOneWarp(), a);
  }
}

}  // namespace

template <class Body>
void for_each_aggregate(Context<Cuda>& ctx, std::int64_t count, std::int64_t k, std::int64_t /*visits*/,
                        const Body& body) {
  if (aggregate_lanes(k) == 1) {
    parallel_for(ctx, count, [=] __device__(std::int64_t a) { body(InOneThread<1>(), a); });
  } else {
    launch(ctx, aggregates_by_warps_kernel<Body>, Grid::of_lanes(count, warp_size), count, body);
  }
}

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve
