#include "core/thread_group_cuda.cuh"
#include "spmv/relax_rows.hpp"

namespace amgsolve::detail {
namespace {

/// `Lanes` neighbouring lanes a row read its entries side by side, once for each column of x. What they read of x no
/// other row writes.
template <int Lanes, class Ref, class T>
__global__ void relax_rows_kernel(Ref A, const Index* rows, std::int64_t count, Relaxation<T> relaxation) {
  const std::int64_t item = thread_index() / Lanes;
  const int lane = static_cast<int>(threadIdx.x) % Lanes;
  const bool is_inside = item < count;
  const Index row = is_inside ? rows[item] : 0;
  const auto entries = A.row(row);
  for (Index j = 0; j < relaxation.columns; ++j) {
    T sum = 0;
    for (Index e = lane; is_inside && e < entries.count; e += Lanes) {
      const Index l = entries.column(e);
      if (!Ref::has_padding || l != padding) {
        sum += A.values[entries.place(e)] * relaxation.x[static_cast<std::int64_t>(l) * relaxation.columns + j];
      }
    }
    sum = sum_lanes<Lanes>(sum);
    if (is_inside && lane == 0) {
      relaxation(row, j, sum);
    }
  }
}

}  // namespace

template <class Ref, class T>
void relax_rows(Context<Cuda>& ctx, const Ref& A, Span<const Index, Cuda> rows, std::int64_t, int lanes,
                const Relaxation<T>& relaxation) {
  const auto count = static_cast<std::int64_t>(rows.size());
  constexpr int most_lanes = Ref::block_rows == 1 ? warp_size : 1;
  // Twice as many as for products, whose lanes have several entries on their way at a time.
  with_lanes<1, most_lanes>(2 * lanes, [&](auto of_row) {
    launch(ctx, relax_rows_kernel<of_row.size, Ref, T>, Grid::of_lanes(count, of_row.size), A, rows.data(), count,
           relaxation);
  });
}

#define AMGSOLVE_INSTANTIATE(T, Ref)                                                               \
  template void relax_rows(Context<Cuda>&, const Ref&, Span<const Index, Cuda>, std::int64_t, int, \
                           const Relaxation<T>&);
AMGSOLVE_FOR_STORAGES(AMGSOLVE_INSTANTIATE, float)
AMGSOLVE_FOR_STORAGES(AMGSOLVE_INSTANTIATE, double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve::detail
