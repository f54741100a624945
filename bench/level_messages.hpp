#pragma once

#include <map>
#include <string_view>
#include <utility>

#include "core/communicator_forwarding.hpp"
#include "core/profile.hpp"
#include "src/library/measured_communicator.hpp"

namespace amgsolve::bench {

/// What this rank sends and how long it waits, by the phase at the top (setup or solve) and the level that are open.
class LevelMessages final : public ForwardingCommunicator {
 public:
  using Counts = MeasuredCommunicator::Counts;

  explicit LevelMessages(const MeasuredCommunicator& ranks)
      : ForwardingCommunicator(static_cast<const Communicator&>(ranks)), measured_(ranks) {}

  /// Of all together.
  const Counts& counts() const { return measured_.counts(); }

  /// Of levels, and of Profile::no_level for what is outside of them.
  using ByLevel = std::map<std::pair<std::string_view, int>, Counts>;

  /// Counts of what `work` does.
  /// @param profile  of the context whose communicator this is
  template <class Work>
  ByLevel of(const Profile& profile, const Work& work) {
    profile_ = &profile;
    work();
    profile_ = nullptr;
    return std::exchange(counts_, {});
  }

  void sum_ranks(Span<std::int64_t, Host> x) const override {
    const Counting counting(*this);
    ranks().sum_ranks(x);
  }
  void sum_ranks(Span<std::int64_t, Cuda> x, CUstream_st* stream) const override {
    const Counting counting(*this);
    ranks().sum_ranks(x, stream);
  }
  bool sum_blocks(Span<const double, Cuda> partial, Span<double, Cuda> result, CUstream_st* stream) const override {
    const Counting counting(*this);
    return ranks().sum_blocks(partial, result, stream);
  }
  std::int64_t max(std::int64_t local) const override {
    const Counting counting(*this);
    return ranks().max(local);
  }
  void gather_bytes(std::span<const std::byte> own, std::span<const std::size_t> lengths,
                    std::span<std::byte> all) const override {
    const Counting counting(*this);
    ranks().gather_bytes(own, lengths, all);
  }
  void gather_bytes(std::span<const std::byte> own, std::span<const std::size_t> lengths, std::span<std::byte> all,
                    CUstream_st* stream) const override {
    const Counting counting(*this);
    ranks().gather_bytes(own, lengths, all, stream);
  }
  void all_to_all(std::span<const std::int64_t> to, std::span<std::int64_t> from) const override {
    const Counting counting(*this);
    ranks().all_to_all(to, from);
  }
  void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) const override {
    const Counting counting(*this);
    ranks().exchange(sends, receives);
  }
  void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives,
                CUstream_st* stream) const override {
    const Counting counting(*this);
    ranks().exchange(sends, receives, stream);
  }

 private:
  /// Adds what is counted while it lives.
  class Counting {
   public:
    explicit Counting(const LevelMessages& messages) : messages_(messages), before_(messages.counts()) {}
    ~Counting() { messages_.add(before_); }
    Counting(const Counting&) = delete;
    Counting& operator=(const Counting&) = delete;

   private:
    const LevelMessages& messages_;
    Counts before_;
  };

  void add(const Counts& before) const {
    if (profile_ == nullptr || profile_->place().open < 0) {
      return;
    }
    const auto& nodes = profile_->nodes();
    int top = profile_->place().open;
    const int level = nodes[static_cast<std::size_t>(top)].level;
    while (nodes[static_cast<std::size_t>(top)].parent >= 0) {
      top = nodes[static_cast<std::size_t>(top)].parent;
    }
    const std::string_view part = nodes[static_cast<std::size_t>(top)].phase == "setup" ? "setup" : "solve";
    Counts& counts = counts_[{part, level}];
    counts.add(measured_.counts());
    counts.add(before, -1);
    counts.seconds_waited += measured_.counts().seconds_waited - before.seconds_waited;
  }

  const MeasuredCommunicator& measured_;
  const Profile* profile_ = nullptr;
  mutable ByLevel counts_;
};

}  // namespace amgsolve::bench
