#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "core/communicator_forwarding.hpp"
#include "src/library/rank_statistics.hpp"

namespace amgsolve {

/// Counts what a rank sends and how long it waits; see RankStatistics. Of what a stream does later only the bytes
/// count.
class MeasuredCommunicator final : public ForwardingCommunicator {
 public:
  using ForwardingCommunicator::ForwardingCommunicator;

  struct Counts : Messages {
    double seconds_waited = 0.0;
  };
  const Counts& counts() const { return counts_; }
  void clear_counts() { counts_ = {}; }

  Messages messages() const override { return on_streams_; }
  void count(const Messages& messages, std::int64_t times) const override {
    on_streams_.add(messages, times);
    counts_.add(messages, times);
  }

  void sum_ranks(Span<std::int64_t, Host> x) const override {
    timed(counts_.sums, [&] { ranks().sum_ranks(x); });
  }
  void sum_ranks(Span<std::int64_t, Cuda> x, CUstream_st* stream) const override {
    on_stream([&] { timed(counts_.sums, [&] { ranks().sum_ranks(x, stream); }); });
  }
  bool sum_blocks(Span<const double, Cuda> partial, Span<double, Cuda> result, CUstream_st* stream) const override {
    const bool is_summed = ranks().sum_blocks(partial, result, stream);
    if (is_summed) {
      on_stream([&] { ++counts_.sums; });
    }
    return is_summed;
  }
  std::int64_t max(std::int64_t local) const override {
    timed(counts_.sums, [&] { local = ranks().max(local); });
    return local;
  }
  void gather_bytes(std::span<const std::byte> own, std::span<const std::size_t> lengths,
                    std::span<std::byte> all) const override {
    send_to_all(own);
    timed(counts_.gathers, [&] { ranks().gather_bytes(own, lengths, all); });
  }
  void gather_bytes(std::span<const std::byte> own, std::span<const std::size_t> lengths, std::span<std::byte> all,
                    CUstream_st* stream) const override {
    on_stream([&] {
      send_to_all(own);
      timed(counts_.gathers, [&] { ranks().gather_bytes(own, lengths, all, stream); });
    });
  }
  void all_to_all(std::span<const std::int64_t> to, std::span<std::int64_t> from) const override {
    counts_.bytes_sent += static_cast<std::int64_t>(to.size_bytes()) / size() * (size() - 1);
    timed(counts_.gathers, [&] { ranks().all_to_all(to, from); });
  }
  void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) const override {
    send(sends);
    timed(counts_.exchanges, [&] { ranks().exchange(sends, receives); });
  }
  void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives,
                CUstream_st* stream) const override {
    on_stream([&] {
      send(sends);
      timed(counts_.exchanges, [&] { ranks().exchange(sends, receives, stream); });
    });
  }

 private:
  template <class Call>
  void timed(std::int64_t& count, const Call& call) const {
    ++count;
    const auto start = std::chrono::steady_clock::now();
    call();
    counts_.seconds_waited += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  template <class Call>
  void on_stream(const Call& call) const {
    const Messages before = counts_;
    call();
    on_streams_.add(counts_);
    on_streams_.add(before, -1);
  }
  void send(std::span<const Outgoing> messages) const {
    for (const Outgoing& message : messages) {
      counts_.bytes_sent += static_cast<std::int64_t>(message.size());
    }
  }
  void send_to_all(std::span<const std::byte> own) const {
    counts_.bytes_sent += static_cast<std::int64_t>(own.size()) * (size() - 1);
  }

  mutable Counts counts_;
  mutable Messages on_streams_;
};

/// What all ranks had since counts were cleared. Collective.
/// @param rows, ghosts  of this one
inline std::vector<RankStatistics> all_statistics(const MeasuredCommunicator& ranks, std::int64_t rows,
                                                  std::int64_t ghosts) {
  return ranks.all_gather(RankStatistics{.rows = rows,
                                         .ghosts = ghosts,
                                         .bytes_sent = ranks.counts().bytes_sent,
                                         .seconds_waited = ranks.counts().seconds_waited});
}

}  // namespace amgsolve
