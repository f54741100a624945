#include "dist/transpose.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/algorithms.hpp"
#include "core/collectively.hpp"
#include "core/copy.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "dist/entry_messages.hpp"
#include "dist/fetch_rows_steps.hpp"
#include "dist/local_matrix_steps.hpp"
#include "spmv/counted_rows.hpp"
#include "spmv/transpose_parts.hpp"

namespace amgsolve {
namespace {

/// Rows that follow one another: [first, end).
struct RowRun {
  Index first;
  Index end;

  Index rows() const { return end - first; }
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

/// What neighbours have of own rows, those that each needs one after another.
template <class T, MemorySpace S>
struct HandedRows {
  Buffer<Offset, S> lengths;
  GlobalRows<T, S> entries;
};

/// Aᵀ as it comes to be.
template <class T, MemorySpace S>
class StripTranspose {
 public:
  /// See transpose_strip().
  StripTranspose(Context<S>& ctx, const LocalMatrix<T, S>& A, const Partition& columns)
      : ctx_(ctx), A_(A), rows_(*A.layout), columns_(columns) {
    ScopedTimer timer(ctx, "transpose");
    collectively(ctx.communicator(), [&] {
      strip_.emplace(ctx, A.A);
      find_ends();
      write_given();
      handed_.entries.row_offsets = Buffer<Offset, S>(ctx, rows_.needs().size() + 1);
      handed_.lengths = Buffer<Offset, S>(ctx, rows_.needs().size());
    });
  }

  /// Hands in the entries of ghost rows.
  void exchange_entries() {
    ScopedTimer timer(ctx_, "exchange of rows");
    const Communicator& communicator = ctx_.communicator();
    std::vector<Communicator::Outgoing> sends;
    std::vector<Communicator::Incoming> receives;
    Index first_ghost = 0;
    for (const auto& neighbour : rows_.neighbours()) {
      add_message(sends, neighbour.rank, part(std::as_const(given_lengths_).span(), first_ghost, neighbour.ghosts));
      add_message(receives, neighbour.rank, part(handed_.lengths.span(), neighbour.first_need, neighbour.needs));
      first_ghost += neighbour.ghosts;
    }
    exchange(ctx_, sends, receives);
    const auto needs = static_cast<Index>(rows_.needs().size());
    copy(ctx_, std::as_const(handed_.lengths).span(), part(handed_.entries.row_offsets.span(), 1, needs));
    collectively(communicator, [&] { allocate_entries(ctx_, handed_.entries); });
    EntryMessages<S> messages;
    Offset received = 0;
    Offset sent = 0;
    for (std::size_t n = 0; n < rows_.neighbours().size(); ++n) {
      const auto& neighbour = rows_.neighbours()[n];
      const Offset last =
          offset_at(ctx_, handed_.entries.row_offsets, handed_.entries.nnz(), neighbour.first_need + neighbour.needs);
      messages.send(neighbour.rank, std::as_const(given_columns_).data(), std::as_const(given_.values).data(), sent,
                    given_ends_[n]);
      messages.receive(neighbour.rank, handed_.entries, received, last);
      sent = given_ends_[n];
      received = last;
    }
    messages.exchange(ctx_);
    given_columns_ = {};
    given_lengths_ = {};
  }

  /// The own rows: of each what lower ranks have handed in, the own entries, and what higher ranks have.
  LocalMatrix<T, S> own_rows() {
    const Communicator& communicator = ctx_.communicator();
    std::shared_ptr<const Layout<S>> layout;
    {
      ScopedTimer timer(ctx_, "exchange of rows");
      GhostRows<S> ghosts = collectively(communicator, [&] {
        return foreign_rows<std::int64_t, S>(ctx_, std::as_const(handed_.entries.col_indices).span(), columns_);
      });
      layout = std::make_shared<const Layout<S>>(ctx_, columns_, std::move(ghosts));
    }
    ScopedTimer timer(ctx_, "transpose");
    LocalMatrix<T, S> own{{}, layout};
    collectively(communicator, [&] { own.A = joined_rows(*layout); });
    return own;
  }

