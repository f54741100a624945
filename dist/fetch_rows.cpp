#include "dist/fetch_rows.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "core/algorithms.hpp"
#include "core/collectively.hpp"
#include "core/copy.hpp"
#include "core/exchange.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "dist/fetch_rows_steps.hpp"
#include "dist/halo.hpp"
#include "dist/local_matrix_steps.hpp"
#include "spmv/counted_rows.hpp"

namespace amgsolve {
namespace {

/// Messages of the columns and the values of entries that lie one after another, as many at once as there are
/// neighbours.
template <MemorySpace S>
class Messages {
 public:
  template <class T>
  void send(int rank, const std::int64_t* columns, const T* values, Offset begin, Offset end) {
    const auto count = static_cast<std::size_t>(end - begin);
    add_message(sends_, rank, Span<const std::int64_t, S>(columns + begin, count));
    add_message(sends_, rank, Span<const T, S>(values + begin, count));
  }
  template <class T>
  void receive(int rank, GlobalRows<T, S>& rows, Offset begin, Offset end) {
    const auto first = static_cast<std::size_t>(begin);
    const auto count = static_cast<std::size_t>(end - begin);
    add_message(receives_, rank, rows.col_indices.span().subspan(first, count));
    add_message(receives_, rank, rows.values.span().subspan(first, count));
  }
  void exchange(Context<S>& ctx) const { amgsolve::exchange(ctx, sends_, receives_); }

 private:
  std::vector<Communicator::Outgoing> sends_;
  std::vector<Communicator::Incoming> receives_;
};

/// Rows that follow one another: [first, end).
struct RowRun {
  Index first;
  Index end;

