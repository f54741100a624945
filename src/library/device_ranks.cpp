#include "src/library/device_ranks.hpp"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/collectively.hpp"
#include "core/communicator_forwarding.hpp"
#include "core/communicator_nccl.hpp"
#include "core/communicator_staged.hpp"
#include "core/copy.hpp"
#include "core/device.hpp"
#include "core/errors.hpp"
#include "core/exchange.hpp"
#include "core/format.hpp"
#include "core/message_time.hpp"
#include "src/library/backend.hpp"
#include "src/library/rank_places.hpp"

namespace amgsolve {

int device_of_rank(int local_rank) { return local_rank % std::max(device_count(), 1); }

void place_rank(Configuration& configuration, const Communicator& ranks) {
  const bool all_have_devices = ranks.max(device_count() > 0 ? 0 : 1) == 0;
  if (configuration.backend == Backend::automatic) {
    configuration.backend = all_have_devices ? Backend::cuda : Backend::host;
  }
  if (configuration.backend == Backend::cuda) {
    collectively(ranks, [&] { choose_backend(Backend::cuda); });
    const int local_rank = place_among_neighbours(ranks);
    if (configuration.device < 0) {
      configuration.device = device_of_rank(local_rank);
    }
  }
  configuration.threads = threads_of_rank(configuration.threads, ranks);
}

#if AMGSOLVE_HAVE_CUDA
namespace {

/// Whether no two ranks have the same device.
bool have_own_devices(const Communicator& ranks, int device) {
  return ranks.max(ranks_of_machine(ranks, describe_device(device).bus)) == 1;
}

/// Sends so many bytes to the ranks that are less than `reach` away, and where these are all has them gathered and
/// added up.
void send_once(Context<Cuda>& ctx, std::size_t bytes, int reach) {
  const Communicator& ranks = ctx.communicator();
  const int first = std::max(ranks.rank() - reach + 1, 0);
  const int end = std::min(ranks.rank() + reach, ranks.size());
  const std::size_t count = bytes / sizeof(std::int64_t);
  Buffer<std::int64_t, Cuda> own(ctx, count);
  Buffer<std::int64_t, Cuda> all(ctx, count * static_cast<std::size_t>(end - first));
  set_zero(ctx, own.span());
  const auto own_bytes = std::as_bytes(std::span(own.data(), count));
  const auto bytes_of = [&](int rank) {
    return std::as_writable_bytes(std::span(all.data() + static_cast<std::size_t>(rank - first) * count, count));
  };
  std::vector<Communicator::Outgoing> sends;
  std::vector<Communicator::Incoming> receives;
  for (int rank = first; rank < end; ++rank) {
    if (rank != ranks.rank()) {
      sends.push_back({rank, own_bytes});
      receives.push_back({rank, bytes_of(rank)});
    }
  }
  exchange(ctx, sends, receives);
  if (reach >= ranks.size()) {
    ranks.sum_ranks(own.span(), ctx.stream());
    const std::vector<std::size_t> lengths(static_cast<std::size_t>(ranks.size()), own_bytes.size());
    gather_bytes(ctx, own_bytes, lengths, std::as_writable_bytes(std::span(all.data(), all.size())));
  }
  ctx.synchronize();
}

/// Has every kind of message go once to everybody, since NCCL takes up to a second for what it does at the first of
/// each; between peers those that are too long for kernels that they share, too.
void connect_all(const Communicator& ranks, int device) {
  Context<Cuda> ctx(device, nullptr, ranks);
  send_once(ctx, sizeof(std::int64_t), ranks.size());
#if AMGSOLVE_HAVE_NCCL
  send_once(ctx, longest_between_kernels + sizeof(std::int64_t), most_ranks_with_kernels);
#endif
}

/// For messages of 64 kB.
double seconds_of_messages(const Communicator& ranks, int device) {
  Context<Cuda> ctx(device, nullptr, ranks);
  return seconds_of_messages(ctx, std::size_t{1} << 16);
}

/// The ranks, and why messages go the way that they go.
class Connected final : public ForwardingCommunicator {
 public:
  Connected(std::unique_ptr<Communicator> ranks, std::string why)
      : ForwardingCommunicator(*ranks), owned_(std::move(ranks)), why_(std::move(why)) {}
  std::string transport() const override { return ForwardingCommunicator::transport() + why_; }

 private:
  std::unique_ptr<Communicator> owned_;
  std::string why_;
};

}  // namespace

std::unique_ptr<Communicator> connect_devices(const Communicator& ranks, int device, DeviceMessages wanted) {
  const auto staged = [&](std::string why) {
    return std::make_unique<Connected>(staged_communicator(ranks, device), std::move(why));
  };
  collectively(ranks, [&] { use_device(device); });
  const bool have_own = have_own_devices(ranks, device);
  if (wanted == DeviceMessages::staged) {
    return staged({});
  }
#if AMGSOLVE_HAVE_NCCL
  std::string problem = nccl_problem();
  if (ranks.max(problem.empty() ? 0 : 1) > 0 && problem.empty()) {
    problem = "another rank has no NCCL";
  }
  if (have_own && problem.empty()) {
    std::unique_ptr<Communicator> nccl = nccl_communicator(ranks, device);
    connect_all(*nccl, device);
    if (wanted == DeviceMessages::nccl) {
      return nccl;
    }
    std::unique_ptr<Communicator> through_host = staged_communicator(ranks, device);
    const double by_nccl = seconds_of_messages(*nccl, device);
    const double by_host = seconds_of_messages(*through_host, device);
    std::string why =
        format_text(" (64 kB in {:.0f} us by NCCL, {:.0f} us through the host)", 1e6 * by_nccl, 1e6 * by_host);
    return std::make_unique<Connected>(by_nccl <= by_host ? std::move(nccl) : std::move(through_host), std::move(why));
  }
#else
  const std::string problem = "this build has no NCCL";
#endif
  const std::string reason = have_own ? problem : "several ranks have the same device";
  if (wanted == DeviceMessages::nccl) {
    throw ConfigurationError(format_text("'distributed.device_messages' is nccl, but {}", reason));
  }
  return staged(format_text(" ({})", reason));
}
#else
std::unique_ptr<Communicator> connect_devices(const Communicator&, int, DeviceMessages) {
  throw DeviceError(device_problem());
}
#endif

void expect_messages_in_turn() { setenv("NCCL_GRAPH_MIXING_SUPPORT", "0", 0); }

}  // namespace amgsolve
