#include <fmt/format.h>
#include <nccl.h>

#include <array>
#include <cstring>
#include <exception>

#include "core/communicator_forwarding.hpp"
#include "core/communicator_nccl.hpp"
#include "core/device.hpp"
#include "core/errors.hpp"

namespace amgsolve {
namespace {

void check(ncclResult_t status, const char* what) {
  if (status != ncclSuccess && status != ncclInProgress) {
    throw DeviceError(
        fmt::format("NCCL: {} failed: {} ({})", what, ncclGetErrorString(status), ncclGetLastError(nullptr)));
  }
}

/// Calls that become one; ended also where one of them throws.
template <class Calls>
void in_group(const Calls& calls) {
  check(ncclGroupStart(), "a group of messages");
  try {
    calls();
  } catch (...) {
    ncclGroupEnd();
    throw;
  }
  check(ncclGroupEnd(), "a group of messages");
}

class NcclCommunicator final : public ForwardingCommunicator {
 public:
  using ForwardingCommunicator::exchange;
  using ForwardingCommunicator::gather_bytes;
  using ForwardingCommunicator::sum_ranks;

  NcclCommunicator(const Communicator& ranks, int device) : ForwardingCommunicator(ranks) {
    use_device(device);
    using Id = std::array<char, NCCL_UNIQUE_ID_BYTES>;
    ncclUniqueId id{};
    const ncclResult_t found = ranks.rank() == 0 ? ncclGetUniqueId(&id) : ncclSuccess;
    if (ranks.max(found == ncclSuccess ? 0 : 1) > 0) {
      throw DeviceError(fmt::format("NCCL: no communicator to be had: {}", ncclGetErrorString(found)));
    }
    Id own{};
    std::memcpy(own.data(), id.internal, own.size());
    const Id first = ranks.all_gather(own).front();
    std::memcpy(id.internal, first.data(), first.size());
    const ncclResult_t joined = ncclCommInitRank(&communicator_, ranks.size(), id, ranks.rank());
    if (ranks.max(joined == ncclSuccess ? 0 : 1) > 0) {
      check(joined, "joining the ranks");
      ncclCommAbort(communicator_);
      throw DeviceError("NCCL: another rank could not join");
    }
  }
  /// Where an error is on its way, others may wait for messages that will not come.
  ~NcclCommunicator() override {
    if (std::uncaught_exceptions() > 0) {
      ncclCommAbort(communicator_);
    } else {
      ncclCommDestroy(communicator_);
    }
  }

  std::string transport() const override { return "by NCCL"; }

  void sum_ranks(Span<std::int64_t, Cuda> x, CUstream_st* stream) const override {
    check(ncclAllReduce(x.data(), x.data(), x.size(), ncclInt64, ncclSum, communicator_, stream), "a sum");
  }

  void gather_bytes(std::span<const std::byte> own, std::span<const std::size_t> lengths, std::span<std::byte> all,
                    CUstream_st* stream) const override {
    in_group([&] {
      std::size_t begin = 0;
      for (int r = 0; r < size(); ++r) {
        const std::size_t length = lengths[static_cast<std::size_t>(r)];
        if (length > 0) {
          std::byte* const part = all.data() + begin;
          const std::byte* const from = r == rank() ? own.data() : part;
          check(ncclBroadcast(from, part, length, ncclInt8, r, communicator_, stream), "a broadcast");
        }
        begin += length;
      }
    });
  }

  void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives,
                CUstream_st* stream) const override {
    if (sends.empty() && receives.empty()) {
      return;
    }
    in_group([&] {
      for (const Outgoing& message : sends) {
        check(ncclSend(message.bytes.data(), message.bytes.size(), ncclInt8, message.rank, communicator_, stream),
              "a message");
      }
      for (const Incoming& message : receives) {
        check(ncclRecv(message.bytes.data(), message.bytes.size(), ncclInt8, message.rank, communicator_, stream),
              "a message");
      }
    });
  }

 private:
  ncclComm_t communicator_ = nullptr;
};

}  // namespace

std::unique_ptr<Communicator> nccl_communicator(const Communicator& ranks, int device) {
  return std::make_unique<NcclCommunicator>(ranks, device);
}

}  // namespace amgsolve
