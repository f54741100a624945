#include "dist/fetch_rows.hpp"

#include <utility>
#include <vector>

#include "core/algorithms.hpp"
#include "core/collectively.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "dist/entry_messages.hpp"
#include "dist/local_matrix_steps.hpp"
#include "spmv/counted_rows.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
GlobalRows<T, S> fetch_rows(Context<S>& ctx, const Layout<S>& rows, const LocalMatrix<T, S>& B) {
  ScopedTimer timer(ctx, "exchange of rows");
  GlobalRows<T, S> packed;
  GlobalRows<T, S> fetched;
  collectively(ctx.communicator(), [&] {
    packed.row_offsets = Buffer<Offset, S>(ctx, rows.needs().size() + 1);
    fetched.row_offsets = Buffer<Offset, S>(ctx, rows.ghosts().size() + 1);
  });
  const Span<Offset, S> lengths = packed.row_offsets.span().subspan(1, rows.needs().size());
  detail::count_row_entries<S>(ctx, B.A.row_offsets.span(), rows.needs(), lengths);
  std::vector<Communicator::Outgoing> sends;
  std::vector<Communicator::Incoming> receives;
  std::vector<std::int64_t> ends_packed;  // behind the rows of each neighbour
  std::vector<std::int64_t> ends_fetched;
  Index first_ghost = 0;
  for (const auto& neighbour : rows.neighbours()) {
    add_message(sends, neighbour.rank, part(Span<const Offset, S>(lengths), neighbour.first_need, neighbour.needs));
    add_message(receives, neighbour.rank, part(fetched.row_offsets.span(), 1 + first_ghost, neighbour.ghosts));
    first_ghost += neighbour.ghosts;
    ends_packed.push_back(neighbour.first_need + neighbour.needs);
    ends_fetched.push_back(first_ghost);
  }
  exchange(ctx, sends, receives);
  std::vector<Offset> ends;
  collectively(ctx.communicator(), [&] {
    accumulate_counts(ctx, packed.row_offsets);
    accumulate_counts(ctx, fetched.row_offsets);
    ends = elements<Offset, Offset, S>(ctx, std::as_const(packed.row_offsets).span(), ends_packed,
                                       std::as_const(fetched.row_offsets).span(), ends_fetched);
    const std::size_t neighbours = ends_packed.size();
    allocate_entries(ctx, packed, neighbours > 0 ? ends[neighbours - 1] : 0);
    allocate_entries(ctx, fetched, neighbours > 0 ? ends.back() : 0);
    detail::copy_rows<T, S>(ctx, B.A, B.layout->window(), rows.needs(), std::as_const(packed.row_offsets).span(),
                            packed);
  });
  EntryMessages<S> messages;
  Offset received = 0;
  Offset sent = 0;
  for (std::size_t n = 0; n < rows.neighbours().size(); ++n) {
    const int rank = rows.neighbours()[n].rank;
    const Offset last_sent = ends[n];
    const Offset last = ends[ends_packed.size() + n];
    messages.send(rank, packed.col_indices.data(), packed.values.data(), sent, last_sent);
    messages.receive(rank, fetched, received, last);
    received = last;
    sent = last_sent;
  }
  messages.exchange(ctx);
  return fetched;
}

#define AMGSOLVE_INSTANTIATE(T, S) \
  template GlobalRows<T, S> fetch_rows(Context<S>&, const Layout<S>&, const LocalMatrix<T, S>&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