  CsrMatrix<T, S> given() && { return std::move(given_); }

 private:
  /// Where entries of the strip of the window's rows lie. Synchronises.
  void find_ends() {
    std::vector<std::int64_t> of_rows{rows_.first_own(), end_of_own()};
    std::vector<std::int64_t> of_needs;
    for (const auto& neighbour : rows_.neighbours()) {
      of_rows.push_back(neighbour.first_ghost + neighbour.ghosts);
      if (neighbour.needs > 0) {
        of_needs.push_back(neighbour.first_need);
        of_needs.push_back(neighbour.first_need + neighbour.needs - 1);
      }
    }
    const std::vector<std::int64_t> found =
        elements<Offset, Index, S>(ctx_, strip_->row_offsets(), of_rows, rows_.needs(), of_needs);
    own_ = {rows_.first_own(), static_cast<Index>(end_of_own()), found[0], found[1]};
    for (std::size_t n = 0; n < rows_.neighbours().size(); ++n) {
      given_ends_.push_back(found[n + 2] - (rows_.neighbours()[n].rank < ctx_.communicator().rank() ? 0 : own_nnz()));
    }
    const auto behind_rows = found.begin() + static_cast<std::ptrdiff_t>(of_rows.size());
    inner_ = longest_inner_run(rows_.own_rows(), {behind_rows, found.end()});
  }

  void write_given() {
    const auto below = static_cast<std::size_t>(rows_.first_own());
    const auto ghosts = static_cast<Index>(rows_.ghosts().size());
    given_ = CsrMatrix<T, S>(ctx_, ghosts, A_.A.rows, strip_->nnz() - own_nnz());
    const Span<const Offset, S> offsets = strip_->row_offsets();
    const auto above = static_cast<std::size_t>(end_of_own());
    const Span<Offset, S> of_given = given_.row_offsets.span();
    copy(ctx_, offsets.subspan(0, below), of_given.subspan(0, below));
    detail::shift_offsets<S>(ctx_, offsets.subspan(above, offsets.size() - above), own_nnz(),
                             of_given.subspan(below, of_given.size() - below));
    if (given_.nnz() > 0) {
      strip_->write_others(ctx_, own_, {given_.col_indices.span(), given_.values.span()});
    }
    given_lengths_ = Buffer<Offset, S>(ctx_, static_cast<std::size_t>(ghosts));
    detail::count_row_entries<S>(ctx_, std::as_const(given_.row_offsets).span(), given_lengths_.span());
    given_columns_ = Buffer<std::int64_t, S>(ctx_, given_.col_indices.size());
    const WindowColumns own_columns{columns_.first(ctx_.communicator().rank()), 0, given_.cols, nullptr, 0};
    detail::find_rows<std::int64_t, S>(ctx_, own_columns, std::as_const(given_.col_indices).span(),
                                       given_columns_.span());
  }

  CsrMatrix<T, S> joined_rows(const Layout<S>& layout) {
    WorkspaceScope<S> scope(ctx_.workspace());
    const auto next = scope.template take<Offset>(static_cast<std::size_t>(rows_.own_rows()));
    const auto handed_columns = scope.template take<Index>(handed_.entries.col_indices.size());
    detail::find_columns<std::int64_t, S>(ctx_, layout.window(), std::as_const(handed_.entries.col_indices).span(),
                                          handed_columns);
    CsrMatrix<T, S> whole(ctx_, rows_.own_rows(), layout.columns(), own_nnz() + handed_.entries.nnz());
    const Span<const Offset, S> own_offsets = part(strip_->row_offsets(), rows_.first_own(), rows_.own_rows() + 1);
    const Span<Offset, S> counts = row_counts(whole);
    detail::count_row_entries<S>(ctx_, own_offsets, counts);
    for (const auto& neighbour : rows_.neighbours()) {
      detail::add_lengths<S>(ctx_, part(rows_.needs(), neighbour.first_need, neighbour.needs),
                             part(std::as_const(handed_.lengths).span(), neighbour.first_need, neighbour.needs),
                             counts);
    }
    accumulate_counts(ctx_, whole.row_offsets.span());
    copy(ctx_, part(std::as_const(whole.row_offsets).span(), 0, rows_.own_rows()), next);
    append_handed(true, handed_columns, next, whole);
    write_own(own_offsets, layout.first_own(), next, whole);
    append_handed(false, handed_columns, next, whole);
    return whole;
  }

