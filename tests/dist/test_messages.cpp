#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/exchange.hpp"
#include "core/global_sum.hpp"
#include "core/hash.hpp"
#include "dist/halo.hpp"
#include "tests/dist/ranks.hpp"
#include "tests/dist/shared_matrices.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/spaces.hpp"

/// What ranks send each other from the memory of a context.
namespace amgsolve {
namespace {

using ranks::OnRanks;
using ranks::world;

template <class I>
class Messages : public OnRanks<I> {};
TYPED_TEST_SUITE(Messages, reference::DoubleInstances, reference::InstanceNames);

/// A number below `end` that depends on the others and looks random.
std::size_t pick(std::size_t end, std::initializer_list<std::size_t> others) {
  std::uint64_t hash = 0;
  for (const std::size_t other : others) {
    hash = hash64(hash ^ other);
  }
  return hash % end;
}

/// A message where it lies among bytes that are not its own.
struct Place {
  int rank;  ///< it goes to, or comes from
  std::size_t first;
  std::size_t length;
  std::size_t seed;
};

/// Up to five messages from one rank to another in that round, of lengths about those at which a way of passing them
/// ends and another begins, at places of any alignment.
std::vector<Place> messages_between(std::size_t round, int from, int to, int other, std::size_t& next) {
  constexpr std::size_t lengths[] = {1, 3, 8, 24, 100, 4096, 4097, 65536, 100001, 1048577, 2097152, 2097153, 3000001};
  std::vector<Place> places;
  if (from == to) {
    return places;
  }
  const auto sender = static_cast<std::size_t>(from);
  const auto receiver = static_cast<std::size_t>(to);
  const std::size_t count = pick(6, {round, sender, receiver});
  for (std::size_t i = 0; i < count; ++i) {
    // Half of the rounds have long messages, too.
    const std::size_t length = lengths[pick(round % 2 == 0 ? std::size(lengths) : 9, {round, sender, receiver, i, 1})];
    next += 1 + pick(9, {round, sender, receiver, i, 2});
    places.push_back({other, next, length, pick(251, {round, sender, receiver, i, 3})});
    next += length;
  }
  return places;
}

std::byte byte_of(const Place& place, std::size_t i) { return static_cast<std::byte>((place.seed + i) % 251); }

/// Bytes of that value with the messages in their places.
std::vector<std::byte> written(std::size_t size, std::byte rest, const std::vector<Place>& places) {
  std::vector<std::byte> bytes(size, rest);
  for (const Place& place : places) {
    for (std::size_t i = 0; i < place.length; ++i) {
      bytes[place.first + i] = byte_of(place, i);
    }
  }
  return bytes;
}

TYPED_TEST(Messages, ArriveOfAnyLengthAndPlaceAndWithinTheirPlaces) {
  using S = typename TypeParam::Space;
  Context<S> ctx = ranks::shared_context<S>();
  for (std::size_t round = 0; round < 24; ++round) {
    std::vector<Place> out;
    std::vector<Place> in;
    std::size_t out_end = 0;
    std::size_t in_end = 0;
    for (int other = 0; other < world().size(); ++other) {
      std::ranges::copy(messages_between(round, world().rank(), other, other, out_end), std::back_inserter(out));
      std::ranges::copy(messages_between(round, other, world().rank(), other, in_end), std::back_inserter(in));
    }
    const std::vector<std::byte> own = written(out_end + 1, std::byte{0}, out);
    const std::vector<std::byte> empty(in_end + 1, std::byte{255});
    Buffer<std::byte, S> from = upload(ctx, Span<const std::byte, Host>(own.data(), own.size()));
    Buffer<std::byte, S> to = upload(ctx, Span<const std::byte, Host>(empty.data(), empty.size()));
    std::vector<Communicator::Outgoing> sends;
    std::vector<Communicator::Incoming> receives;
    for (const Place& place : out) {
      add_message(sends, place.rank, Span<const std::byte, S>(from.data() + place.first, place.length));
    }
    for (const Place& place : in) {
      add_message(receives, place.rank, Span<std::byte, S>(to.data() + place.first, place.length));
    }
    for (std::size_t repetition = 0; repetition <= round % 4; ++repetition) {  // none waits for the one before
      exchange(ctx, sends, receives);
    }
    EXPECT_EQ(reference::download(ctx, to.span()), written(in_end + 1, std::byte{255}, in)) << "round " << round;
  }
}

/// Values that rows of the whole vector have, k of each.
template <class T>
T value_of(std::int64_t row, std::int64_t column) {
  return static_cast<T>((13 * row + 7 * column) % 251);
}

/// A window whose ghosts, of each other rank, are every `stride`-th row from one that depends on both ranks.
template <MemorySpace S>
Layout<S> scattered_window(Context<S>& ctx, const Partition& partition, std::int64_t stride) {
  std::vector<std::int64_t> ghosts;
  for (int rank = 0; rank < partition.ranks(); ++rank) {
    for (std::int64_t row = partition.first(rank) + 2 * rank + world().rank();
         rank != world().rank() && row < partition.end(rank); row += stride) {
      ghosts.push_back(row);
    }
  }
  return Layout<S>(ctx, partition, upload(ctx, Span<const std::int64_t, Host>(ghosts.data(), ghosts.size())));
}

template <class T, MemorySpace S>
void expect_ghosts(Context<S>& ctx, const Layout<S>& layout, Index columns) {
  const auto k = static_cast<std::size_t>(columns);
  const std::vector<std::int64_t> ghosts = reference::download(ctx, layout.ghosts());
  std::vector<T> expected;
  std::vector<T> own;
  for (Index column = 0; column < layout.columns(); ++column) {
    const bool is_own = column >= layout.first_own() && column - layout.first_own() < layout.own_rows();
    const std::int64_t row =
        is_own ? layout.first_row() + column - layout.first_own()
               : ghosts[static_cast<std::size_t>(column < layout.first_own() ? column : column - layout.own_rows())];
    for (std::size_t j = 0; j < k; ++j) {
      expected.push_back(value_of<T>(row, static_cast<std::int64_t>(j)));
      own.push_back(is_own ? expected.back() : T{255});
    }
  }
  Buffer<T, S> window = upload(ctx, Span<const T, Host>(own.data(), own.size()));
  exchange_ghosts<T, S>(ctx, layout, {window.data(), layout.columns(), columns});
  EXPECT_EQ(reference::download(ctx, window.span()), expected) << sizeof(T) << " bytes, " << k << " columns";
}

/// A few rows and many, as they are packed and as they are picked.
TYPED_TEST(Messages, OfScatteredRowsFillGhosts) {
  using S = typename TypeParam::Space;
  Context<S> ctx = ranks::shared_context<S>();
  for (const std::int64_t rows : {40, 30000, 900000}) {
    for (const ranks::Cut cut : ranks::all_cuts()) {
      const Partition partition(world(), ranks::own_rows(world(), cut, rows));
      const Layout<S> layout = scattered_window(ctx, partition, rows == 900000 ? 2 : 3);
      for (const Index columns : {1, 2, 3}) {
        expect_ghosts<float>(ctx, layout, columns);
        expect_ghosts<double>(ctx, layout, columns);
        expect_ghosts<Index>(ctx, layout, columns);
        expect_ghosts<std::uint8_t>(ctx, layout, columns);
      }
    }
  }
}

TYPED_TEST(Messages, AreGatheredOfAnyLength) {
  using S = typename TypeParam::Space;
  Context<S> ctx = ranks::shared_context<S>();
  const auto size = static_cast<std::size_t>(world().size());
  const auto rank = static_cast<std::size_t>(world().rank());
  for (const std::size_t longest : {std::size_t{3}, std::size_t{1000}, std::size_t{300000}, std::size_t{900001}}) {
    std::vector<std::size_t> lengths(size);
    std::vector<Place> places;
    std::size_t total = 0;
    for (std::size_t r = 0; r < size; ++r) {
      lengths[r] = longest * (size - 1 - r) / std::max(size - 1, std::size_t{1});  // nothing of the last one
      places.push_back({static_cast<int>(r), total, lengths[r], r});
      total += lengths[r];
    }
    const std::vector<std::byte> expected = written(total, std::byte{0}, places);
    Buffer<std::byte, S> own =
        upload(ctx, Span<const std::byte, Host>(expected.data() + places[rank].first, lengths[rank]));
    Buffer<std::byte, S> all(ctx, total);
    gather_bytes(ctx, {own.data(), own.size()}, lengths, {all.data(), all.size()});
    EXPECT_EQ(reference::download(ctx, all.span()), expected) << longest;
  }
}

TYPED_TEST(Messages, SumsHaveEveryRanksNumbersOnce) {
  using S = typename TypeParam::Space;
  Context<S> ctx = ranks::shared_context<S>();
  const std::int64_t size = world().size();
  for (const std::size_t count : {1U, 3U, 512U, 513U, 1024U, 1025U, 20000U}) {
    std::vector<std::int64_t> own(count);
    std::vector<std::int64_t> expected(count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto high = static_cast<std::int64_t>(i) << 40;
      own[i] = world().rank() - high;
      expected[i] = size * (size - 1) / 2 - size * high;
    }
    Buffer<std::int64_t, S> x = upload(ctx, Span<const std::int64_t, Host>(own.data(), own.size()));
    detail::sum_over_ranks(ctx, x.span());
    EXPECT_EQ(reference::download(ctx, x.span()), expected) << count;
  }
}

/// As many columns as one kernel sums, and more, of fewer blocks than its threads and of more; what the ranks have
/// cancels. Several in turn.
TYPED_TEST(Messages, SumsOfBlocksAreThoseOfOneRankWithAllBlocks) {
  using S = typename TypeParam::Space;
  Context<S> ctx = ranks::shared_context<S>();
  Context<Host> whole;
  for (const std::size_t columns : {1U, 2U, 8U, 1U, 9U, 40U, 1U}) {
    for (const std::size_t blocks : {0U, 1U, 70U, 9000U}) {
      std::vector<double> all;  // column by column, of all ranks
      std::vector<double> own;
      for (std::size_t j = 0; j < columns; ++j) {
        for (int r = 0; r < world().size(); ++r) {
          std::vector<double> terms = reference::random_values<double>(blocks, static_cast<unsigned>(j + 1));
          for (std::size_t b = 0; b < blocks; ++b) {
            const double sign = r % 2 == 0 ? 1.0 : -1.0;
            terms[b] = sign * std::ldexp(terms[b], static_cast<int>(b % 200) - 100) + 1e-3 * r;
          }
          all.insert(all.end(), terms.begin(), terms.end());
          if (r == world().rank()) {
            own.insert(own.end(), terms.begin(), terms.end());
          }
        }
      }
      std::vector<double> expected(columns);
      sum_of_blocks<Host>(whole, {all.data(), all.size()}, {expected.data(), columns});
      Buffer<double, S> sums(ctx, columns);
      sum_of_blocks<S>(ctx, reference::upload_buffer(ctx, own), sums.span());
      EXPECT_EQ(reference::download(ctx, sums.span()), expected) << columns << " columns of " << blocks << " blocks";
    }
  }
}

}  // namespace
}  // namespace amgsolve
