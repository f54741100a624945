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

/// Where the entries of a strip over a window of rows lie: those of ghost rows before and behind those of own ones.
struct StripEnds {
  Offset own_begin;
  Offset own_end;
  std::vector<Offset> of_neighbours;  ///< behind the ghost rows of each
  RowRun inner;                       ///< the most own rows among which no neighbour needs one

  Offset own() const { return own_end - own_begin; }
};

/// The most rows among which none is needed.
/// @param ends  of the rows that each neighbour needs, the first and the last
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

/// Synchronises.
template <class T, MemorySpace S>
StripEnds ends_of(Context<S>& ctx, const Layout<S>& rows, const CsrMatrix<T, S>& strip) {
  std::vector<std::int64_t> of_rows{rows.first_own(), std::int64_t{rows.first_own()} + rows.own_rows()};
  std::vector<std::int64_t> of_needs;
  for (const auto& neighbour : rows.neighbours()) {
    of_rows.push_back(neighbour.first_ghost + neighbour.ghosts);
    if (neighbour.needs > 0) {
      of_needs.push_back(neighbour.first_need);
      of_needs.push_back(neighbour.first_need + neighbour.needs - 1);
    }
  }
  const std::vector<std::int64_t> found =
      elements<Offset, Index, S>(ctx, strip.row_offsets.span(), of_rows, rows.needs(), of_needs);
  const auto behind_rows = found.begin() + static_cast<std::ptrdiff_t>(of_rows.size());
  return {found[0],
          found[1],
          {found.begin() + 2, behind_rows},
          longest_inner_run(rows.own_rows(), {behind_rows, found.end()})};
}

/// What neighbours have of own rows, those that each needs one after another.
template <class T, MemorySpace S>
struct HandedRows {
  Buffer<Offset, S> lengths;
  GlobalRows<T, S> entries;
};

/// `count` of the values, from the one behind `first` others.
template <class T, MemorySpace S>
Span<T, S> part(Span<T, S> values, Index first, Index count) {
  return values.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
}

/// Hands the entries of ghost rows to the owners of these. Collective.
/// @param lengths  of the strip's rows
/// @param columns  the strip's columns are this rank's of
template <class T, MemorySpace S>
HandedRows<T, S> exchange_entries(Context<S>& ctx, const Layout<S>& rows, const CsrMatrix<T, S>& strip,
                                  Span<const Offset, S> lengths, const StripEnds& ends, const Partition& columns) {
  const int rank = ctx.communicator().rank();
  const auto needs = static_cast<Index>(rows.needs().size());
  HandedRows<T, S> handed;
  collectively(ctx.communicator(), [&] {
    handed.entries.row_offsets = Buffer<Offset, S>(ctx, rows.needs().size() + 1);
    handed.lengths = Buffer<Offset, S>(ctx, rows.needs().size());
  });
  std::vector<Communicator::Outgoing> sends;
  std::vector<Communicator::Incoming> receives;
  for (const auto& neighbour : rows.neighbours()) {
    add_message(sends, neighbour.rank, part(lengths, neighbour.first_ghost, neighbour.ghosts));
    add_message(receives, neighbour.rank, part(handed.lengths.span(), neighbour.first_need, neighbour.needs));
  }
  exchange(ctx, sends, receives);
  copy(ctx, std::as_const(handed.lengths).span(), part(handed.entries.row_offsets.span(), 1, needs));
  // Entries go with the columns of the whole matrix.
  const auto below = static_cast<std::size_t>(ends.own_begin);
  const auto above = static_cast<std::size_t>(strip.nnz() - ends.own_end);
  Buffer<std::int64_t, S> sent_columns;
  collectively(ctx.communicator(), [&] {
    allocate_entries(ctx, handed.entries);
    sent_columns = Buffer<std::int64_t, S>(ctx, below + above);
  });
  const auto globally = [&](std::size_t first, std::size_t count, std::size_t target) {
    detail::find_rows<std::int64_t, S>(ctx, {columns.first(rank), 0, strip.cols, nullptr, 0},
                                       strip.col_indices.span().subspan(first, count),
                                       sent_columns.span().subspan(target, count));
  };
  globally(0, below, 0);
  globally(static_cast<std::size_t>(ends.own_end), above, below);
  Messages<S> messages;
  Offset received = 0;
  Offset sent = 0;
  for (std::size_t n = 0; n < rows.neighbours().size(); ++n) {
    const auto& neighbour = rows.neighbours()[n];
    const Offset behind = neighbour.rank < rank ? 0 : ends.own();
    const Offset last_sent = ends.of_neighbours[n] - behind;
    const Offset last =
        offset_at(ctx, handed.entries.row_offsets, handed.entries.nnz(), neighbour.first_need + neighbour.needs);
    messages.send(neighbour.rank, sent_columns.data(), strip.values.data() + behind, sent, last_sent);
    messages.receive(neighbour.rank, handed.entries, received, last);
    sent = last_sent;
    received = last;
  }
  messages.exchange(ctx);
  return handed;
}

