#include "core/communicator_nccl.hpp"

#include <array>
#include <cstring>
#include <exception>
#include <memory>
#include <type_traits>
#include <vector>

#include "core/check_cuda.hpp"
#include "core/communicator_forwarding.hpp"
#include "core/device.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/library_nccl.hpp"
#include "core/peer_messages_nccl.hpp"

namespace amgsolve {
namespace {

using detail::check_nccl;
using detail::nccl;

/// Calls that become one; ended also where one of them throws.
template <class Calls>
void in_group(const Calls& calls) {
  check_nccl(nccl().group_start(), "a group of messages");
  try {
    calls();
  } catch (...) {
    nccl().group_end();
    throw;
  }
  check_nccl(nccl().group_end(), "a group of messages");
}

/// Where an error is on its way, others may wait for messages that will not come.
struct EndOfCommunicator {
  void operator()(ncclComm_t communicator) const {
    if (std::uncaught_exceptions() > 0) {
      nccl().comm_abort(communicator);
    } else {
      nccl().comm_destroy(communicator);
    }
  }
};

/// Up to so many ranks gather by messages of pairs, which take both ways of a link at once; more would each keep
/// buffers for every other one.
constexpr int most_ranks_in_pairs = 8;

class NcclCommunicator final : public ForwardingCommunicator {
 public:
  using ForwardingCommunicator::exchange;
  using ForwardingCommunicator::gather_bytes;
  using ForwardingCommunicator::sum_ranks;

  NcclCommunicator(const Communicator& ranks, int device) : ForwardingCommunicator(ranks) {
    use_device(device);
    using Id = std::array<char, NCCL_UNIQUE_ID_BYTES>;
    ncclUniqueId id{};
    const ncclResult_t found = ranks.rank() == 0 ? nccl().get_unique_id(&id) : ncclSuccess;
    const auto first_found = static_cast<ncclResult_t>(ranks.max(static_cast<std::int64_t>(found)));
    if (first_found != ncclSuccess) {
      throw DeviceError(format_text("NCCL: no communicator to be had: {}", nccl().get_error_string(first_found)));
    }
    Id own{};
    std::memcpy(own.data(), id.internal, own.size());
    const Id first = ranks.all_gather(own).front();
    std::memcpy(id.internal, first.data(), first.size());
    ncclComm_t made = nullptr;
    const ncclResult_t joined = nccl().comm_init_rank(&made, ranks.size(), id, ranks.rank());
    communicator_.reset(made);
    if (ranks.max(joined == ncclSuccess ? 0 : 1) > 0) {
      check_nccl(joined, "joining the ranks");
      throw DeviceError("NCCL: another rank could not join");
    }
    peers_ = peer_messages(made, ranks);
  }

  std::string transport() const override { return peers_ ? "by NCCL, short ones from kernel to kernel" : "by NCCL"; }
  bool can_be_recorded() const override { return true; }

  void sum_ranks(Span<std::int64_t, Cuda> x, CUstream_st* stream) const override {
    if (!peers_ || !peers_->sum(x, stream)) {
      check_nccl(nccl().all_reduce(x.data(), x.data(), x.size(), ncclInt64, ncclSum, communicator_.get(), stream),
                 "a sum");
    }
  }

  bool sum_blocks(Span<const double, Cuda> partial, Span<double, Cuda> result, CUstream_st* stream) const override {
    return peers_ && peers_->sum_blocks(partial, result, stream);
  }

  void gather_bytes(std::span<const std::byte> own, std::span<const std::size_t> lengths, std::span<std::byte> all,
                    CUstream_st* stream) const override {
    if (size() > most_ranks_in_pairs) {
      broadcast_all(own, lengths, all, stream);
      return;
    }
    std::vector<Outgoing> sends;
    std::vector<Incoming> receives;
    for (int r = 0; r < size(); ++r) {
      const std::span<std::byte> part = all.first(lengths[static_cast<std::size_t>(r)]);
      all = all.subspan(part.size());
      if (r != rank()) {
        sends.push_back({r, own});
        receives.push_back({r, part});
      } else if (part.data() != own.data()) {
        AMGSOLVE_CUDA_CHECK(cudaMemcpyAsync(part.data(), own.data(), own.size(), cudaMemcpyDefault, stream));
      }
    }
    exchange(sends, receives, stream);
  }

  bool picks_rows(int rank, std::size_t bytes) const override { return peers_ && peers_->picks_rows(rank, bytes); }

  void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives,
                CUstream_st* stream) const override {
    std::vector<Outgoing> outgoing(sends.begin(), sends.end());
    std::vector<Incoming> incoming(receives.begin(), receives.end());
    if (peers_) {
      peers_->exchange(outgoing, incoming, stream);
    }
    if (outgoing.empty() && incoming.empty()) {
      return;
    }
    in_group([&] {
      for (const Outgoing& message : outgoing) {
        check_nccl(nccl().send(message.bytes.data(), message.bytes.size(), ncclInt8, message.rank, communicator_.get(),
                               stream),
                   "a message");
      }
      for (const Incoming& message : incoming) {
        check_nccl(nccl().receive(message.bytes.data(), message.bytes.size(), ncclInt8, message.rank,
                                  communicator_.get(), stream),
                   "a message");
      }
    });
  }

 private:
  void broadcast_all(std::span<const std::byte> own, std::span<const std::size_t> lengths, std::span<std::byte> all,
                     CUstream_st* stream) const {
    in_group([&] {
      for (int r = 0; r < size(); ++r) {
        const std::span<std::byte> part = all.first(lengths[static_cast<std::size_t>(r)]);
        all = all.subspan(part.size());
        if (!part.empty()) {
          check_nccl(nccl().broadcast(r == rank() ? own.data() : part.data(), part.data(), part.size(), ncclInt8, r,
                                      communicator_.get(), stream),
                     "a broadcast");
        }
      }
    });
  }

  std::unique_ptr<std::remove_pointer_t<ncclComm_t>, EndOfCommunicator> communicator_;
  std::unique_ptr<PeerMessages> peers_;  ///< null: there are none; ended first
};

}  // namespace

std::string nccl_problem() { return detail::nccl_library().problem(); }

std::unique_ptr<Communicator> nccl_communicator(const Communicator& ranks, int device) {
  return std::make_unique<NcclCommunicator>(ranks, device);
}

}  // namespace amgsolve
