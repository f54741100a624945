#include "core/profile.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "core/context.hpp"
#include "core/timer.hpp"

namespace amgsolve {
namespace {

TEST(Profile, BuildsATreeOfPhasesAndLevels) {
  Context<Host> ctx;
  {
    const ScopedTimer setup(ctx, "setup");
    for (const int level : {0, 1, 0}) {
      const ScopedTimer strength(ctx, "strength", level);
      const ScopedTimer inner(ctx, "scan");
    }
  }
  const auto& nodes = ctx.profile().nodes();
  ASSERT_EQ(nodes.size(), 5U);
  EXPECT_EQ(nodes[0].phase, "setup");
  EXPECT_EQ(nodes[0].parent, -1);
  EXPECT_EQ(nodes[0].level, Profile::no_level);
  EXPECT_EQ(nodes[1].phase, "strength");
  EXPECT_EQ(nodes[1].parent, 0);
  EXPECT_EQ(nodes[1].level, 0);
  EXPECT_EQ(nodes[1].calls, 2);
  EXPECT_EQ(nodes[2].phase, "scan");
  EXPECT_EQ(nodes[2].parent, 1);
  EXPECT_EQ(nodes[2].level, 0) << "a phase has the level of the one around it";
  EXPECT_EQ(nodes[3].level, 1);
  EXPECT_EQ(nodes[3].calls, 1);
  EXPECT_EQ(nodes[4].parent, 3);
}

TEST(Profile, CallsTakeAsLongAsThoseThatWereTimed) {
  Profile profile;
  const auto call = [&](auto... seconds) {
    profile.open("phase", 0);
    profile.close(seconds...);
  };
  call();
  EXPECT_EQ(profile.nodes()[0].seconds(), 0.0) << "nothing is known";
  call(1.0);
  call(2.0);
  call();
  EXPECT_EQ(profile.nodes()[0].calls, 4);
  EXPECT_EQ(profile.nodes()[0].timed_calls, 2);
  EXPECT_EQ(profile.nodes()[0].seconds(), 6.0);
  EXPECT_EQ(profile.seconds("phase"), 6.0);
}

TEST(Profile, WorkGoesToTheInnermostPhase) {
  Context<Host> ctx;
  ctx.profile().add({1000, 1000});
  {
    const ScopedTimer outer(ctx, "outer");
    ctx.profile().add({10, 1});
    {
      const ScopedTimer inner(ctx, "inner");
      ctx.profile().add({20, 2});
      ctx.profile().add({30, 3});
    }
    ctx.profile().add({40, 4});
  }
  const auto& nodes = ctx.profile().nodes();
  ASSERT_EQ(nodes.size(), 2U) << "work outside any phase is dropped";
  EXPECT_EQ(nodes[0].work.bytes, 50);
  EXPECT_EQ(nodes[0].work.flops, 5);
  EXPECT_EQ(nodes[1].work.bytes, 50);
  EXPECT_EQ(nodes[1].work.flops, 5);
}

TEST(Profile, NotesGoToTheInnermostPhaseOnce) {
  Context<Host> ctx;
  ctx.profile().note("outside any phase");
  for (int repeat = 0; repeat < 2; ++repeat) {
    const ScopedTimer outer(ctx, "outer");
    {
      const ScopedTimer inner(ctx, "inner");
      ctx.profile().note("short rows");
      ctx.profile().note("long rows");
    }
    ctx.profile().note("short rows");
  }
  const auto& nodes = ctx.profile().nodes();
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0].notes, (std::vector<std::string>{"short rows"}));
  EXPECT_EQ(nodes[1].notes, (std::vector<std::string>{"short rows", "long rows"}));
}

TEST(Profile, TimesIncludeWhatIsInside) {
  using namespace std::chrono_literals;
  Context<Host> ctx;
  for (int repeat = 0; repeat < 2; ++repeat) {
    const ScopedTimer outer(ctx, "outer");
    const ScopedTimer inner(ctx, "inner");
    std::this_thread::sleep_for(5ms);
  }
  const auto& nodes = ctx.profile().nodes();
  EXPECT_GE(nodes[1].seconds(), 0.010);
  EXPECT_GE(nodes[0].seconds(), nodes[1].seconds());
  EXPECT_EQ(ctx.profile().seconds("outer"), nodes[0].seconds());
  EXPECT_EQ(ctx.profile().seconds("inner"), 0.0) << "only phases at the top are asked for";
}

TEST(Profile, SaysWhereItIs) {
  Context<Host> ctx;
  EXPECT_EQ(ctx.profile().current_path(), "");
  const ScopedTimer setup(ctx, "setup");
  EXPECT_EQ(ctx.profile().current_path(), "setup");
  const ScopedTimer product(ctx, "galerkin product", 1);
  const ScopedTimer multiply(ctx, "multiply");
  EXPECT_EQ(ctx.profile().current_path(), "setup > galerkin product (level 1) > multiply");
}

TEST(Profile, ClosesPhasesThatAnExceptionLeaves) {
  Context<Host> ctx;
  try {
    const ScopedTimer setup(ctx, "setup");
    throw 1;
  } catch (int) {
  }
  EXPECT_EQ(ctx.profile().current_path(), "");
  EXPECT_EQ(ctx.profile().nodes().at(0).calls, 1);
}

/// As work that is recorded is taken back, and booked each time that it is repeated.
TEST(Profile, BooksAgainWhatWasBooked) {
  Context<Host> ctx;
  Profile& profile = ctx.profile();
  const auto work = [&](std::int64_t bytes) {
    const ScopedTimer smoothing(ctx, "smoothing", 1);
    profile.add({bytes, 2 * bytes});
  };
  const ScopedTimer solve(ctx, "solve");
  work(100);
  const std::vector<Profile::Node> before = profile.nodes();
  work(10);
  { const ScopedTimer residual(ctx, "residual", 1); }
  const auto bookings = profile.booked_since(before);
  ASSERT_EQ(bookings.size(), 2U) << "of the phases that closed meanwhile";
  const auto expect = [&](std::int64_t smoothings, std::int64_t bytes, std::int64_t residuals) {
    EXPECT_EQ(profile.nodes().at(1).calls, smoothings);
    EXPECT_EQ(profile.nodes().at(1).work.bytes, bytes);
    EXPECT_EQ(profile.nodes().at(1).work.flops, 2 * bytes);
    EXPECT_EQ(profile.nodes().at(2).calls, residuals);
  };
  expect(2, 110, 1);
  profile.book(bookings, -1);
  expect(1, 100, 0);
  profile.book(bookings, 3);
  expect(4, 130, 3);
}

TEST(Profile, KnowsItsPlaceFromOthers) {
  Context<Host> ctx;
  const Profile::Place outside = ctx.profile().place();
  {
    const ScopedTimer setup(ctx, "setup");
    EXPECT_NE(ctx.profile().place(), outside);
  }
  EXPECT_EQ(ctx.profile().place(), outside);
  ctx.profile().clear();
  EXPECT_NE(ctx.profile().place(), outside) << "its phases are gone";
}

TEST(Profile, ClearForgetsEverything) {
  Context<Host> ctx;
  { const ScopedTimer setup(ctx, "setup"); }
  ctx.profile().clear();
  EXPECT_TRUE(ctx.profile().nodes().empty());
}

}  // namespace
}  // namespace amgsolve
