#include "core/parallel_host.hpp"

#include <gtest/gtest.h>
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <thread>
#include <vector>

#include "core/errors.hpp"

namespace amgsolve {
namespace {

// Enough to be shared.
constexpr std::int64_t size = 100003;
static_assert(size * row_work > least_shared_work);

class ParallelHost : public ::testing::TestWithParam<int> {
 protected:
  Context<Host> ctx{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Threads, ParallelHost, ::testing::Values(1, 2, 3, 8));

TEST_P(ParallelHost, ForVisitsEveryIndexOnce) {
  std::vector<int> visits(size);
  parallel_for(ctx, size, [&](std::int64_t i) { ++visits[static_cast<std::size_t>(i)]; });
  EXPECT_EQ(visits, std::vector<int>(size, 1));
}

TEST_P(ParallelHost, BlocksVisitEveryBlockOnce) {
  std::vector<int> visits(100);
  parallel_blocks(ctx, 100, [&](std::int64_t block) { ++visits[static_cast<std::size_t>(block)]; });
  EXPECT_EQ(visits, std::vector<int>(100, 1));
}

TEST_P(ParallelHost, FixedBlocksDoNotDependOnThreads) {
  constexpr std::int64_t block_size = 1000;
  std::vector<std::int64_t> ends(101);
  parallel_fixed_blocks(ctx, size, block_size, [&](std::int64_t block, std::int64_t begin, std::int64_t end) {
    EXPECT_EQ(begin, block * block_size);
    ends[static_cast<std::size_t>(block)] = end;
  });
  for (std::size_t block = 0; block < 100; ++block) {
    EXPECT_EQ(ends[block], static_cast<std::int64_t>(block + 1) * block_size);
  }
  EXPECT_EQ(ends[100], size);
}

TEST_P(ParallelHost, ReducesInOrder) {
  // Joining ranges end to end is not commutative: any other order breaks the chain.
  struct Range {
    std::int64_t begin;
    std::int64_t end;
  };
  const Range all = parallel_reduce(
      ctx, size, Range{0, 0},
      [](std::int64_t begin, std::int64_t end) {
        return Range{begin, end};
      },
      [](const Range& a, const Range& b) {
        return a.end == b.begin ? Range{a.begin, b.end} : Range{-1, -1};
      });
  EXPECT_EQ(all.begin, 0);
  EXPECT_EQ(all.end, size);
}

TEST_P(ParallelHost, ThreadsAreNumberedWithinTheContext) {
  std::vector<int> calls(static_cast<std::size_t>(ctx.threads()));
  parallel_ranges(ctx, size, [&](std::int64_t, std::int64_t) { ++calls[thread_number(ctx)]; });
  EXPECT_EQ(*std::ranges::max_element(calls), 1);
}

/// Waking threads would take longer.
TEST_P(ParallelHost, LittleWorkIsLeftToTheCallingThread) {
  EXPECT_FALSE(is_shared(ctx, 1000, row_work));
  EXPECT_FALSE(is_shared(ctx, 1, 2 * least_shared_work));
  EXPECT_EQ(is_shared(ctx, least_shared_work, 1), ctx.threads() > 1);
  EXPECT_EQ(is_shared(ctx, 2, std::int64_t{1} << 62), ctx.threads() > 1);
  int calls = 0;
  parallel_ranges(ctx, 1000, [&](std::int64_t begin, std::int64_t end) {
    ++calls;
    EXPECT_EQ(end - begin, 1000);
  });
  parallel_fixed_blocks(ctx, 1000, 10, [&](std::int64_t, std::int64_t, std::int64_t) { calls += omp_in_parallel(); });
  parallel_blocks(
      ctx, 10, [&](std::int64_t) { calls += omp_in_parallel(); }, 100);
  EXPECT_EQ(calls, 1);
}

/// An application may run a context in each thread of its own parallel region.
TEST_P(ParallelHost, ThreadsAreNumberedWithinTheContextInAnOuterRegion) {
  std::size_t largest = 0;
#pragma omp parallel num_threads(16) reduction(max : largest)
  {
    const Context<Host> inner(GetParam());
    for (const std::int64_t n : {std::int64_t{10}, size}) {
      parallel_fixed_blocks(inner, n, 1000, [&](std::int64_t, std::int64_t, std::int64_t) {
        const std::size_t number = thread_number(inner);
#pragma omp critical(test_largest)
        largest = std::max(largest, number);
      });
    }
  }
  EXPECT_LT(largest, static_cast<std::size_t>(ctx.threads()));
}

// Asked for the third time it ends, wherever the other threads are.
TEST_P(ParallelHost, LongLoopsEndWhereTheyAreInterrupted) {
  constexpr std::int64_t pieces = 64;
  const auto visits_until_interrupted = [&](const auto& loop) {
    int asked = 0;
    ctx.set_stop([&asked, owner = std::this_thread::get_id()] {
      EXPECT_EQ(std::this_thread::get_id(), owner);
      return ++asked == 3;
    });
    std::atomic<std::int64_t> visits = 0;
    EXPECT_THROW(loop(visits), InterruptedError);
    ctx.set_stop({});
    return visits.load();
  };
  const auto range = [&](std::atomic<std::int64_t>& visits) {
    parallel_ranges(
        ctx, 4 * pieces, [&](std::int64_t begin, std::int64_t end) { visits += end - begin; }, work_between_polls / 4);
  };
  const auto blocks = [&](std::atomic<std::int64_t>& visits) {
    parallel_blocks(ctx, 4 * pieces, [&](std::int64_t) {
      ++visits;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));  // the other threads shall not have done it all
    });
  };
  EXPECT_GT(visits_until_interrupted(range), 0);
  EXPECT_LT(visits_until_interrupted(blocks), 4 * pieces);
  if (ctx.threads() == 1) {
    EXPECT_EQ(visits_until_interrupted(range), 3 * 4);  // nothing asks before a loop of one thread
    EXPECT_EQ(visits_until_interrupted(blocks), 1);     // before the loop and before each block
  }
  // Where loops must be whole only their beginning is interrupted.
  const Context<Host>::WholeLoops whole(ctx);
  int asked = 0;
  ctx.set_stop([&asked] { return ++asked == 3; });
  std::atomic<std::int64_t> visits = 0;
  range(visits);
  EXPECT_EQ(visits, 4 * pieces);
}

TEST(Threads, AreNoMoreThanAMachineBears) {
  EXPECT_THROW(Context<Host>(100000), ConfigurationError);
  EXPECT_THROW(Context<Host>(-1), ConfigurationError);
  const int usual = omp_get_max_threads();
  omp_set_num_threads(2000000000);  // as OMP_NUM_THREADS may say
  EXPECT_LE(Context<Host>(0).threads(), std::max(64, 4 * omp_get_num_procs()));
  omp_set_num_threads(usual);
}

TEST_P(ParallelHost, NothingToDoCallsNothing) {
  parallel_ranges(ctx, 0, [](std::int64_t, std::int64_t) { FAIL(); });
  parallel_blocks(ctx, 0, [](std::int64_t) { FAIL(); });
  EXPECT_EQ(parallel_reduce(
                ctx, 0, 42, [](std::int64_t, std::int64_t) { return 0; }, [](int, int) { return 0; }),
            42);
}

/// Work that two threads would share.
std::int64_t sum_of_remainders(const Context<Host>& ctx) {
  std::vector<std::int64_t> remainders(1 << 20);
  parallel_for(ctx, std::ssize(remainders), [&](std::int64_t i) { remainders[static_cast<std::size_t>(i)] = i % 7; });
  return std::accumulate(remainders.begin(), remainders.end(), std::int64_t{0});
}

/// Has a child of this process do the work, and fails unless it takes so many threads.
void expect_threads_after_fork(const Context<Host>& ctx, int threads) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);  // ends a child that waits for threads
    const bool is_right = sum_of_remainders(ctx) == sum_of_remainders(Context<Host>(1));
    _exit(is_right && is_shared(ctx, 1 << 20, 8) == (threads > 1) && threads_at_work(ctx) == threads ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(ForkedProcess, WorksOnWithOneThread) {
  const Context<Host> ctx(2);
  sum_of_remainders(ctx);
  expect_threads_after_fork(ctx, 1);
  EXPECT_EQ(is_shared(ctx, 1 << 20, 8), ctx.threads() > 1);  // one where OpenMP allows no more
  EXPECT_EQ(threads_at_work(ctx), ctx.threads());
}

// Of a process of its own, as every test has one under ctest: nothing of the library has been at work before.
TEST(ForkedProcess, WorksOnWithOneThreadWhoeverSharedWork) {
#pragma omp parallel num_threads(2)
  { std::this_thread::yield(); }
  expect_threads_after_fork(Context<Host>(2), 1);
}

TEST(ForkedProcess, SharesWorkWhereNoThreadWasLost) {
  if (std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}) > 1) {
    GTEST_SKIP() << "the process has other threads";
  }
  const Context<Host> ctx(2);
  expect_threads_after_fork(ctx, ctx.threads());
}

}  // namespace
}  // namespace amgsolve
