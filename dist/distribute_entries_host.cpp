#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "core/collectively.hpp"
#include "core/instantiate.hpp"
#include "dist/distribute_entries.hpp"

namespace amgsolve {
namespace {

/// Where the ranks' shares of a list begin that has `counts[rank]` of each, and behind them its length.
std::vector<Offset> begins(const std::vector<Offset>& counts) {
  std::vector<Offset> first(counts.size() + 1);
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    first[rank + 1] = first[rank] + counts[rank];
  }
  return first;
}

/// What the ranks have in their shares for this one. What it has sent is let go before it returns.
template <class V>
Buffer<V, Host> exchange_shares(Context<Host>& ctx, Buffer<V, Host> sent, const std::vector<Offset>& first,
                                const std::vector<Offset>& first_received) {
  const Communicator& communicator = ctx.communicator();
  Buffer<V, Host> received;
  collectively(communicator, [&] { received = Buffer<V, Host>(ctx, static_cast<std::size_t>(first_received.back())); });
  std::vector<Communicator::Outgoing> sends;
  std::vector<Communicator::Incoming> receives;
  for (int rank = 0; rank < communicator.size(); ++rank) {
    const auto share = [rank](const auto& buffer, const std::vector<Offset>& begin) {
      const auto r = static_cast<std::size_t>(rank);
      return std::span(buffer.data() + begin[r], static_cast<std::size_t>(begin[r + 1] - begin[r]));
    };
    const std::span out = share(std::as_const(sent), first);
    const std::span<V> in(received.data() + first_received[static_cast<std::size_t>(rank)],
                          share(std::as_const(received), first_received).size());
    if (rank == communicator.rank()) {
      std::ranges::copy(out, in.begin());
      continue;
    }
    if (!out.empty()) {
      sends.push_back({rank, std::as_bytes(out)});
    }
    if (!in.empty()) {
      receives.push_back({rank, std::as_writable_bytes(in)});
    }
  }
  communicator.exchange(sends, receives);
  return received;
}

}  // namespace

template <class T>
OwnEntries<T> distribute_entries(Context<Host>& ctx, const Partition& rows, const GlobalEntries<T, Host>& entries) {
  const Communicator& communicator = ctx.communicator();
  const auto ranks = static_cast<std::size_t>(communicator.size());
  const auto own = static_cast<std::size_t>(communicator.rank());
  std::vector<Offset> counts(ranks);
  std::vector<Offset> first;
  OwnEntries<T> sent;
  collectively(communicator, [&] {
    std::vector<std::size_t> owners(entries.row_indices.size());
    for (std::size_t e = 0; e < owners.size(); ++e) {
      const std::int64_t row = entries.row_indices[e];
      // Neighbouring entries mostly have one owner.
      const std::size_t last = e > 0 ? owners[e - 1] : own;
      const bool is_same = row >= rows.first(static_cast<int>(last)) && row < rows.end(static_cast<int>(last));
      owners[e] = is_same ? last : static_cast<std::size_t>(rows.owner(row));
      ++counts[owners[e]];
    }
    first = begins(counts);
    sent = OwnEntries<T>(ctx, entries.nnz());
    std::vector<Offset> next(first);
    for (std::size_t e = 0; e < owners.size(); ++e) {
      const auto place = static_cast<std::size_t>(next[owners[e]]++);
      sent.row_indices[place] = static_cast<Index>(entries.row_indices[e] - rows.first(static_cast<int>(owners[e])));
      sent.col_indices[place] = entries.col_indices[e];
      sent.values[place] = entries.values[e];
    }
  });
  std::vector<Offset> received(ranks);
  communicator.all_to_all(counts, received);
  OwnEntries<T> result;
  result.first = begins(received);
  result.row_indices = exchange_shares(ctx, std::move(sent.row_indices), first, result.first);
  result.col_indices = exchange_shares(ctx, std::move(sent.col_indices), first, result.first);
  result.values = exchange_shares(ctx, std::move(sent.values), first, result.first);
  return result;
}

#define AMGSOLVE_INSTANTIATE(T, S) \
  template OwnEntries<T> distribute_entries(Context<S>&, const Partition&, const GlobalEntries<T, S>&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
