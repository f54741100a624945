#include <gtest/gtest.h>

#include <variant>

#include "core/exchange.hpp"
#include "core/repeated_work.hpp"
#include "core/timer.hpp"
#include "tests/dist/ranks.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

template <class I>
class RepeatedWorkOfRanks : public reference::SpaceTest<typename I::Space> {
 protected:
  using S = typename I::Space;

  /// Sends two numbers to the next rank, in a circle.
  void pass_on(Context<S>& ctx, Buffer<std::uint32_t, S>& number) {
    const Communicator& ranks = ctx.communicator();
    if (ranks.size() == 1) {
      return;
    }
    const auto neighbour = [&](int step) { return (ranks.rank() + ranks.size() + step) % ranks.size(); };
    WorkspaceScope<S> scope(ctx.workspace());
    const auto received = scope.template take<std::uint32_t>(2);
    std::vector<Communicator::Outgoing> sends;
    std::vector<Communicator::Incoming> receives;
    add_message(sends, neighbour(1), Span<const std::uint32_t, S>(number));
    add_message(receives, neighbour(-1), received);
    exchange(ctx, sends, receives);
    copy<std::uint32_t>(ctx, received, number.span());
  }

  /// How often the work itself is called for so many runs of it.
  int calls(int runs, int rank_that_waits = -1) {
    Context<S> ctx = ranks::shared_context<S>();
    ctx.set_records_work(true);
    const Communicator& ranks = ctx.communicator();
    const auto own = static_cast<std::uint32_t>(ranks.rank());
    auto number = reference::upload_buffer<std::uint32_t>(ctx, {own, own + 100});
    RepeatedWork<std::monostate, S> repeated;
    int calls = 0;
    const typename Context<S>::Untimed untimed(ctx, true);
    for (int run = 1; run <= runs; ++run) {
      repeated.run(ctx, {}, [&] {
        ++calls;
        EXPECT_EQ(ctx.communicator().max(ranks.rank()), ranks.size() - 1) << "what ranks tell each other meanwhile";
        pass_on(ctx, number);
        if (ranks.rank() == rank_that_waits) {
          ctx.synchronize();
        }
        return std::monostate{};
      });
      const auto from = static_cast<std::uint32_t>((ranks.rank() + ranks.size() * runs - run) % ranks.size());
      EXPECT_EQ(reference::download(ctx, std::as_const(number).span()), (std::vector<std::uint32_t>{from, from + 100}))
          << "run " << run;
    }
    return calls;
  }

  bool is_recorded() const {
    if constexpr (std::same_as<S, Cuda>) {
      return ranks::device_world().can_be_recorded();
    }
    return false;
  }
};

TYPED_TEST_SUITE(RepeatedWorkOfRanks, reference::DoubleInstances, reference::InstanceNames);

TYPED_TEST(RepeatedWorkOfRanks, HasItsMessagesSentEachTime) { EXPECT_EQ(this->calls(6), this->is_recorded() ? 2 : 6); }

TYPED_TEST(RepeatedWorkOfRanks, IsDoneByAllWhereOneCannotRecordIt) {
  EXPECT_EQ(this->calls(6, 0), this->is_recorded() ? 7 : 6) << "one was in vain";
}

}  // namespace
}  // namespace amgsolve
