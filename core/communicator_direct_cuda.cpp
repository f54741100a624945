#include "core/communicator_direct.hpp"

#include <cuda_runtime_api.h>

#include <utility>

#include "core/check_cuda.hpp"
#include "core/communicator_forwarding.hpp"
#include "core/communicator_staged.hpp"

namespace amgsolve {
namespace {

class DirectCommunicator final : public ForwardingCommunicator {
 public:
  using ForwardingCommunicator::exchange;
  using ForwardingCommunicator::gather_bytes;

  explicit DirectCommunicator(std::unique_ptr<Communicator> staged)
      : ForwardingCommunicator(*staged), staged_(std::move(staged)) {}

  std::string transport() const override { return "from device to device"; }

  void gather_bytes(std::span<const std::byte> own, std::span<const std::size_t> lengths, std::span<std::byte> all,
                    CUstream_st* stream) const override {
    AMGSOLVE_CUDA_CHECK(cudaStreamSynchronize(stream));
    gather_bytes(own, lengths, all);
  }
  void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives,
                CUstream_st* stream) const override {
    AMGSOLVE_CUDA_CHECK(cudaStreamSynchronize(stream));
    exchange(sends, receives);
  }

 private:
  std::unique_ptr<Communicator> staged_;
};

}  // namespace

std::unique_ptr<Communicator> direct_communicator(const Communicator& ranks, int device) {
  return std::make_unique<DirectCommunicator>(staged_communicator(ranks, device));
}

}  // namespace amgsolve
