#include <cmath>
#include <limits>

#include "amg/aggregate_nodes.hpp"
#include "amg/tentative.hpp"
#include "core/parallel_host.hpp"

namespace amgsolve {
namespace {

/// Calls visit(row) for the rows of all unknowns of an aggregate.
template <class Visit>
void for_each_row(const AggregateNodes<Host>& members, std::size_t aggregate, Index block_size, Visit&& visit) {
  for (Offset m = members.offsets[aggregate]; m < members.offsets[aggregate + 1]; ++m) {
    const auto node = static_cast<std::size_t>(members.nodes[static_cast<std::size_t>(m)]);
    for (std::size_t c = 0; c < static_cast<std::size_t>(block_size); ++c) {
      visit(node * static_cast<std::size_t>(block_size) + c);
    }
  }
}

}  // namespace

template <class T>
Tentative<T, Host> tentative_prolongator(Context<Host>& ctx, const Aggregates<Host>& aggregates, Index block_size,
                                         FatView<const std::type_identity_t<T>, Host> candidates) {
  const auto k = static_cast<std::size_t>(candidates.columns);
  const AggregateNodes<Host> members = aggregate_nodes(ctx, aggregates);
  const Index coarse_rows =
      checked_index(static_cast<std::int64_t>(aggregates.count) * candidates.columns, "rows of the coarse level");
  Tentative<T, Host> tentative{FatVector<T, Host>(ctx, candidates.rows, candidates.columns),
                               FatVector<T, Host>(ctx, coarse_rows, candidates.columns)};
  T* basis = tentative.basis.data();
  parallel_for(ctx, static_cast<std::int64_t>(candidates.size()), [&](std::int64_t i) {
    // Rows outside every aggregate are never read as part of T, but must not hold garbage.
    basis[i] =
        aggregates.of_node[static_cast<std::size_t>(i / candidates.columns / block_size)] == Aggregates<Host>::none
            ? T{0}
            : candidates.data[i];
  });
  const T dependent = std::sqrt(std::numeric_limits<T>::epsilon());
  parallel_for(
      ctx, aggregates.count,
      [&](std::int64_t aggregate) {
        const auto a = static_cast<std::size_t>(aggregate);
        T* R = tentative.coarse_candidates.data() + a * k * k;
        const auto column_dot = [&](std::size_t p, std::size_t q) {
          T sum = 0;
          for_each_row(members, a, block_size,
                       [&](std::size_t row) { sum += basis[row * k + p] * basis[row * k + q]; });
          return sum;
        };
        for (std::size_t q = 0; q < k; ++q) {
          for (std::size_t p = 0; p < k; ++p) {
            R[p * k + q] = 0;
          }
          const T norm_before = std::sqrt(column_dot(q, q));
          for (int pass = 0; pass < 2; ++pass) {
            for (std::size_t p = 0; p < q; ++p) {
              const T projection = column_dot(p, q);
              R[p * k + q] += projection;
              for_each_row(members, a, block_size,
                           [&](std::size_t row) { basis[row * k + q] -= projection * basis[row * k + p]; });
            }
          }
          const T norm = std::sqrt(column_dot(q, q));
          const bool independent = norm > dependent * norm_before;
          R[q * k + q] = independent ? norm : T{0};
          const T scale = independent ? T{1} / norm : T{0};
          for_each_row(members, a, block_size, [&](std::size_t row) { basis[row * k + q] *= scale; });
        }
      },
      parallel_grain / 8);
  ctx.profile().add(
      {.bytes = static_cast<std::int64_t>(2 * tentative.basis.bytes() + tentative.coarse_candidates.bytes() +
                                          aggregates.of_node.bytes()),
       .flops = static_cast<std::int64_t>(4 * candidates.size() * k)});
  return tentative;
}

template <class T>
void fill_constant_candidates(Context<Host>& ctx, FatView<T, Host> candidates) {
  const std::int64_t k = candidates.columns;
  parallel_for(ctx, static_cast<std::int64_t>(candidates.size()),
               [&](std::int64_t i) { candidates.data[i] = i / k % k == i % k ? T{1} : T{0}; });
}

template void fill_constant_candidates(Context<Host>&, FatView<float, Host>);
template void fill_constant_candidates(Context<Host>&, FatView<double, Host>);
template Tentative<float, Host> tentative_prolongator(Context<Host>&, const Aggregates<Host>&, Index,
                                                      FatView<const float, Host>);
template Tentative<double, Host> tentative_prolongator(Context<Host>&, const Aggregates<Host>&, Index,
                                                       FatView<const double, Host>);

}  // namespace amgsolve