  Index rows() const { return end - first; }
};

/// Places in Layout::needs() of the first and the last row that each neighbour needs.
template <MemorySpace S>
std::vector<std::int64_t> ends_of_needs(const Layout<S>& layout) {
  std::vector<std::int64_t> places;
  for (const auto& neighbour : layout.neighbours()) {
    if (neighbour.needs > 0) {
      places.push_back(neighbour.first_need);
      places.push_back(neighbour.first_need + neighbour.needs - 1);
    }
  }
  return places;
}

/// The most own rows among which no neighbour needs one.
/// @param ends  by ends_of_needs(), the rows
RowRun longest_inner_run(Index own_rows, std::span<const std::int64_t> ends) {
  std::vector<RowRun> needed;  // within which a neighbour's rows lie
  for (std::size_t i = 0; i < ends.size(); i += 2) {
    needed.push_back({static_cast<Index>(ends[i]), static_cast<Index>(ends[i + 1] + 1)});
  }
  std::ranges::sort(needed, {}, &RowRun::first);
  needed.push_back({own_rows, own_rows});
  RowRun longest{0, 0};
  Index behind = 0;
  for (const RowRun& run : needed) {
    if (run.first - behind > longest.rows()) {
      longest = {behind, run.first};
    }
    behind = std::max(behind, run.end);
  }
  return longest;
}

/// `count` of the values, from the one behind `first` others.
template <class T, MemorySpace S>
Span<T, S> part(Span<T, S> values, Index first, Index count) {
  return values.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
}

}  // namespace

template <class T, MemorySpace S>
GlobalRows<T, S> fetch_rows(Context<S>& ctx, const Layout<S>& rows, const LocalMatrix<T, S>& B) {
  ScopedTimer timer(ctx, "exchange of rows");
  GlobalRows<T, S> packed;
  Buffer<Offset, S> lengths;
  GlobalRows<T, S> fetched;
  collectively(ctx.communicator(), [&] {
    packed = gather_rows(ctx, B, rows.needs());
    lengths = Buffer<Offset, S>(ctx, rows.needs().size());
    fetched.row_offsets = Buffer<Offset, S>(ctx, rows.ghosts().size() + 1);
  });
  detail::count_row_entries<S>(ctx, std::as_const(packed).row_offsets.span(), lengths.span());
  std::vector<Communicator::Outgoing> sends;
  std::vector<Communicator::Incoming> receives;
  Index first_ghost = 0;
  for (const auto& neighbour : rows.neighbours()) {
    add_message(sends, neighbour.rank, part(std::as_const(lengths).span(), neighbour.first_need, neighbour.needs));
    add_message(receives, neighbour.rank, part(fetched.row_offsets.span(), 1 + first_ghost, neighbour.ghosts));
    first_ghost += neighbour.ghosts;
  }
  exchange(ctx, sends, receives);
  collectively(ctx.communicator(), [&] { allocate_entries(ctx, fetched); });
  Messages<S> messages;
  Index ghost = 0;
  Offset received = 0;
  Offset sent = 0;
  for (const auto& neighbour : rows.neighbours()) {
    ghost += neighbour.ghosts;
    const Offset last = offset_at(ctx, fetched.row_offsets, fetched.nnz(), ghost);
    const Offset last_sent = offset_at(ctx, packed.row_offsets, packed.nnz(), neighbour.first_need + neighbour.needs);
    messages.send(neighbour.rank, packed.col_indices.data(), packed.values.data(), sent, last_sent);
    messages.receive(neighbour.rank, fetched, received, last);
    received = last;
    sent = last_sent;
  }
  messages.exchange(ctx);
  return fetched;
}

template <class T, MemorySpace S>
LocalMatrix<T, S> hand_in_rows(Context<S>& ctx, const Layout<S>& rows, const CsrMatrix<T, S>& strip,
                               const Partition& columns) {
  ScopedTimer timer(ctx, "exchange of rows");
  const int rank = ctx.communicator().rank();
  // The lengths of what comes, for each neighbour the rows that it has entries of.
  const auto needs = static_cast<Index>(rows.needs().size());
  Buffer<Offset, S> lengths;
  GlobalRows<T, S> handed;
  Buffer<Offset, S> handed_lengths;
  collectively(ctx.communicator(), [&] {
    lengths = Buffer<Offset, S>(ctx, static_cast<std::size_t>(strip.rows));
    handed.row_offsets = Buffer<Offset, S>(ctx, static_cast<std::size_t>(needs) + 1);
    handed_lengths = Buffer<Offset, S>(ctx, static_cast<std::size_t>(needs));
  });
  detail::count_row_entries<S>(ctx, strip.row_offsets.span(), lengths.span());
  std::vector<Communicator::Outgoing> sends;
  std::vector<Communicator::Incoming> receives;
  for (const auto& neighbour : rows.neighbours()) {
    add_message(sends, neighbour.rank, part(std::as_const(lengths).span(), neighbour.first_ghost, neighbour.ghosts));
    add_message(receives, neighbour.rank, part(handed_lengths.span(), neighbour.first_need, neighbour.needs));
  }
  exchange(ctx, sends, receives);
  copy(ctx, std::as_const(handed_lengths).span(), part(handed.row_offsets.span(), 1, needs));
  std::vector<std::int64_t> ends_of_rows{rows.first_own(), std::int64_t{rows.first_own()} + rows.own_rows()};
  for (const auto& neighbour : rows.neighbours()) {
    ends_of_rows.push_back(neighbour.first_ghost + neighbour.ghosts);
  }
  // Entries of ghost rows go with the columns of the whole matrix. They lie before and behind those of the own rows.
  std::vector<std::int64_t> known;
  Buffer<std::int64_t, S> sent_columns;
  collectively(ctx.communicator(), [&] {
    known = elements<Offset, Index, S>(ctx, strip.row_offsets.span(), ends_of_rows, rows.needs(), ends_of_needs(rows));
    allocate_entries(ctx, handed);
    sent_columns = Buffer<std::int64_t, S>(ctx, static_cast<std::size_t>(known[0] + strip.nnz() - known[1]));
  });
  const Offset own_begin = known[0];
  const Offset own_end = known[1];
  const auto below = static_cast<std::size_t>(own_begin);
  const auto above = static_cast<std::size_t>(strip.nnz() - own_end);
  const WindowColumns own_columns{columns.first(rank), 0, strip.cols, nullptr, 0};
  detail::find_rows<std::int64_t, S>(ctx, own_columns, strip.col_indices.span().subspan(0, below),
                                     sent_columns.span().subspan(0, below));
  detail::find_rows<std::int64_t, S>(ctx, own_columns,
                                     strip.col_indices.span().subspan(static_cast<std::size_t>(own_end), above),
                                     sent_columns.span().subspan(below, above));
  Messages<S> messages;
  Offset received = 0;
  Offset sent = 0;
  for (std::size_t n = 0; n < rows.neighbours().size(); ++n) {
    const auto& neighbour = rows.neighbours()[n];
    const Offset behind = neighbour.rank < rank ? 0 : own_end - own_begin;
    const Offset last_sent = known[2 + n] - behind;
    const Offset last = offset_at(ctx, handed.row_offsets, handed.nnz(), neighbour.first_need + neighbour.needs);
    messages.send(neighbour.rank, sent_columns.data(), strip.values.data() + behind, sent, last_sent);
    messages.receive(neighbour.rank, handed, received, last);
    sent = last_sent;
    received = last;
  }
  messages.exchange(ctx);

  LocalMatrix<T, S> whole;
  Buffer<std::int64_t, S> ghosts;
  collectively(ctx.communicator(),
               [&] { ghosts = foreign_rows<std::int64_t, S>(ctx, std::as_const(handed.col_indices).span(), columns); });
  whole.layout = std::make_shared<const Layout<S>>(ctx, columns, std::move(ghosts));
  const Layout<S>& layout = *whole.layout;
  WorkspaceScope<S> scope(ctx.workspace());
  Span<Offset, S> next;
  Buffer<Index, S> handed_columns;
  collectively(ctx.communicator(), [&] {
    next = scope.template take<Offset>(static_cast<std::size_t>(rows.own_rows()));
    handed_columns = Buffer<Index, S>(ctx, handed.col_indices.size());
    whole.A = CsrMatrix<T, S>(ctx, rows.own_rows(), layout.columns(), own_end - own_begin + handed.nnz());
  });
  detail::find_columns<std::int64_t, S>(ctx, layout.window(), std::as_const(handed.col_indices).span(),
                                        handed_columns.span());
  const Span<Offset, S> counts = part(whole.A.row_offsets.span(), 1, rows.own_rows());
  copy(ctx, part(std::as_const(lengths).span(), rows.first_own(), rows.own_rows()), counts);
  for (const auto& neighbour : rows.neighbours()) {
    detail::add_lengths<S>(ctx, part(rows.needs(), neighbour.first_need, neighbour.needs),
                           part(std::as_const(handed_lengths).span(), neighbour.first_need, neighbour.needs), counts);
  }
  accumulate_counts(ctx, whole.A.row_offsets.span());
  copy(ctx, part(std::as_const(whole.A.row_offsets).span(), 0, rows.own_rows()), next);
  const auto append_handed = [&](bool from_below) {
    for (const auto& neighbour : rows.neighbours()) {
      if ((neighbour.rank < rank) == from_below) {
        detail::append_rows<T>(
            ctx, neighbour.needs, part(rows.needs(), neighbour.first_need, neighbour.needs),
            {handed.nnz() / static_cast<Offset>(rows.neighbours().size()),
             handed.row_offsets.data() + neighbour.first_need, handed_columns.data(), 0, handed.values.data()},
            next, whole.A);
      }
    }
  };
  const auto append_own = [&](Index first, Index end) {
    detail::append_rows<T>(ctx, end - first, {},
                           {own_end - own_begin, strip.row_offsets.data() + rows.first_own() + first,
                            strip.col_indices.data(), layout.first_own(), strip.values.data()},
                           part(next, first, end - first), whole.A);
  };
  // Most rows get nothing: what they have stays together.
  const RowRun inner = longest_inner_run(rows.own_rows(), std::span(known).subspan(ends_of_rows.size()));
  append_handed(true);
  append_own(0, inner.first);
  if (inner.rows() > 0) {
    const std::int64_t first = rows.first_own();
    const std::vector<std::int64_t> offsets =
        elements<Offset, Offset, S>(ctx, strip.row_offsets.span(), {first + inner.first, first + inner.end},
                                    std::as_const(whole.A.row_offsets).span(), {inner.first});
    const Offset begin = offsets[0];
    const Offset target = offsets[2];
    const auto count = static_cast<std::size_t>(offsets[1] - begin);
    const auto from = [&](const auto& buffer) { return buffer.span().subspan(static_cast<std::size_t>(begin), count); };
    const auto to = [&](auto& buffer) { return buffer.span().subspan(static_cast<std::size_t>(target), count); };
    detail::renumber_columns<S>(ctx, {own_columns, layout.window()}, from(strip.col_indices), to(whole.A.col_indices));
    copy(ctx, from(strip.values), to(whole.A.values));
  }
  append_own(inner.end, rows.own_rows());
  append_handed(false);
  return whole;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                               \
  template GlobalRows<T, S> fetch_rows(Context<S>&, const Layout<S>&, const LocalMatrix<T, S>&); \
  template LocalMatrix<T, S> hand_in_rows(Context<S>&, const Layout<S>&, const CsrMatrix<T, S>&, const Partition&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
