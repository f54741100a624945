#include <algorithm>

#include "core/parallel_host.hpp"
#include "spmv/blas1_steps.hpp"

namespace amgsolve::detail {
namespace {

/// visit(i, operation(…)) for the values i of rows [begin, end).
template <class Operation, class Factor, class Visit>
[[gnu::always_inline]] inline void walk_values(std::int64_t begin, std::int64_t end, Index columns,
                                               const Operation& operation, const Factor* factors, const Visit& visit) {
  if (columns == 1) {
    const Factor factor = factors[0];
#pragma GCC ivdep
    for (std::int64_t row = begin; row < end; ++row) {
      visit(row, operation, row, factor);
    }
    return;
  }
  for (std::int64_t row = begin; row < end; ++row) {
#pragma GCC ivdep
    for (Index j = 0; j < columns; ++j) {
      visit(row * columns + j, operation, row, factors[j]);
    }
  }
}

/// The factors of all columns.
template <class Operation>
auto factors_of(WorkspaceScope<Host>& scope, Index columns, const Operation& operation) {
  const auto factors = scope.take<decltype(operation.factor(0))>(static_cast<std::size_t>(columns));
  for (Index j = 0; j < columns; ++j) {
    factors.data()[j] = operation.factor(j);
  }
  return factors.data();
}

}  // namespace

template <class Operation>
void for_values(Context<Host>& ctx, std::int64_t rows, Index columns, const Operation& operation) {
  WorkspaceScope<Host> scope(ctx.workspace());
  const auto* const factors = factors_of(scope, columns, operation);
  parallel_fixed_blocks(
      ctx, rows, reduction_block,
      [&](std::int64_t, std::int64_t begin, std::int64_t end) {
        const Operation own = operation;  // a local one, which no write can change
        walk_values(begin, end, columns, own, factors,
                    [](std::int64_t i, const Operation& step, std::int64_t row, auto factor) { step(row, i, factor); });
      },
      columns);
}

template <class Operation>
void sum_values(Context<Host>& ctx, std::int64_t rows, Index columns, const Operation& operation,
                const BlockRange<Host>& range, Span<double, Host> partial) {
  WorkspaceScope<Host> scope(ctx.workspace());
  const auto* const factors = factors_of(scope, columns, operation);
  const std::int64_t lanes = reduction_lanes(columns);
  const auto width = static_cast<std::size_t>(lanes * columns);
  const auto sums_of_threads = scope.take<double>(width * static_cast<std::size_t>(ctx.threads()));
  parallel_for(
      ctx, range.last - range.first,
      [&](std::int64_t k) {
        const std::int64_t block = range.first + k;
        const std::int64_t block_begin = block * reduction_block - range.rows_before;  // before row 0 where it is cut
        const std::int64_t begin = std::max(block_begin, std::int64_t{0});
        const std::int64_t end = std::min(block_begin + reduction_block, rows);
        const Operation own = operation;
        double* const sums = sums_of_threads.data() + width * thread_number(ctx);
        if (block == 0 && !range.from_previous.empty()) {
          std::copy_n(range.from_previous.data(), width, sums);
        } else {
          std::fill_n(sums, width, 0.0);
        }
        for (std::int64_t first = begin - (begin - block_begin) % lanes; first < end; first += lanes) {
          double* const lane = sums - first * columns;
          walk_values(std::max(first, begin), std::min(first + lanes, end), columns, own, factors,
                      [=](std::int64_t i, const Operation& term, std::int64_t row, auto factor) {
                        lane[i] += term(row, i, factor);
                      });
        }
        if (block + 1 == range.all && !range.to_next.empty()) {
          std::copy_n(sums, width, range.to_next.data());
          std::fill_n(sums, width, 0.0);
        }
        for (std::int64_t distance = lanes / 2; distance > 0; distance /= 2) {
          for (std::int64_t i = 0; i < distance * columns; ++i) {
            sums[i] += sums[i + distance * columns];
          }
        }
        for (Index j = 0; j < columns; ++j) {
          partial.data()[j * range.all + block] = sums[j];
        }
      },
      std::min(rows, reduction_block) * columns);
}

#define AMGSOLVE_INSTANTIATE_FOR(Operation) \
  template void for_values(Context<Host>&, std::int64_t, Index, const Operation&);
#define AMGSOLVE_INSTANTIATE_SUM(Operation)                                                                \
  template void sum_values(Context<Host>&, std::int64_t, Index, const Operation&, const BlockRange<Host>&, \
                           Span<double, Host>);

AMGSOLVE_FOR_OPERATIONS(AMGSOLVE_INSTANTIATE_FOR, float)
AMGSOLVE_FOR_OPERATIONS(AMGSOLVE_INSTANTIATE_FOR, double)
AMGSOLVE_FOR_SUMS(AMGSOLVE_INSTANTIATE_SUM, float)
AMGSOLVE_FOR_SUMS(AMGSOLVE_INSTANTIATE_SUM, double)
#undef AMGSOLVE_INSTANTIATE_SUM
#undef AMGSOLVE_INSTANTIATE_FOR

}  // namespace amgsolve::detail
