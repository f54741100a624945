#include "dist/replicate.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "core/algorithms.hpp"
#include "core/collectively.hpp"
#include "core/copy.hpp"
#include "core/exchange.hpp"
#include "core/instantiate.hpp"
#include "dist/fetch_rows_steps.hpp"
#include "dist/local_matrix_steps.hpp"
#include "spmv/shapes.hpp"

namespace amgsolve {
namespace {

/// Of a rank's strip.
struct StripSize {
  std::int64_t rows;
  std::int64_t nnz;
};

/// all = what the ranks have of it, one after another, of which `own` is this one's.
/// @param count  of which member every rank has as many values
template <class T, MemorySpace S>
void gather_values(Context<S>& ctx, const std::vector<StripSize>& sizes, std::int64_t StripSize::*count,
                   Span<const T, S> own, Span<T, S> all) {
  std::vector<std::size_t> lengths(sizes.size());
  std::ranges::transform(sizes, lengths.begin(),
                         [&](const StripSize& size) { return static_cast<std::size_t>(size.*count) * sizeof(T); });
  gather_bytes(ctx, std::as_bytes(std::span(own.data(), own.size())), lengths,
               std::as_writable_bytes(std::span(all.data(), all.size())));
}

/// This rank's rows, with the columns of the whole matrix. Collective.
template <class T, MemorySpace S>
CsrMatrix<T, S> own_rows(Context<S>& ctx, const CsrMatrix<T, S>& whole, const Partition& rows) {
  const int rank = ctx.communicator().rank();
  CsrMatrix<T, S> own;
  collectively(ctx.communicator(), [&] {
    const auto count = static_cast<Index>(rows.rows(rank));
    const Span<const Offset, S> offsets = whole.row_offsets.span().subspan(static_cast<std::size_t>(rows.first(rank)),
                                                                           static_cast<std::size_t>(count) + 1);
    const Offset begin = offset_at(ctx, whole.row_offsets, whole.nnz(), rows.first(rank));
    const Offset end = offset_at(ctx, whole.row_offsets, whole.nnz(), rows.end(rank));
    own = CsrMatrix<T, S>(ctx, count, whole.cols, end - begin);
    detail::shift_offsets<S>(ctx, offsets, begin, own.row_offsets.span());
    const auto copy_entries = [&](const auto& from, auto& to) {
      copy(ctx, from.span().subspan(static_cast<std::size_t>(begin), to.size()), to.span());
    };
    copy_entries(whole.col_indices, own.col_indices);
    copy_entries(whole.values, own.values);
  });
  return own;
}

}  // namespace

template <class T, MemorySpace S>
CsrMatrix<T, S> replicate(Context<S>& ctx, const LocalMatrix<T, S>& A) {
  const Communicator& communicator = ctx.communicator();
  const std::vector<StripSize> sizes = communicator.all_gather(StripSize{A.A.rows, A.A.nnz()});
  std::int64_t rows = 0;
  std::int64_t nnz = 0;
  for (const StripSize& size : sizes) {
    rows += size.rows;
    nnz += size.nnz;
  }
  CsrMatrix<T, S> all;
  Buffer<Index, S> columns;
  Buffer<Offset, S> counts;
  collectively(communicator, [&] {
    all = CsrMatrix<T, S>(ctx, checked_index(rows, "the number of rows of a matrix that each rank has whole"),
                          checked_index(A.layout->partition().rows(), "the number of its columns"), nnz);
    columns = Buffer<Index, S>(ctx, A.A.col_indices.size());
    counts = Buffer<Offset, S>(ctx, static_cast<std::size_t>(A.A.rows));
  });
  detail::find_rows<Index, S>(ctx, A.layout->window(), A.A.col_indices.span(), columns.span());
  detail::count_row_entries<S>(ctx, A.A.row_offsets.span(), counts.span());
  gather_values<Index, S>(ctx, sizes, &StripSize::nnz, columns, all.col_indices);
  gather_values<T, S>(ctx, sizes, &StripSize::nnz, A.A.values, all.values);
  gather_values<Offset, S>(ctx, sizes, &StripSize::rows, counts,
                           all.row_offsets.span().subspan(1, static_cast<std::size_t>(rows)));
  accumulate_counts(ctx, all.row_offsets.span());
  return all;
}

template <class T, MemorySpace S>
LocalMatrix<T, S> own_strip(Context<S>& ctx, const CsrMatrix<T, S>& whole, const Partition& rows,
                            const Partition& columns) {
  return to_local(ctx, columns, own_rows(ctx, whole, rows));
}

template <class T, MemorySpace S>
WindowStrip<T, S> window_strip(Context<S>& ctx, const CsrMatrix<T, S>& whole, const Layout<S>& window,
                               const Partition& columns, bool connects) {
  GlobalRows<T, S> rows;
  OwnRows own{window.first_own(), window.own_rows(), 0};
  collectively(ctx.communicator(), [&] {
    Buffer<Index, S> chosen(ctx, static_cast<std::size_t>(window.columns()));
    detail::rows_of_window<S>(ctx, window.window(), chosen.span());
    rows = gather_rows<T, S>(ctx, whole, {0, 0, whole.cols, nullptr, 0}, std::as_const(chosen).span());
    const auto offset = [&](std::int64_t row) { return offset_at(ctx, rows.row_offsets, rows.nnz(), row); };
    own.nnz = offset(std::int64_t{own.first} + own.count) - offset(own.first);
  });
  return {to_local(ctx, columns, std::move(rows), connects), own};
}

template <class T, MemorySpace S>
void replicate_rows(Context<S>& ctx, const Partition& partition, Same<MultiVectorView<const T, S>> own,
                    Same<MultiVectorView<T, S>> all) {
  const int own_rank = ctx.communicator().rank();
  expect_shape("own", shape_of(own), {static_cast<Index>(partition.rows(own_rank)), all.columns});
  expect_shape("all", shape_of(all), {static_cast<Index>(partition.rows()), all.columns});
  const std::size_t row_bytes = static_cast<std::size_t>(all.columns) * sizeof(T);
  std::vector<std::size_t> lengths(static_cast<std::size_t>(partition.ranks()));
  for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
    lengths[rank] = static_cast<std::size_t>(partition.rows(static_cast<int>(rank))) * row_bytes;
  }
  gather_bytes(ctx, std::as_bytes(std::span(own.data, own.size())), lengths,
               std::as_writable_bytes(std::span(all.data, all.size())));
}

template <class T, MemorySpace S>
void number_globally(Context<S>& ctx, LocalMatrix<T, S>& strip) {
  strip.A.cols = checked_index(strip.layout->partition().rows(), "columns");
  detail::find_rows<Index, S>(ctx, strip.layout->window(), std::as_const(strip.A.col_indices).span(),
                              strip.A.col_indices.span());
  strip.layout = nullptr;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                    \
  template CsrMatrix<T, S> replicate(Context<S>&, const LocalMatrix<T, S>&);                                          \
  template LocalMatrix<T, S> own_strip(Context<S>&, const CsrMatrix<T, S>&, const Partition&, const Partition&);      \
  template WindowStrip<T, S> window_strip(Context<S>&, const CsrMatrix<T, S>&, const Layout<S>&, const Partition&,    \
                                          bool);                                                                      \
  template void replicate_rows<T>(Context<S>&, const Partition&, MultiVectorView<const T, S>, MultiVectorView<T, S>); \
  template void number_globally(Context<S>&, LocalMatrix<T, S>&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
