#include "amg/tentative_rows.hpp"
#include "core/parallel_host.hpp"

namespace amgsolve {

template <class T>
void detail::orthonormalise(Context<Host>& ctx, const AggregateNodes<Host>& aggregates, Index block_size,
                            FatView<T, Host> basis, FatView<T, Host> coarse_candidates) {
  const AggregateColumns<T> columns{aggregates.offsets.data(), aggregates.nodes.data(), block_size, basis.columns,
                                    basis.data};
  parallel_for(
      ctx, coarse_candidates.rows / basis.columns,
      [&](std::int64_t a) {
        columns.orthonormalise(a, dependent_part<T>(), coarse_candidates.data + a * columns.k * columns.k);
      },
      8 * row_work);
}

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
