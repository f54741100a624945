#include "core/buffer.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>

#include "core/context.hpp"
#include "core/errors.hpp"

namespace amgsolve {
namespace {

TEST(Buffer, OwnsItsMemoryUntilDestroyed) {
  Context<Host> ctx;
  const std::size_t before = ctx.memory().bytes_in_use();
  {
    const Buffer<double, Host> buffer(ctx, 1000);
    EXPECT_EQ(buffer.size(), 1000U);
    EXPECT_EQ(buffer.bytes(), 8000U);
    EXPECT_EQ(ctx.memory().bytes_in_use(), before + 8000);
  }
  EXPECT_EQ(ctx.memory().bytes_in_use(), before);
}

TEST(Buffer, MovesWithoutCopying) {
  Context<Host> ctx;
  const std::size_t before = ctx.memory().bytes_in_use();
  Buffer<int, Host> a(ctx, 10);
  const int* data = a.data();
  Buffer<int, Host> b(std::move(a));
  EXPECT_EQ(b.data(), data);
  EXPECT_EQ(b.size(), 10U);

  Buffer<int, Host> c(ctx, 99);
  c = std::move(b);
  EXPECT_EQ(c.data(), data);
  EXPECT_EQ(ctx.memory().bytes_in_use(), before + 10 * sizeof(int)) << "the memory that c had before is given back";
}

TEST(Buffer, AssigningToItselfKeepsTheElements) {
  Context<Host> ctx;
  Buffer<int, Host> buffer(ctx, 3);
  buffer[2] = 7;
  Buffer<int, Host>& same = buffer;
  buffer = std::move(same);
  ASSERT_EQ(buffer.size(), 3U);
  EXPECT_EQ(buffer[2], 7);
}

TEST(Buffer, GivesBackAllItsMemoryAlsoWhereItWasTruncated) {
  Context<Host> ctx;
  const std::size_t before = ctx.memory().bytes_in_use();
  {
    Buffer<int, Host> buffer(ctx, 10);
    buffer[3] = 5;
    buffer.truncate(4);
    EXPECT_EQ(buffer.size(), 4U);
    EXPECT_EQ(buffer[3], 5);
    buffer.truncate(7);
    EXPECT_EQ(buffer.size(), 4U) << "a buffer never grows";
    const Buffer<int, Host> moved(std::move(buffer));
    EXPECT_EQ(ctx.memory().bytes_in_use(), before + 10 * sizeof(int));
  }
  EXPECT_EQ(ctx.memory().bytes_in_use(), before);
}

TEST(Buffer, ReachesIntoItsMarginsAsFarAsTheyGo) {
  Context<Host> ctx;
  const std::size_t before = ctx.memory().bytes_in_use();
  {
    Buffer<int, Host> buffer(ctx, 2, 3, 4);
    EXPECT_EQ(buffer.size(), 3U);
    EXPECT_EQ(buffer.widened(2, 4).data(), buffer.data() - 2);
    EXPECT_EQ(buffer.widened(2, 4).size(), 9U);
    EXPECT_EQ(buffer.widened(0, 1).size(), 4U);
    EXPECT_TRUE(buffer.widened(3, 0).empty());
    EXPECT_TRUE(buffer.widened(0, 5).empty());
    const int* const data = buffer.data();
    buffer.narrow(1, 1);
    EXPECT_EQ(buffer.data(), data + 1);
    EXPECT_EQ(buffer.widened(3, 5).data(), data - 2);
    EXPECT_TRUE(buffer.widened(4, 5).empty());
    Buffer<int, Host> moved = std::move(buffer);
    EXPECT_EQ(moved.widened(3, 5).size(), 9U);
    moved.widen(1, 3);
    EXPECT_EQ(moved.data(), data);
    EXPECT_EQ(moved.size(), 5U);
    EXPECT_EQ(moved.widened(2, 2).size(), 9U) << "what is left of the margins";
    EXPECT_TRUE(moved.widened(3, 0).empty());
    EXPECT_TRUE(moved.widened(0, 3).empty());
    EXPECT_TRUE((Buffer<int, Host>::borrow(moved.span()).widened(0, 1).empty()));
  }
  EXPECT_EQ(ctx.memory().bytes_in_use(), before);
}

TEST(Buffer, BorrowedMemoryIsNotFreed) {
  Context<Host> ctx;
  int values[3] = {1, 2, 3};
  const std::size_t before = ctx.memory().bytes_in_use();
  {
    Buffer<int, Host> buffer = Buffer<int, Host>::borrow(Span<int, Host>(values, 3));
    buffer[1] = 5;
  }
  EXPECT_EQ(values[1], 5);
  EXPECT_EQ(ctx.memory().bytes_in_use(), before);
}

TEST(Buffer, BorrowedToBeReadIsNotWritten) {
  const int values[3] = {1, 2, 3};
  Buffer<int, Host> buffer = Buffer<int, Host>::borrow(Span<const int, Host>(values, 3));
  EXPECT_EQ(std::as_const(buffer).data(), values);
  EXPECT_EQ(std::as_const(buffer)[2], 3);
  EXPECT_THROW(buffer.data(), std::logic_error);
  EXPECT_THROW(buffer.span(), std::logic_error);
  const Buffer<int, Host> moved(std::move(buffer));
  EXPECT_EQ(moved.span().data(), values);
}

TEST(Buffer, EmptyBufferHasNoMemory) {
  Context<Host> ctx;
  const Buffer<double, Host> buffer(ctx, 0);
  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(buffer.data(), nullptr);
}

TEST(Buffer, RefusesSizesThatOverflow) {
  Context<Host> ctx;
  using DoubleBuffer = Buffer<double, Host>;
  EXPECT_THROW(DoubleBuffer(ctx, std::numeric_limits<std::size_t>::max() / 4), InputError);
}

TEST(Buffer, IsAligned) {
  Context<Host> ctx;
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{1000}, std::size_t{5} << 20}) {
    const Buffer<char, Host> buffer(ctx, bytes);
    const std::uintptr_t alignment = bytes >= (std::size_t{4} << 20) ? std::uintptr_t{2} << 20 : 256;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % alignment, 0U) << bytes << " bytes";
  }
}

}  // namespace
}  // namespace amgsolve
