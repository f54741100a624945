#include "core/workspace.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "core/context.hpp"
#include "core/errors.hpp"

namespace amgsolve {
namespace {

constexpr std::size_t megabyte = std::size_t{1} << 20;

TEST(Workspace, ScopesNestLikeFunctionCalls) {
  Context<Host> ctx;
  WorkspaceScope outer(ctx.workspace());
  const auto a = outer.take<char>(100);
  a[99] = 'a';
  char* inner_data = nullptr;
  {
    WorkspaceScope inner(ctx.workspace());
    const auto b = inner.take<char>(100);
    inner_data = b.data();
    EXPECT_TRUE(b.data() >= a.data() + 100 || b.data() + 100 <= a.data());
  }
  WorkspaceScope again(ctx.workspace());
  EXPECT_EQ(again.take<char>(100).data(), inner_data) << "what the inner scope took is free again";
  EXPECT_EQ(a[99], 'a');
}

TEST(Workspace, TakesAreAligned) {
  Context<Host> ctx;
  WorkspaceScope scope(ctx.workspace());
  for (const std::size_t size : {1U, 3U, 255U, 1000U}) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(scope.take<char>(size).data()) % 256, 0U);
  }
}

TEST(Workspace, EarlierTakesStayValidWhenItGrows) {
  Context<Host> ctx;
  WorkspaceScope scope(ctx.workspace());
  const auto first = scope.take<int>(10);
  first[9] = 42;
  scope.take<char>(8 * megabyte)[8 * megabyte - 1] = 'x';
  EXPECT_EQ(first[9], 42);
}

TEST(Workspace, AllocatesNothingAfterItsFirstRun) {
  Context<Host> ctx;
  const auto run = [&] {
    WorkspaceScope scope(ctx.workspace());
    scope.take<char>(3 * megabyte);
    scope.take<char>(5 * megabyte);
  };
  run();
  run();
  const std::size_t settled = ctx.memory().bytes_in_use();
  const std::size_t peak = ctx.memory().peak_bytes();
  run();
  EXPECT_EQ(ctx.memory().bytes_in_use(), settled);
  EXPECT_EQ(ctx.memory().peak_bytes(), peak);
}

TEST(Workspace, FailedTakeLeavesItUsable) {
  Context<Host> ctx;
  ctx.memory().set_limit(2 * megabyte);
  WorkspaceScope scope(ctx.workspace());
  EXPECT_THROW(scope.take<char>(3 * megabyte), OutOfMemoryError);
  EXPECT_EQ(scope.take<char>(megabyte).size(), megabyte);
}

TEST(Workspace, TheSamePlaceIsTheSameMemory) {
  Context<Host> ctx;
  const auto take = [&](std::size_t bytes) {
    WorkspaceScope scope(ctx.workspace());
    return scope.take<char>(bytes).data();
  };
  const auto before = ctx.workspace().place();
  const char* const first = take(100);
  const auto place = ctx.workspace().place();
  EXPECT_NE(place, before) << "a block has come";
  EXPECT_EQ(take(100), first);
  EXPECT_EQ(ctx.workspace().place(), place);
  {
    WorkspaceScope scope(ctx.workspace());
    scope.take<char>(100);
    EXPECT_NE(ctx.workspace().place(), place);
  }
  EXPECT_EQ(ctx.workspace().place(), place);
  take(3 * megabyte);
  EXPECT_NE(ctx.workspace().place(), place) << "another block has come";
}

TEST(Workspace, ReleaseGivesEverythingBack) {
  Context<Host> ctx;
  {
    WorkspaceScope scope(ctx.workspace());
    scope.take<char>(megabyte);
  }
  EXPECT_GT(ctx.memory().bytes_in_use(), 0U);
  ctx.workspace().release();
  EXPECT_EQ(ctx.memory().bytes_in_use(), 0U);
}

}  // namespace
}  // namespace amgsolve
