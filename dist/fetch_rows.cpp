#include "dist/fetch_rows.hpp"

#include <utility>
#include <vector>

#include "core/algorithms.hpp"
#include "core/collectively.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "dist/entry_messages.hpp"
#include "dist/fetch_rows_steps.hpp"
#include "spmv/counted_rows.hpp"

namespace amgsolve {

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
  EntryMessages<S> messages;
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

#define AMGSOLVE_INSTANTIATE(T, S) \
  template GlobalRows<T, S> fetch_rows(Context<S>&, const Layout<S>&, const LocalMatrix<T, S>&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
