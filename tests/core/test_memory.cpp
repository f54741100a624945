#include "core/memory.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/buffer.hpp"
#include "core/context.hpp"
#include "core/errors.hpp"
#include "core/timer.hpp"

namespace amgsolve {
namespace {

using Bytes = Buffer<char, Host>;

TEST(Memory, CountsUseAndPeak) {
  Context<Host> ctx;
  {
    const Bytes a(ctx, 1000);
    const Bytes b(ctx, 500);
    EXPECT_EQ(ctx.memory().bytes_in_use(), 1500U);
  }
  const Bytes c(ctx, 200);
  EXPECT_EQ(ctx.memory().bytes_in_use(), 200U);
  EXPECT_EQ(ctx.memory().peak_bytes(), 1500U);
  ctx.memory().reset_peak();
  EXPECT_EQ(ctx.memory().peak_bytes(), 200U);
}

TEST(Memory, LimitIsInclusive) {
  Context<Host> ctx;
  ctx.memory().set_limit(1000);
  const Bytes a(ctx, 600);
  const Bytes b(ctx, 400);
  EXPECT_THROW(Bytes(ctx, 1), OutOfMemoryError);
}

TEST(Memory, FailureSaysWhereAndHowMuch) {
  Context<Host> ctx;
  ctx.memory().set_limit(1000);
  const Bytes a(ctx, 600);
  const ScopedTimer setup(ctx, "setup");
  const ScopedTimer phase(ctx, "galerkin product", 2);
  try {
    const Bytes b(ctx, 2500);
    FAIL() << "allocated past the limit";
  } catch (const OutOfMemoryError& error) {
    EXPECT_EQ(error.bytes_wanted(), 2500U);
    EXPECT_EQ(error.bytes_free(), 400U);
    EXPECT_EQ(
        std::string(error.what()),
        "out of host memory in setup > galerkin product (level 2): 2.5 kB wanted, 400 B free: 'solver.memory_limit'");
  }
  EXPECT_EQ(ctx.memory().bytes_in_use(), 600U);
}

TEST(Memory, MoreThanTheMachineHasIsRefused) {
  Context<Host> ctx;
  try {
    const Bytes buffer(ctx, std::size_t{1} << 50);
    FAIL() << "allocated a petabyte";
  } catch (const OutOfMemoryError& error) {
    EXPECT_EQ(error.bytes_wanted(), std::size_t{1} << 50);
    EXPECT_LT(error.bytes_free(), error.bytes_wanted());
  }
  const Bytes after(ctx, 100);
  EXPECT_EQ(ctx.memory().bytes_in_use(), 100U) << "the context works on after a failure";
}

TEST(Memory, TheMachineIsAskedBeforeItPromisesWhatItHasNot) {
  // The kernel would give out addresses for it, and end the process later.
  Context<Host> ctx;
  const std::size_t wanted = ctx.memory().available().bytes + (std::size_t{1} << 30);
  EXPECT_THROW(Bytes(ctx, wanted), OutOfMemoryError);
}

}  // namespace
}  // namespace amgsolve