  /// Behind what a row has, which ends at `next`.
  void append_handed(bool from_below, Span<const Index, S> columns, Span<Offset, S> next, CsrMatrix<T, S>& whole) {
    for (const auto& neighbour : rows_.neighbours()) {
      if ((neighbour.rank < ctx_.communicator().rank()) == from_below) {
        detail::append_rows<T>(ctx_, part(rows_.needs(), neighbour.first_need, neighbour.needs),
                               {handed_.entries.nnz() / static_cast<Offset>(rows_.neighbours().size()),
                                std::as_const(handed_.entries.row_offsets).data() + neighbour.first_need,
                                columns.data(), std::as_const(handed_.entries.values).data()},
                               next, whole);
      }
    }
  }

  /// Most rows get nothing: what they have stays together.
  void write_own(Span<const Offset, S> own_offsets, Index first_column, Span<Offset, S> next, CsrMatrix<T, S>& whole) {
    const std::vector<std::int64_t> offsets = elements<Offset, Offset, S>(
        ctx_, own_offsets, {inner_.first, inner_.end}, std::as_const(whole.row_offsets).span(), {inner_.first});
    const Index first_own = rows_.first_own();
    const Index before = first_own + inner_.first;
    const Index behind = first_own + inner_.end;
    const typename TransposeInParts<T, S>::Target target{whole.col_indices.span(), whole.values.span(), first_column};
    strip_->write(ctx_, {before, behind, offsets[0], offsets[1]}, offsets[2], target);
    const auto write_rows = [&](const TransposedRows& rows) {
      const Index first = rows.first - first_own;
      const Index count = rows.end - rows.first;
      strip_->write(ctx_, rows, part(std::as_const(next), first, count), target);
      detail::add_row_lengths<S>(ctx_, part(own_offsets, first, count + 1), part(next, first, count));
    };
    write_rows({first_own, before, own_.begin, offsets[0]});
    write_rows({behind, own_.end, offsets[1], own_.stop});
  }

  std::int64_t end_of_own() const { return std::int64_t{rows_.first_own()} + rows_.own_rows(); }
  Offset own_nnz() const { return own_.stop - own_.begin; }

  Context<S>& ctx_;
  const LocalMatrix<T, S>& A_;
  const Layout<S>& rows_;     ///< the window of Aᵀ's rows
  const Partition& columns_;  ///< whose rows are its columns
  std::optional<TransposeInParts<T, S>> strip_;
  TransposedRows own_{};
  std::vector<Offset> given_ends_;  ///< behind the ghost rows of each neighbour
  RowRun inner_{};                  ///< the most own rows among which no neighbour needs one
  CsrMatrix<T, S> given_;
  Buffer<Offset, S> given_lengths_;        ///< of its rows
  Buffer<std::int64_t, S> given_columns_;  ///< of the whole matrix
  HandedRows<T, S> handed_;
};

}  // namespace

template <class T, MemorySpace S>
TransposedStrip<T, S> transpose_strip(Context<S>& ctx, const LocalMatrix<T, S>& A, const Partition& rows) {
  StripTranspose<T, S> transposed(ctx, A, rows);
  transposed.exchange_entries();
  LocalMatrix<T, S> own = transposed.own_rows();
  return {std::move(own), std::move(transposed).given()};
}

#define AMGSOLVE_INSTANTIATE(T, S) \
  template TransposedStrip<T, S> transpose_strip(Context<S>&, const LocalMatrix<T, S>&, const Partition&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
