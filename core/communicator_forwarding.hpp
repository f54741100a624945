#pragma once

#include "core/communicator.hpp"

namespace amgsolve {

/// The ranks of another communicator, which outlives it: a base of those that do a part of it in another way.
class ForwardingCommunicator : public Communicator {
 public:
  explicit ForwardingCommunicator(const Communicator& ranks) : ranks_(ranks) {}
  ForwardingCommunicator(const ForwardingCommunicator&) = delete;  // what one of these forwards to is another matter
  ForwardingCommunicator& operator=(const ForwardingCommunicator&) = delete;

  std::string transport() const override { return ranks_.transport(); }
  bool can_be_recorded() const override { return ranks_.can_be_recorded(); }
  Messages messages() const override { return ranks_.messages(); }
  void count(const Messages& messages, std::int64_t times) const override { ranks_.count(messages, times); }
  int rank() const override { return ranks_.rank(); }
  int size() const override { return ranks_.size(); }
  bool takes_device_memory() const override { return ranks_.takes_device_memory(); }
  void sum_ranks(Span<std::int64_t, Host> x) const override { ranks_.sum_ranks(x); }
  void sum_ranks(Span<std::int64_t, Cuda> x, CUstream_st* stream) const override { ranks_.sum_ranks(x, stream); }
  bool sum_blocks(Span<const double, Cuda> partial, Span<double, Cuda> result, CUstream_st* stream) const override {
    return ranks_.sum_blocks(partial, result, stream);
  }
  std::int64_t max(std::int64_t local) const override { return ranks_.max(local); }
  void gather_bytes(std::span<const std::byte> own, std::span<const std::size_t> lengths,
                    std::span<std::byte> all) const override {
    ranks_.gather_bytes(own, lengths, all);
  }
  void gather_bytes(std::span<const std::byte> own, std::span<const std::size_t> lengths, std::span<std::byte> all,
                    CUstream_st* stream) const override {
    ranks_.gather_bytes(own, lengths, all, stream);
  }
  void all_to_all(std::span<const std::int64_t> to, std::span<std::int64_t> from) const override {
    ranks_.all_to_all(to, from);
  }
  void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) const override {
    ranks_.exchange(sends, receives);
  }
  void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives,
                CUstream_st* stream) const override {
    ranks_.exchange(sends, receives, stream);
  }
  bool picks_rows(int rank, std::size_t bytes) const override { return ranks_.picks_rows(rank, bytes); }

 protected:
  const Communicator& ranks() const { return ranks_; }

 private:
  const Communicator& ranks_;
};

}  // namespace amgsolve
