#include "src/library/device_ranks.hpp"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
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
#include "src/library/schema_builders.hpp"

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

/// Sends so many bytes to the ranks that are less than `reach` away, and where these are all has them gathered and
/// added up. Returns whether all of it arrived here.
bool send_once(Context<Cuda>& ctx, std::size_t bytes, int reach) {
  const Communicator& ranks = ctx.communicator();
  const int first = std::max(ranks.rank() - reach + 1, 0);
  const int end = std::min(ranks.rank() + reach, ranks.size());
  const std::size_t count = bytes / sizeof(std::int64_t);
  Buffer<std::int64_t, Cuda> own(ctx, count);
  Buffer<std::int64_t, Cuda> all(ctx, count * static_cast<std::size_t>(end - first));
  Context<Host> host(1);
  Buffer<std::int64_t, Host> expected(host, all.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] = first + 1 + static_cast<std::int64_t>(i / count);  // each rank sends its number
  }
  const auto part_of = [&](auto& buffer, int rank) {
    return buffer.span().subspan(static_cast<std::size_t>(rank - first) * count, count);
  };
  const auto arrived = [&] {
    Buffer<std::int64_t, Host> found(host, all.size());
    download(ctx, all.span(), found.span());
    return std::ranges::equal(found.span(), expected.span());
  };
  set_zero(ctx, all.span());
  upload(ctx, part_of(expected, ranks.rank()), own.span());
  upload(ctx, part_of(expected, ranks.rank()), part_of(all, ranks.rank()));
  std::vector<Communicator::Outgoing> sends;
  std::vector<Communicator::Incoming> receives;
  for (int rank = first; rank < end; ++rank) {
    if (rank != ranks.rank()) {
      add_message(sends, rank, std::as_const(own).span());
      add_message(receives, rank, part_of(all, rank));
    }
  }
  exchange(ctx, sends, receives);
  bool is_right = arrived();
  if (reach >= ranks.size()) {
    set_zero(ctx, all.span());
    const auto own_bytes = std::as_bytes(std::span(own.data(), count));
    const std::vector<std::size_t> lengths(static_cast<std::size_t>(ranks.size()), own_bytes.size());
    gather_bytes(ctx, own_bytes, lengths, std::as_writable_bytes(std::span(all.data(), all.size())));
    is_right = arrived() && is_right;
    ranks.sum_ranks(own.span(), ctx.stream());
    const std::int64_t sum = std::int64_t{ranks.size()} * (ranks.size() + 1) / 2;
    is_right = element(ctx, own.span(), count - 1) == sum && is_right;
  }
  return is_right;
}

/// Has every kind of message go once: short ones to everybody, and to neighbours those that are too long for NCCL's
/// kernels between peers, which libraries of messages send by other means. NCCL takes up to a second for what it does
/// at the first of each. Returns whether all arrived on all ranks. Collective.
bool connect_all(const Communicator& ranks, int device) {
  Context<Cuda> ctx(device, nullptr, ranks);
  bool is_right = send_once(ctx, sizeof(std::int64_t), ranks.size());
  is_right = send_once(ctx, longest_between_kernels + sizeof(std::int64_t), most_ranks_with_kernels) && is_right;
  return ranks.max(is_right ? 0 : 1) == 0;
}

/// For messages of 64 kB.
double seconds_of_messages(const Communicator& ranks, int device) {
  Context<Cuda> ctx(device, nullptr, ranks);
  return seconds_of_messages(ctx, std::size_t{1} << 16);
}

/// Why devices of ranks cannot send messages by NCCL; empty where they can. Collective.
std::string why_not_by_nccl(const Communicator& ranks, int device) {
  if (ranks.max(ranks_of_machine(ranks, describe_device(device).bus)) > 1) {
    return "several ranks have the same device";
  }
#if AMGSOLVE_HAVE_NCCL
  const std::string problem = nccl_problem();
  const bool is_missing = ranks.max(problem.empty() ? 0 : 1) > 0;
  return is_missing && problem.empty() ? "another rank has no NCCL" : problem;
#else
  return "this build has no NCCL";
#endif
}

/// A way for messages of devices, and the ranks that send them that way.
struct Way {
  std::string_view name;
  std::unique_ptr<Communicator> ranks;
  double seconds = 0.0;  ///< of a message, where there are several ways
};

/// The ranks, and why messages go the way that they go.
class Connected final : public ForwardingCommunicator {
 public:
  Connected(std::unique_ptr<Communicator> ranks, const std::vector<std::string>& remarks)
      : ForwardingCommunicator(*ranks), owned_(std::move(ranks)) {
    for (const std::string& remark : remarks) {
      why_ += (why_.empty() ? " (" : "; ") + remark;
    }
    why_ += why_.empty() ? "" : ")";
  }
  std::string transport() const override { return ForwardingCommunicator::transport() + why_; }

 private:
  std::unique_ptr<Communicator> owned_;
  std::string why_;
};

}  // namespace

std::unique_ptr<Communicator> connect_devices(const Communicator& ranks, int device, DeviceMessages wanted) {
  collectively(ranks, [&] { use_device(device); });
  std::vector<Way> ways;
  std::vector<std::string> remarks;
  const auto try_way = [&](std::string_view name, std::unique_ptr<Communicator> devices) {
    if (connect_all(*devices, device)) {
      ways.push_back({name, std::move(devices)});
    } else {
      remarks.push_back(format_text("messages {} do not arrive", name));
    }
  };
  const bool takes_any = wanted == DeviceMessages::automatic;
  if (takes_any || wanted == DeviceMessages::nccl) {
    std::string problem = why_not_by_nccl(ranks, device);
    if (!problem.empty()) {
      remarks.push_back(std::move(problem));
    } else {
#if AMGSOLVE_HAVE_NCCL
      try_way("by NCCL", nccl_communicator(ranks, device));
#endif
    }
  }
  // Who asks for it knows more of the ranks than they can tell. Beside NCCL it is not tried: that can be recorded.
  if (wanted == DeviceMessages::direct ||
      (takes_any && ways.empty() && ranks.max(ranks.takes_device_memory() ? 0 : 1) == 0)) {
    try_way("from device to device", staged_communicator(ranks, device, StageMemory::device));
  }
  if (takes_any || wanted == DeviceMessages::staged) {
    ways.push_back({"through the host", staged_communicator(ranks, device, StageMemory::host)});
  }
  if (ways.empty()) {
    throw ConfigurationError(format_text("'distributed.device_messages' is {}, but {}",
                                         schema::spelling(device_messages_words(), wanted), remarks.front()));
  }
  if (ways.size() > 1) {
    std::string times;
    for (Way& way : ways) {
      way.seconds = seconds_of_messages(*way.ranks, device);
      times += format_text("{}{:.0f} us {}", times.empty() ? "64 kB in " : ", ", 1e6 * way.seconds, way.name);
    }
    remarks.push_back(std::move(times));
  }
  Way& quickest = *std::ranges::min_element(ways, {}, &Way::seconds);
  return std::make_unique<Connected>(std::move(quickest.ranks), remarks);
}
#else
std::unique_ptr<Communicator> connect_devices(const Communicator&, int, DeviceMessages) {
  throw DeviceError(device_problem());
}
#endif

void expect_messages_in_turn() { setenv("NCCL_GRAPH_MIXING_SUPPORT", "0", 0); }

}  // namespace amgsolve
