#include "spmv/storage_choice.hpp"

#include <algorithm>
#include <array>

#include "core/algorithms.hpp"
#include "core/collectively.hpp"
#include "core/instantiate.hpp"
#include "spmv/storage_tuning.hpp"
#include "spmv/stored_matrix.hpp"

namespace amgsolve {
namespace {

/// The lengths of the own rows of all ranks. Synchronises.
template <class T, MemorySpace S>
RowLengths row_lengths(Context<S>& ctx, const CsrMatrix<T, S>& A, const OwnRows& own, const WholeSize& whole) {
  const Communicator& communicator = ctx.communicator();
  Index longest = 0;
  std::array<std::int64_t, 2> widths{};  // of slices, as rows come and as a SellMatrix has them
  collectively(communicator, [&] {
    WorkspaceScope scope(ctx.workspace());
    const SumAndMax of_slices = sum_and_max(ctx, slice_widths(ctx, scope, A, own));
    longest = of_slices.max;
    widths.fill(of_slices.sum);
    if constexpr (std::same_as<S, Host>) {
      widths[1] = sum_and_max(ctx, rows_in_slices(ctx, scope, A, own).widths).sum;
    }
  });
  communicator.sum_ranks({widths.data(), widths.size()});
  return {.rows = static_cast<double>(whole.rows),
          .entries = static_cast<double>(whole.nnz),
          .longest = static_cast<double>(communicator.max(std::int64_t{longest})),
          .in_slices = slice_rows * static_cast<double>(widths[0]),
          .in_windows = slice_rows * static_cast<double>(widths[1])};
}

template <class T>
constexpr double entry_bytes = sizeof(Index) + sizeof(T);

/// In `listed` storage, or, where rows may be padded, by patterns, which spare most of what is read, and room.
template <class T, MemorySpace S>
StorageChoice choice(Storage listed, const CsrMatrix<T, S>& A, const RowLengths& lengths) {
  return {listed,
          listed != Storage::csr && tuning::may_share_patterns(A.rows, A.cols, lengths.in_slices / lengths.entries)};
}

}  // namespace

template <class T>
bool stays_lent(Context<Host>& ctx, const CsrMatrix<T, Host>& A) {
  return ctx.communicator().max(std::int64_t{A.values.is_borrowed()}) > 0;
}

template <class T>
StorageChoice cheapest_storage(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const OwnRows& own,
                               const WholeSize& whole) {
  const RowLengths lengths = row_lengths(ctx, A, own, whole);
  const double limit = tuning::most_padding_on_host * csr_bytes(lengths, entry_bytes<T>);
  return choice(sell_bytes(lengths, entry_bytes<T>) <= limit ? Storage::sell : Storage::csr, A, lengths);
}

template <class T>
StorageChoice cheapest_storage(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const OwnRows& own,
                               const WholeSize& whole) {
  if (whole.nnz < tuning::least_entries) {
    return {Storage::csr, false};
  }
  const RowLengths lengths = row_lengths(ctx, A, own, whole);
  const double ell = ell_bytes(lengths, entry_bytes<T>);
  const double sell = sell_bytes(lengths, entry_bytes<T>);
  const double limit =
      csr_bytes(lengths, entry_bytes<T>) *
      (whole.mean_row_length() > tuning::long_row ? tuning::most_padding_of_long_rows : tuning::most_padding);
  if (std::min(ell, sell) > limit) {
    return {Storage::csr, false};
  }
  return choice(ell * (1.0 - tuning::least_saving_of_slices) <= sell ? Storage::ell : Storage::sell, A, lengths);
}

template <class T, MemorySpace S>
StorageChoice chosen_storage(Context<S>& ctx, const CsrMatrix<T, S>& A, const OwnRows& own, const WholeSize& whole) {
  return stays_lent(ctx, A) ? StorageChoice{Storage::csr, false} : cheapest_storage(ctx, A, own, whole);
}

template <class T, MemorySpace S>
double stored_bytes(Context<S>& ctx, const CsrMatrix<T, S>& A, Storage wanted, double value_bytes) {
  if (A.rows == 0) {
    return 0.0;
  }
  const WholeSize whole{A.rows, A.nnz()};
  const Storage storage = wanted == Storage::automatic ? chosen_storage(ctx, A, all_own(A), whole).listed : wanted;
  return entry_of(storage).bytes(row_lengths(ctx, A, all_own(A), whole), sizeof(Index) + value_bytes);
}

double expected_bytes(Storage storage, double rows, double entries, double padded, double value_bytes,
                      double different) {
  const RowLengths lengths{.rows = rows,
                           .entries = entries,
                           .longest = padded * entries / std::max(rows, 1.0),
                           .in_slices = padded * entries};
  if (storage == Storage::pattern) {
    return different * sell_bytes(lengths, value_bytes) + rows * (1.0 + sizeof(Offset) / double{slice_rows});
  }
  // Most matrices are padded, in either way.
  const Storage usual = storage == Storage::automatic ? Storage::sell : storage;
  return entry_of(usual).bytes(lengths, sizeof(Index) + value_bytes);
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                              \
  template StorageChoice chosen_storage(Context<S>&, const CsrMatrix<T, S>&, const OwnRows&, const WholeSize&); \
  template double stored_bytes(Context<S>&, const CsrMatrix<T, S>&, Storage, double);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

template bool stays_lent(Context<Host>&, const CsrMatrix<float, Host>&);
template bool stays_lent(Context<Host>&, const CsrMatrix<double, Host>&);
template StorageChoice cheapest_storage(Context<Host>&, const CsrMatrix<float, Host>&, const OwnRows&,
                                        const WholeSize&);
template StorageChoice cheapest_storage(Context<Host>&, const CsrMatrix<double, Host>&, const OwnRows&,
                                        const WholeSize&);
#if AMGSOLVE_HAVE_CUDA
template StorageChoice cheapest_storage(Context<Cuda>&, const CsrMatrix<float, Cuda>&, const OwnRows&,
                                        const WholeSize&);
template StorageChoice cheapest_storage(Context<Cuda>&, const CsrMatrix<double, Cuda>&, const OwnRows&,
                                        const WholeSize&);
#endif

}  // namespace amgsolve
