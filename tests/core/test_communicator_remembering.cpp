#include "core/communicator_remembering.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace amgsolve {
namespace {

/// One of two ranks, of which the other says what a count of all questions makes of its answers.
class Talkative final : public ForwardingCommunicator {
 public:
  Talkative() : ForwardingCommunicator(Communicator::serial()) {}
  using ForwardingCommunicator::exchange;
  using ForwardingCommunicator::gather_bytes;
  using ForwardingCommunicator::sum_ranks;

  int size() const override { return 2; }
  void sum_ranks(Span<std::int64_t, Host> x) const override {
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] += ++questions;
    }
  }
  std::int64_t max(std::int64_t local) const override { return std::max(local, ++questions); }
  void gather_bytes(std::span<const std::byte>, std::span<const std::size_t>, std::span<std::byte> all) const override {
    std::ranges::fill(all, static_cast<std::byte>(++questions));
  }
  void all_to_all(std::span<const std::int64_t>, std::span<std::int64_t> from) const override {
    std::ranges::fill(from, ++questions);
  }
  void exchange(std::span<const Outgoing>, std::span<const Incoming> receives) const override {
    for (const Incoming& message : receives) {
      std::ranges::fill(message.bytes, static_cast<std::byte>(++questions));
    }
  }

  mutable std::int64_t questions = 0;
};

/// All that some work is told.
std::vector<std::int64_t> ask(const Communicator& ranks, std::int64_t local = 0) {
  std::array<std::int64_t, 2> pair{10, 20};
  ranks.sum_ranks({pair.data(), pair.size()});
  std::vector<std::int64_t> answers(pair.begin(), pair.end());
  answers.push_back(ranks.max(local));
  for (const std::int8_t byte : ranks.all_gather(std::int8_t{0})) {
    answers.push_back(byte);
  }
  ranks.all_to_all(pair, pair);
  answers.insert(answers.end(), pair.begin(), pair.end());
  std::array<std::byte, 2> received{};
  const std::span<std::byte> room(received);
  const std::array<Communicator::Incoming, 2> receives{Communicator::Incoming{1, room.subspan(0, 1)},
                                                       Communicator::Incoming{1, room.subspan(1, 1)}};
  ranks.exchange({}, receives);
  for (const std::byte byte : received) {
    answers.push_back(static_cast<std::int64_t>(byte));
  }
  return answers;
}

TEST(RememberingCommunicator, TellsTheSameAgainWithoutAsking) {
  const Talkative ranks;
  RememberingCommunicator remembering(ranks);
  const std::vector<std::int64_t> told = ask(remembering);
  EXPECT_EQ(told, (std::vector<std::int64_t>{11, 22, 3, 4, 4, 5, 5, 6, 7}));
  for (int i = 0; i < 2; ++i) {
    remembering.repeat_answers();
    EXPECT_EQ(ask(remembering), told);
  }
  EXPECT_EQ(ranks.questions, 7);
}

TEST(RememberingCommunicator, HearsOfWhatIsLargerThisTime) {
  const Talkative ranks;
  RememberingCommunicator remembering(ranks);
  ask(remembering);
  remembering.repeat_answers();
  EXPECT_EQ(ask(remembering, 100)[2], 100);
}

TEST(RememberingCommunicator, RefusesQuestionsThatWereNotAsked) {
  const Talkative ranks;
  RememberingCommunicator remembering(ranks);
  EXPECT_EQ(remembering.max(0), 1);
  remembering.repeat_answers();
  EXPECT_THROW(remembering.all_gather(0.0), std::logic_error) << "another one";
  EXPECT_EQ(remembering.max(0), 1);
  EXPECT_THROW(remembering.max(0), std::logic_error) << "one more";
  EXPECT_EQ(ranks.questions, 1);
}

}  // namespace
}  // namespace amgsolve
