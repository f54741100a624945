#include "core/shared_blocks.hpp"

#include <span>
#include <stdexcept>
#include <vector>

#include "core/exchange.hpp"
#include "core/reduction.hpp"

namespace amgsolve {

SharedBlocks shared_blocks(const Communicator& communicator, std::int64_t rows) {
  SharedBlocks shared{.rows = rows, .ranks = communicator.size()};
  if (communicator.size() == 1) {
    return shared;
  }
  const std::vector<std::int64_t> of_ranks = communicator.all_gather(rows);
  std::int64_t end = 0;
  for (int rank = 0; rank < communicator.size(); ++rank) {
    const std::int64_t begin = end;
    const std::int64_t count = of_ranks[static_cast<std::size_t>(rank)];
    end += count;
    if (rows == 0 || count == 0) {
      continue;
    }
    if (rank < communicator.rank()) {
      shared.previous = rank;
    } else if (rank == communicator.rank()) {
      shared.rows_before = begin % reduction_block;
      shared.previous = shared.rows_before > 0 ? shared.previous : -1;
    } else {  // the next one that has rows
      shared.next = begin % reduction_block > 0 ? rank : -1;
      break;
    }
  }
  return shared;
}

template <MemorySpace S>
SharedBlocks blocks_of_sum(Context<S>& ctx, std::int64_t rows) {
  const SharedBlocks* const known = ctx.known_blocks();
  if (known == nullptr || known->ranks != ctx.communicator().size()) {
    return shared_blocks(ctx.communicator(), rows);
  }
  if (known->rows != rows) {
    throw std::logic_error("a sum over other rows than those that are known to be summed over");
  }
  return *known;
}

template <MemorySpace S>
void pass_lanes(Context<S>& ctx, int next, Span<const double, S> to_next, int previous, Span<double, S> from_previous) {
  std::vector<Communicator::Outgoing> sends;
  std::vector<Communicator::Incoming> receives;
  if (next >= 0) {
    sends.push_back({next, std::as_bytes(std::span(to_next.data(), to_next.size()))});
  }
  if (previous >= 0) {
    receives.push_back({previous, std::as_writable_bytes(std::span(from_previous.data(), from_previous.size()))});
  }
  if (!sends.empty() || !receives.empty()) {
    exchange(ctx, sends, receives);
  }
}

template SharedBlocks blocks_of_sum(Context<Host>&, std::int64_t);
template void pass_lanes(Context<Host>&, int, Span<const double, Host>, int, Span<double, Host>);
#if AMGSOLVE_HAVE_CUDA
template SharedBlocks blocks_of_sum(Context<Cuda>&, std::int64_t);
template void pass_lanes(Context<Cuda>&, int, Span<const double, Cuda>, int, Span<double, Cuda>);
#endif

}  // namespace amgsolve
