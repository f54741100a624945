#include <nccl.h>

#include <array>
#include <cstring>
#include <exception>

#include "core/communicator_forwarding.hpp"
#include "core/communicator_nccl.hpp"
#include "core/device.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/loaded_library.hpp"

namespace amgsolve {
namespace {

const LoadedLibrary& library() {
  static const LoadedLibrary loaded("libnccl.so.2");
  return loaded;
}

#define AMGSOLVE_NCCL(function) library().find<decltype(::function)>(#function)

/// NCCL's functions by their names.
struct Nccl {
  decltype(::ncclGetErrorString)* get_error_string = AMGSOLVE_NCCL(ncclGetErrorString);
  decltype(::ncclGetLastError)* get_last_error = AMGSOLVE_NCCL(ncclGetLastError);
  decltype(::ncclGetUniqueId)* get_unique_id = AMGSOLVE_NCCL(ncclGetUniqueId);
  decltype(::ncclCommInitRank)* comm_init_rank = AMGSOLVE_NCCL(ncclCommInitRank);
  decltype(::ncclCommAbort)* comm_abort = AMGSOLVE_NCCL(ncclCommAbort);
  decltype(::ncclCommDestroy)* comm_destroy = AMGSOLVE_NCCL(ncclCommDestroy);
  decltype(::ncclGroupStart)* group_start = AMGSOLVE_NCCL(ncclGroupStart);
  decltype(::ncclGroupEnd)* group_end = AMGSOLVE_NCCL(ncclGroupEnd);
  decltype(::ncclAllReduce)* all_reduce = AMGSOLVE_NCCL(ncclAllReduce);
  decltype(::ncclBroadcast)* broadcast = AMGSOLVE_NCCL(ncclBroadcast);
  decltype(::ncclSend)* send = AMGSOLVE_NCCL(ncclSend);
  decltype(::ncclRecv)* receive = AMGSOLVE_NCCL(ncclRecv);
};
#undef AMGSOLVE_NCCL

const Nccl& nccl() {
  static const Nccl functions;
  return functions;
}

void check(ncclResult_t status, const char* what) {
  if (status != ncclSuccess && status != ncclInProgress) {
    throw DeviceError(
        format_text("NCCL: {} failed: {} ({})", what, nccl().get_error_string(status), nccl().get_last_error(nullptr)));
  }
}

/// Calls that become one; ended also where one of them throws.
template <class Calls>
void in_group(const Calls& calls) {
  check(nccl().group_start(), "a group of messages");
  try {
    calls();
  } catch (...) {
    nccl().group_end();
    throw;
  }
  check(nccl().group_end(), "a group of messages");
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
    const ncclResult_t found = ranks.rank() == 0 ? nccl().get_unique_id(&id) : ncclSuccess;
    if (ranks.max(found == ncclSuccess ? 0 : 1) > 0) {
      throw DeviceError(format_text("NCCL: no communicator to be had: {}", nccl().get_error_string(found)));
    }
    Id own{};
    std::memcpy(own.data(), id.internal, own.size());
    const Id first = ranks.all_gather(own).front();
    std::memcpy(id.internal, first.data(), first.size());
    const ncclResult_t joined = nccl().comm_init_rank(&communicator_, ranks.size(), id, ranks.rank());
    if (ranks.max(joined == ncclSuccess ? 0 : 1) > 0) {
      check(joined, "joining the ranks");
      nccl().comm_abort(communicator_);
      throw DeviceError("NCCL: another rank could not join");
    }
  }
  /// Where an error is on its way, others may wait for messages that will not come.
  ~NcclCommunicator() override {
    if (std::uncaught_exceptions() > 0) {
      nccl().comm_abort(communicator_);
    } else {
      nccl().comm_destroy(communicator_);
    }
  }

  std::string transport() const override { return "by NCCL"; }
  bool can_be_recorded() const override { return true; }

  void sum_ranks(Span<std::int64_t, Cuda> x, CUstream_st* stream) const override {
    check(nccl().all_reduce(x.data(), x.data(), x.size(), ncclInt64, ncclSum, communicator_, stream), "a sum");
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
          check(nccl().broadcast(from, part, length, ncclInt8, r, communicator_, stream), "a broadcast");
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
        check(nccl().send(message.bytes.data(), message.bytes.size(), ncclInt8, message.rank, communicator_, stream),
              "a message");
      }
      for (const Incoming& message : receives) {
        check(nccl().receive(message.bytes.data(), message.bytes.size(), ncclInt8, message.rank, communicator_, stream),
              "a message");
      }
    });
  }

 private:
  ncclComm_t communicator_ = nullptr;
};

}  // namespace

std::string nccl_problem() { return library().problem(); }

std::unique_ptr<Communicator> nccl_communicator(const Communicator& ranks, int device) {
  return std::make_unique<NcclCommunicator>(ranks, device);
}

}  // namespace amgsolve
