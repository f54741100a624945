#include "core/communicator_staged.hpp"

#include <cuda_runtime_api.h>

#include <cstdlib>
#include <vector>

#include "core/check_cuda.hpp"
#include "core/communicator_forwarding.hpp"
#include "core/device.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"

namespace amgsolve {
namespace {

/// Memory that grows.
class Stage {
 public:
  explicit Stage(StageMemory memory) : memory_(memory) {}
  ~Stage() { free(); }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  /// What it held is lost where it grows, so nothing of it may be on its way then.
  std::span<std::byte> take(std::size_t bytes, CUstream_st* stream) {
    if (bytes > size_) {
      AMGSOLVE_CUDA_CHECK(cudaStreamSynchronize(stream));
      free();
      void* data = nullptr;
      const bool is_of_host = memory_ == StageMemory::host;
      if ((is_of_host ? cudaHostAlloc(&data, bytes, cudaHostAllocDefault) : cudaMalloc(&data, bytes)) != cudaSuccess) {
        cudaGetLastError();
        throw OutOfMemoryError(
            format_text("not enough {} memory to pass messages between devices", is_of_host ? "page-locked" : "device"),
            bytes, 0);
      }
      data_ = static_cast<std::byte*>(data);
      size_ = bytes;
    }
    return {data_, bytes};
  }

 private:
  void free() {
    memory_ == StageMemory::host ? cudaFreeHost(data_) : cudaFree(data_);
    data_ = nullptr;
    size_ = 0;
  }

  StageMemory memory_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

void copy_async(void* to, const void* from, std::size_t bytes, CUstream_st* stream) {
  AMGSOLVE_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
}

class StagedCommunicator final : public ForwardingCommunicator {
 public:
  using ForwardingCommunicator::exchange;
  using ForwardingCommunicator::gather_bytes;
  using ForwardingCommunicator::sum_ranks;

  StagedCommunicator(const Communicator& ranks, StageMemory memory)
      : ForwardingCommunicator(ranks),
        transport_(memory == StageMemory::host ? "through the host" : "from device to device"),
        stage_(memory) {}

  std::string transport() const override { return transport_; }

  void sum_ranks(Span<std::int64_t, Cuda> x, CUstream_st* stream) const override {
    const std::size_t bytes = x.size() * sizeof(std::int64_t);
    const std::span<std::byte> stage = host_stage_.take(bytes, stream);
    copy_async(stage.data(), x.data(), bytes, stream);
    AMGSOLVE_CUDA_CHECK(cudaStreamSynchronize(stream));
    ranks().sum_ranks({reinterpret_cast<std::int64_t*>(stage.data()), x.size()});
    copy_async(x.data(), stage.data(), bytes, stream);
  }

  void gather_bytes(std::span<const std::byte> own, std::span<const std::size_t> lengths, std::span<std::byte> all,
                    CUstream_st* stream) const override {
    const std::span<std::byte> stage = stage_.take(own.size() + all.size(), stream);
    const std::span<std::byte> own_stage = stage.first(own.size());
    const std::span<std::byte> all_stage = stage.subspan(own.size());
    copy_async(own_stage.data(), own.data(), own.size(), stream);
    AMGSOLVE_CUDA_CHECK(cudaStreamSynchronize(stream));
    ranks().gather_bytes(own_stage, lengths, all_stage);
    copy_async(all.data(), all_stage.data(), all.size(), stream);
  }

  void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives,
                CUstream_st* stream) const override {
    std::size_t bytes = 0;
    for (const Outgoing& message : sends) {
      bytes += message.bytes.size();
    }
    for (const Incoming& message : receives) {
      bytes += message.bytes.size();
    }
    std::span<std::byte> free = stage_.take(bytes, stream);
    const auto next = [&](std::size_t size) {
      const std::span<std::byte> part = free.first(size);
      free = free.subspan(size);
      return part;
    };
    std::vector<Outgoing> staged_sends;
    for (const Outgoing& message : sends) {
      const std::span<std::byte> part = next(message.bytes.size());
      copy_async(part.data(), message.bytes.data(), part.size(), stream);
      staged_sends.push_back({message.rank, part});
    }
    std::vector<Incoming> staged_receives;
    for (const Incoming& message : receives) {
      staged_receives.push_back({message.rank, next(message.bytes.size())});
    }
    AMGSOLVE_CUDA_CHECK(cudaStreamSynchronize(stream));
    ranks().exchange(staged_sends, staged_receives);
    for (std::size_t i = 0; i < receives.size(); ++i) {
      copy_async(receives[i].bytes.data(), staged_receives[i].bytes.data(), receives[i].bytes.size(), stream);
    }
  }

 private:
  std::string transport_;
  mutable Stage stage_;
  mutable Stage host_stage_{StageMemory::host};
};

}  // namespace

std::unique_ptr<Communicator> staged_communicator(const Communicator& ranks, int device, StageMemory memory) {
  use_device(device);
  return std::make_unique<StagedCommunicator>(ranks, memory);
}

}  // namespace amgsolve
