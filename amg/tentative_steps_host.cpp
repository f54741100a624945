#include "amg/aggregate_columns.hpp"
#include "amg/tentative_steps.hpp"
#include "core/parallel_host.hpp"

namespace amgsolve::detail {

template <class T>
void restrict_candidates(Context<Host>& ctx, const Aggregates<Host>& aggregates, Index block_size,
                         FatView<const T, Host> candidates, FatView<T, Host> basis) {
  const Index* of_node = aggregates.of_node.data();
  const std::int64_t entries_per_node = std::int64_t{candidates.columns} * block_size;
  const T* given = candidates.data;
  T* restricted = basis.data;
  parallel_for(ctx, static_cast<std::int64_t>(candidates.size()), [=](std::int64_t i) {
    restricted[i] = of_node[i / entries_per_node] == Aggregates<Host>::none ? T{0} : given[i];
  });
}

template <class T>
void orthonormalise(Context<Host>& ctx, const AggregateNodes<Host>& aggregates, Index block_size,
                    FatView<T, Host> basis, FatView<T, Host> coarse_candidates) {
  const AggregateColumns<T> columns{aggregates.offsets.data(), aggregates.nodes.data(), block_size, basis.columns,
                                    basis.data};
  parallel_for(
      ctx, coarse_candidates.rows / basis.columns,
      [&](std::int64_t a) {
        columns.orthonormalise(a, dependent_part<T>(), coarse_candidates.data + a * columns.k * columns.k);
      },
      parallel_grain / 8);
}

#define AMGSOLVE_INSTANTIATE(T)                                                                             \
  template void restrict_candidates(Context<Host>&, const Aggregates<Host>&, Index, FatView<const T, Host>, \
                                    FatView<T, Host>);                                                      \
  template void orthonormalise(Context<Host>&, const AggregateNodes<Host>&, Index, FatView<T, Host>, FatView<T, Host>);
AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve::detail

namespace amgsolve {

template <class T>
void fill_constant_candidates(Context<Host>& ctx, FatView<T, Host> candidates) {
  const std::int64_t k = candidates.columns;
  T* values = candidates.data;
  parallel_for(ctx, static_cast<std::int64_t>(candidates.size()),
               [=](std::int64_t i) { values[i] = i / k % k == i % k ? T{1} : T{0}; });
}

template void fill_constant_candidates(Context<Host>&, FatView<float, Host>);
template void fill_constant_candidates(Context<Host>&, FatView<double, Host>);

}  // namespace amgsolve
