#include "amg/strength_steps.hpp"
#include "core/parallel_host.hpp"

namespace amgsolve {
namespace {

/// Calls visit(j) for the strong entries of row i, ascending.
template <class T, class Visit>
void for_each_strong_entry(const CsrMatrix<T, Host>& A, const SymmetricStrength<T>& is_strong, std::int64_t i,
                           const Visit& visit) {
  const auto row = static_cast<std::size_t>(i);
  const auto end = static_cast<std::size_t>(A.row_offsets[row + 1]);
  for (auto k = static_cast<std::size_t>(A.row_offsets[row]); k < end; ++k) {
    if (is_strong(i, A.col_indices[k], A.values[k])) {
      visit(A.col_indices[k]);
    }
  }
}

}  // namespace

template <class T>
void count_strong_entries(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const SymmetricStrength<T>& is_strong,
                          Span<Offset, Host> counts) {
  parallel_for(ctx, A.rows, [&](std::int64_t i) {
    Offset count = 0;
    for_each_strong_entry(A, is_strong, i, [&](Index) { ++count; });
    counts[static_cast<std::size_t>(i)] = count;
  });
}

template <class T>
void list_strong_entries(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const SymmetricStrength<T>& is_strong,
                         Span<const Offset, Host> offsets, Span<Index, Host> neighbours) {
  parallel_for(ctx, A.rows, [&](std::int64_t i) {
    auto next = static_cast<std::size_t>(offsets[static_cast<std::size_t>(i)]);
    for_each_strong_entry(A, is_strong, i, [&](Index j) { neighbours[next++] = j; });
  });
}

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE_STRENGTH_STEPS, Host)

}  // namespace amgsolve
