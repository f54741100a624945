#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "core/communicator_forwarding.hpp"

namespace amgsolve {

/// Remembers what work on the host is told by the ranks of another communicator, and tells the same work again without
/// asking them, as when it is recorded (core/repeated_work.hpp). What goes by streams is passed on.
class RememberingCommunicator final : public ForwardingCommunicator {
 public:
  using ForwardingCommunicator::exchange;
  using ForwardingCommunicator::ForwardingCommunicator;
  using ForwardingCommunicator::gather_bytes;
  using ForwardingCommunicator::sum_ranks;

  /// From now on the answers are those of before, in their order. A question that was not asked before throws
  /// std::logic_error.
  void repeat_answers() {
    repeats_ = true;
    next_ = 0;
  }

  void sum_ranks(Span<std::int64_t, Host> x) const override {
    answer(std::as_writable_bytes(std::span(x.data(), x.size())), [&] { ranks().sum_ranks(x); });
  }
  /// At least the local one, so that work that fails in repeating finds that it does.
  std::int64_t max(std::int64_t local) const override {
    std::int64_t highest = local;
    answer(std::as_writable_bytes(std::span(&highest, 1)), [&] { highest = ranks().max(local); });
    return std::max(highest, local);
  }
  void gather_bytes(std::span<const std::byte> own, std::span<const std::size_t> lengths,
                    std::span<std::byte> all) const override {
    answer(all, [&] { ranks().gather_bytes(own, lengths, all); });
  }
  void all_to_all(std::span<const std::int64_t> to, std::span<std::int64_t> from) const override {
    answer(std::as_writable_bytes(from), [&] { ranks().all_to_all(to, from); });
  }
  void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) const override {
    if (!repeats_) {
      ranks().exchange(sends, receives);
    }
    for (const Incoming& message : receives) {
      answer(message.bytes, [] {});
    }
  }

 private:
  /// @param room  of the answer
  template <class Ask>
  void answer(std::span<std::byte> room, const Ask& ask) const {
    if (!repeats_) {
      ask();
      answers_.emplace_back(room.begin(), room.end());
      return;
    }
    if (next_ == answers_.size() || answers_[next_].size() != room.size()) {
      throw std::logic_error("the ranks were not asked this before");
    }
    std::ranges::copy(answers_[next_++], room.begin());
  }

  mutable std::vector<std::vector<std::byte>> answers_;
  mutable std::size_t next_ = 0;
  bool repeats_ = false;
};

}  // namespace amgsolve
