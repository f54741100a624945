#include <algorithm>
#include <limits>
#include <vector>

#include "core/instantiate.hpp"
#include "spgemm/plan/plan_steps.hpp"
#include "spgemm/rows/product_blocks_host.hpp"
#include "spgemm/rows/product_list_host.hpp"
#include "spgemm/rows/row_slots_host.hpp"
#include "spmv/csr_ref.hpp"

namespace amgsolve {
namespace {

/// Sums rows of C = A B whose columns are known, each entry in the order of A's row. One a thread; aligned as the
/// accumulators of products are.
template <class T, class Slots>
class alignas(128) RowSums {
 public:
  RowSums(WorkspaceScope<Host>& scope, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B, Offset longest_row)
      : list_(scope, ProductFactors<T>(A, B)),
        longest_row_(longest_row),
        slots_memory_(scope.take<RowPosition>(Slots::size(longest_row, B.cols))),
        slots_(slots_memory_.data()) {}

  /// Fills the scratch; before the first row, by the thread that works with it, so that its memory lies close.
  void clear() {
    std::fill(slots_memory_.begin(), slots_memory_.end(), RowPosition{0});
    first_ = 1;
  }

  /// The values of row i of C.
  void write(Index i, const Index* cols, Offset entries, T* values) {
    if (first_ > std::numeric_limits<RowPosition>::max() - static_cast<RowPosition>(longest_row_)) {
      clear();
    }
    // Copies of the members, since stores to the row could otherwise change them for all that the compiler knows.
    const RowPosition first = first_;
    slots_.start_row(first, entries);
    const Slots slots = slots_;
    for (Offset k = 0; k < entries; ++k) {
      slots.find(cols[k], cols) = first + static_cast<RowPosition>(k);
    }
    // The zero that leaves the bits of whatever is added to it.
    std::fill_n(values, entries, -T{0});
    list_.list(i, [=](const Index* list_cols, const T* list_values, Offset count) {
      for (Offset k = 0; k < count; ++k) {
        values[slots.find(list_cols[k], cols) - first] += list_values[k];
      }
    });
    first_ = first + static_cast<RowPosition>(entries);
  }

 private:
  ProductList<T, ProductFactors<T>> list_;
  Offset longest_row_;
  Span<RowPosition, Host> slots_memory_;
  Slots slots_;
  RowPosition first_ = 1;
};

template <class T, class Slots>
void sum_rows(Context<Host>& ctx, const PlanSchedule<Host>& schedule, const CsrMatrix<T, Host>& A,
              const CsrMatrix<T, Host>& B, CsrMatrix<T, Host>& C) {
  WorkspaceScope<Host> scope(ctx.workspace());
  std::vector<RowSums<T, Slots>> sums;
  for (int thread = 0; thread < ctx.threads(); ++thread) {
    sums.emplace_back(scope, A, B, schedule.longest_row);
  }
  parallel_blocks(
      ctx, ctx.threads(), [&](std::int64_t thread) { sums[static_cast<std::size_t>(thread)].clear(); },
      schedule.products / ctx.threads());
  const CsrRef<T> pattern = ref_of(C);
  T* const values = C.values.data();
  const Index* begins = schedule.block_begins.data();
  parallel_blocks(
      ctx, static_cast<std::int64_t>(schedule.block_begins.size()) - 1,
      [&](std::int64_t block) {
        RowSums<T, Slots>& row_sums = sums[thread_number(ctx)];
        for (Index i = begins[block]; i < begins[block + 1]; ++i) {
          const Offset first = pattern.row_offsets[i];
          row_sums.write(i, pattern.col_indices + first, pattern.row_offsets[i + 1] - first, values + first);
        }
      },
      ProductBlocks::products_per_block);
}

}  // namespace

template <class T>
PlanSchedule<Host> plan_schedule(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                                 const CsrMatrix<T, Host>& C) {
  WorkspaceScope<Host> scope(ctx.workspace());
  const Span<const Offset, Host> C_offsets = C.row_offsets.span();
  const auto offsets = scope.take<Offset>(C_offsets.size());
  count_products(ctx, A, B, offsets);
  const ProductBlocks blocks(ctx, offsets, B.cols);
  PlanSchedule<Host> schedule;
  schedule.products = blocks.products();
  schedule.block_begins = Buffer<Index, Host>(ctx, static_cast<std::size_t>(blocks.count()) + 1);
  for (std::int64_t block = 0; block <= blocks.count(); ++block) {
    schedule.block_begins[static_cast<std::size_t>(block)] = blocks.begin(block);
  }
  for (std::size_t row = 1; row < C_offsets.size(); ++row) {
    schedule.longest_row = std::max(schedule.longest_row, C_offsets[row] - C_offsets[row - 1]);
  }
  return schedule;
}

template <class T>
void sum_products(Context<Host>& ctx, const PlanSchedule<Host>& schedule, const CsrMatrix<T, Host>& A,
                  const CsrMatrix<T, Host>& B, CsrMatrix<T, Host>& C) {
  if (B.cols <= dense_cols_limit) {
    sum_rows<T, DenseSlots>(ctx, schedule, A, B, C);
  } else {
    sum_rows<T, HashSlots>(ctx, schedule, A, B, C);
  }
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                \
  template PlanSchedule<S> plan_schedule(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&,             \
                                         const CsrMatrix<T, S>&);                                                 \
  template void sum_products(Context<S>&, const PlanSchedule<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&, \
                             CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
