#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>

#include "core/collectively.hpp"
#include "core/errors.hpp"
#include "core/vector_error.hpp"
#include "tests/dist/ranks.hpp"

namespace amgsolve {
namespace {

using ranks::world;

TEST(Communicator, AddsAndComparesNumbers) {
  const std::int64_t size = world().size();
  EXPECT_EQ(world().sum(world().rank() + 1), size * (size + 1) / 2);
  EXPECT_EQ(world().max(-world().rank()), 0);
}

TEST(Communicator, GathersListsOfAnyLength) {
  std::vector<Index> own(static_cast<std::size_t>(3 * world().rank()), world().rank());
  std::vector<Index> expected;
  for (int rank = 0; rank < world().size(); ++rank) {
    expected.insert(expected.end(), static_cast<std::size_t>(3 * rank), rank);
  }
  EXPECT_EQ(world().all_gather_list(std::span<const Index>(own)), expected);
}

TEST(Communicator, TellsEveryRankANumberOfItsOwn) {
  const auto size = static_cast<std::size_t>(world().size());
  std::vector<std::int64_t> to(size);
  std::vector<std::int64_t> expected(size);
  for (std::size_t rank = 0; rank < size; ++rank) {
    to[rank] = 100 * world().rank() + static_cast<std::int64_t>(rank);
    expected[rank] = 100 * static_cast<std::int64_t>(rank) + world().rank();
  }
  std::vector<std::int64_t> from(size, -1);
  world().all_to_all(to, from);
  EXPECT_EQ(from, expected);
}

TEST(Communicator, ExchangesMessages) {
  const int size = world().size();
  const int next = (world().rank() + 1) % size;
  const int previous = (world().rank() + size - 1) % size;
  if (next == world().rank()) {
    GTEST_SKIP() << "a single rank has nobody to talk to";
  }
  std::vector<Index> own(static_cast<std::size_t>(world().rank()) + 1, world().rank());
  std::vector<Index> others(static_cast<std::size_t>(previous) + 1);
  const std::vector<Communicator::Outgoing> sends = {{next, std::as_bytes(std::span(own))}};
  const std::vector<Communicator::Incoming> receives = {{previous, std::as_writable_bytes(std::span(others))}};
  world().exchange(sends, receives);
  EXPECT_EQ(others, std::vector<Index>(others.size(), previous));
}

/// Throws on the ranks from `rank` on.
template <class E>
void fail_from(int rank, const E& error) {
  if (world().rank() >= rank) {
    throw E(error);
  }
}

/// What all ranks must throw where rank `rank` is the lowest that fails.
template <class E>
void expect_agreement(const E& error) {
  for (int rank = 0; rank < world().size(); ++rank) {
    const std::string expected =
        world().size() == 1 ? std::string(error.what()) : "rank " + std::to_string(rank) + ": " + error.what();
    try {
      collectively(world(), [&] { fail_from(rank, error); });
      ADD_FAILURE() << "nothing thrown";
    } catch (const E& caught) {
      EXPECT_EQ(caught.what(), expected);
    }
  }
}

TEST(Collectively, AllRanksThrowWhatTheLowestThrew) {
  expect_agreement(ConfigurationError("a key"));
  expect_agreement(InputError("a matrix"));
  expect_agreement(OutputError("a disk"));
  expect_agreement(BreakdownError("a diagonal"));
  expect_agreement(DeviceError("a device"));
  expect_agreement(InterruptedError("a loop"));
  expect_agreement(std::invalid_argument("a size"));
  expect_agreement(std::runtime_error("a mistake"));
  expect_agreement(OutOfMemoryError("a level", 1000, 10));
}

TEST(Collectively, VectorsAtFaultStayNamed) {
  try {
    collectively(world(), [] { fail_from(0, VectorError(VectorError::Role::initial_guess, "a vector")); });
    ADD_FAILURE() << "nothing thrown";
  } catch (const VectorError& caught) {
    EXPECT_EQ(caught.role(), VectorError::Role::initial_guess);
  }
}

TEST(Collectively, MemoryKeepsItsBytes) {
  try {
    collectively(world(), [] { fail_from(0, OutOfMemoryError("a level", 1000, 10)); });
    ADD_FAILURE() << "nothing thrown";
  } catch (const OutOfMemoryError& caught) {
    EXPECT_EQ(caught.bytes_wanted(), 1000U);
    EXPECT_EQ(caught.bytes_free(), 10U);
  }
}

TEST(Collectively, NothingIsSaidOfMessagesThatFailed) {
  const std::string own = "a link of rank " + std::to_string(world().rank());
  try {
    collectively(world(), [&] { throw CommunicationError(own); });
    ADD_FAILURE() << "nothing thrown";
  } catch (const CommunicationError& caught) {
    EXPECT_EQ(caught.what(), own);
  }
}

TEST(Collectively, NothingIsThrownWhereNothingWas) {
  int calls = 0;
  collectively(world(), [&] { ++calls; });
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace amgsolve