/// The own rows of the strip with what was handed in: of neighbours with lower ranks before the own entries of a row,
/// of the others behind them. Collective.
/// @param layout  of the columns
template <class T, MemorySpace S>
CsrMatrix<T, S> join_rows(Context<S>& ctx, const Layout<S>& rows, const CsrMatrix<T, S>& strip,
                          Span<const Offset, S> lengths, const StripEnds& ends, const HandedRows<T, S>& handed,
                          const Layout<S>& layout) {
  const int rank = ctx.communicator().rank();
  WorkspaceScope<S> scope(ctx.workspace());
  Span<Offset, S> next;
  Buffer<Index, S> handed_columns;
  CsrMatrix<T, S> whole;
  collectively(ctx.communicator(), [&] {
    next = scope.template take<Offset>(static_cast<std::size_t>(rows.own_rows()));
    handed_columns = Buffer<Index, S>(ctx, handed.entries.col_indices.size());
    whole = CsrMatrix<T, S>(ctx, rows.own_rows(), layout.columns(), ends.own() + handed.entries.nnz());
  });
  detail::find_columns<std::int64_t, S>(ctx, layout.window(), handed.entries.col_indices.span(), handed_columns.span());
  const Span<Offset, S> counts = part(whole.row_offsets.span(), 1, rows.own_rows());
  copy(ctx, part(lengths, rows.first_own(), rows.own_rows()), counts);
  for (const auto& neighbour : rows.neighbours()) {
    detail::add_lengths<S>(ctx, part(rows.needs(), neighbour.first_need, neighbour.needs),
                           part(handed.lengths.span(), neighbour.first_need, neighbour.needs), counts);
  }
  accumulate_counts(ctx, whole.row_offsets.span());
  copy(ctx, part(std::as_const(whole.row_offsets).span(), 0, rows.own_rows()), next);
  const auto append_handed = [&](bool from_below) {
    for (const auto& neighbour : rows.neighbours()) {
      if ((neighbour.rank < rank) == from_below) {
        detail::append_rows<T>(ctx, neighbour.needs, part(rows.needs(), neighbour.first_need, neighbour.needs),
                               {handed.entries.nnz() / static_cast<Offset>(rows.neighbours().size()),
                                handed.entries.row_offsets.data() + neighbour.first_need, handed_columns.data(), 0,
                                handed.entries.values.data()},
                               next, whole);
      }
    }
  };
  const auto append_own = [&](Index first, Index end) {
    detail::append_rows<T>(ctx, end - first, {},
                           {ends.own(), strip.row_offsets.data() + rows.first_own() + first, strip.col_indices.data(),
                            layout.first_own(), strip.values.data()},
                           part(next, first, end - first), whole);
  };
  // Most rows get nothing: what they have stays together.
  const RowRun inner = ends.inner;
  append_handed(true);
  append_own(0, inner.first);
  if (inner.rows() > 0) {
    const std::int64_t first = rows.first_own();
    const std::vector<std::int64_t> offsets =
        elements<Offset, Offset, S>(ctx, strip.row_offsets.span(), {first + inner.first, first + inner.end},
                                    std::as_const(whole.row_offsets).span(), {inner.first});
    const auto count = static_cast<std::size_t>(offsets[1] - offsets[0]);
    const auto from = [&](const auto& buffer) {
      return buffer.span().subspan(static_cast<std::size_t>(offsets[0]), count);
    };
    const auto to = [&](auto& buffer) { return buffer.span().subspan(static_cast<std::size_t>(offsets[2]), count); };
    detail::renumber_columns<S>(ctx, {{layout.first_row(), 0, strip.cols, nullptr, 0}, layout.window()},
                                from(strip.col_indices), to(whole.col_indices));
    copy(ctx, from(strip.values), to(whole.values));
  }
  append_own(inner.end, rows.own_rows());
  append_handed(false);
  return whole;
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
  StripEnds ends;
  Buffer<Offset, S> lengths;
  collectively(ctx.communicator(), [&] {
    ends = ends_of(ctx, rows, strip);
    lengths = Buffer<Offset, S>(ctx, static_cast<std::size_t>(strip.rows));
  });
  detail::count_row_entries<S>(ctx, strip.row_offsets.span(), lengths.span());
  const HandedRows<T, S> handed = exchange_entries(ctx, rows, strip, std::as_const(lengths).span(), ends, columns);
  Buffer<std::int64_t, S> ghosts = collectively(ctx.communicator(), [&] {
    return foreign_rows<std::int64_t, S>(ctx, handed.entries.col_indices.span(), columns);
  });
  LocalMatrix<T, S> whole{{}, std::make_shared<const Layout<S>>(ctx, columns, std::move(ghosts))};
  whole.A = join_rows(ctx, rows, strip, std::as_const(lengths).span(), ends, handed, *whole.layout);
  return whole;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                               \
  template GlobalRows<T, S> fetch_rows(Context<S>&, const Layout<S>&, const LocalMatrix<T, S>&); \
  template LocalMatrix<T, S> hand_in_rows(Context<S>&, const Layout<S>&, const CsrMatrix<T, S>&, const Partition&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
