#include "core/repeated_work.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "core/algorithms.hpp"
#include "core/copy.hpp"
#include "core/errors.hpp"
#include "core/timer.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

/// Work that counts how often the stream of a context has done it.
template <class I>
class RepeatedWorkTest : public reference::SpaceTest<typename I::Space> {
 protected:
  using S = typename I::Space;

  /// @return how often the work itself has been called
  int run(std::uint64_t argument = 0) {
    Context<S>& ctx = this->ctx();
    ScopedTimer timer(ctx, "run");
    const typename Context<S>::Untimed untimed(ctx, is_untimed_);
    result_ = repeated_.run(ctx, {argument, 0}, [&] {
      ++calls_;
      ScopedTimer step(ctx, "step");
      WorkspaceScope<S> scope(ctx.workspace());
      const auto next = scope.template take<Offset>(3);
      copy<Offset>(ctx, counts_.span(), next);
      accumulate_counts(ctx, next);
      copy<Offset>(ctx, next, counts_.span());
      ctx.profile().add({32, 1});
      if (waits_) {
        ctx.synchronize();
      }
      return calls_;
    });
    return calls_;
  }

  Offset done() { return reference::download(ctx(), counts_.span())[2]; }

  /// Made at the first use, which a test that is skipped has not.
  Context<S>& ctx() {
    if (!ctx_) {
      ctx_.emplace();
      ctx_->set_records_work(true);
      counts_ = reference::upload_buffer<Offset>(*ctx_, {0, 1, 0});
    }
    return *ctx_;
  }

  static constexpr bool is_recorded = std::same_as<S, Cuda>;
  RepeatedWork<int, S> repeated_;
  int calls_ = 0;
  int result_ = 0;
  bool is_untimed_ = true;
  bool waits_ = false;

 private:
  std::optional<Context<S>> ctx_;
  Buffer<Offset, S> counts_;  ///< 0, 1, and how often it was done with 1
};

TYPED_TEST_SUITE(RepeatedWorkTest, reference::DoubleInstances, reference::InstanceNames);

/// The work itself is called once more to be recorded.
TYPED_TEST(RepeatedWorkTest, IsDoneEachTimeAndCalledNoMoreOnceItIsRecorded) {
  for (int i = 1; i <= 8; ++i) {
    this->run();
    EXPECT_EQ(this->done(), i);
  }
  EXPECT_EQ(this->calls_, this->is_recorded ? 2 : 8);
  EXPECT_EQ(this->result_, this->is_recorded ? 2 : 8) << "the result of the call that was recorded";
}

TYPED_TEST(RepeatedWorkTest, BooksPhasesAndWorkAsIfItWereCalled) {
  this->run();
  this->ctx().collect_times();
  const std::vector<Profile::Node> once = this->ctx().profile().nodes();
  for (int i = 2; i <= 8; ++i) {
    this->run();
  }
  const std::vector<Profile::Node>& nodes = this->ctx().profile().nodes();
  ASSERT_EQ(nodes.size(), once.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    EXPECT_EQ(nodes[i].calls, 8 * once[i].calls) << nodes[i].phase;
    EXPECT_EQ(nodes[i].work.bytes, 8 * once[i].work.bytes) << nodes[i].phase;
    EXPECT_EQ(nodes[i].work.flops, 8 * once[i].work.flops) << nodes[i].phase;
  }
}

TYPED_TEST(RepeatedWorkTest, IsCalledAgainUnderOtherCircumstances) {
  if (!this->is_recorded) {
    GTEST_SKIP() << "nothing is recorded on the host";
  }
  int done = 0;
  const auto expect_calls = [&](int more, const char* what, std::uint64_t argument = 0) {
    const int before = this->calls_;
    EXPECT_EQ(this->run(argument), before + more) << what;
    EXPECT_EQ(this->done(), ++done) << what;
  };
  expect_calls(2, "done and recorded");
  expect_calls(0, "repeated");
  expect_calls(1, "another argument", 1);
  expect_calls(0, "the earlier one, still recorded");
  expect_calls(1, "another argument", 1);
  expect_calls(2, "once more", 1);
  expect_calls(0, "repeated", 1);
  {
    WorkspaceScope<typename TypeParam::Space> scope(this->ctx().workspace());
    scope.template take<char>(100);
    expect_calls(2, "another place in the workspace", 1);
    expect_calls(0, "repeated", 1);
  }
  expect_calls(2, "the place of before", 1);
  this->is_untimed_ = false;
  expect_calls(1, "timed", 1);
  this->is_untimed_ = true;
  expect_calls(0, "repeated", 1);
  this->ctx().collect_times();
  this->ctx().profile().clear();
  expect_calls(2, "another profile", 1);
  expect_calls(0, "repeated", 1);
  this->repeated_.forget();
  expect_calls(2, "forgotten", 1);
  expect_calls(0, "repeated", 1);
}

TYPED_TEST(RepeatedWorkTest, IsRecordedWhereTheContextSaysSo) {
  this->ctx().set_records_work(false);
  for (int i = 1; i <= 4; ++i) {
    EXPECT_EQ(this->run(), i);
  }
  EXPECT_EQ(this->done(), 4);
}

TYPED_TEST(RepeatedWorkTest, WhatWaitsForItsResultsIsCalledEachTime) {
  this->waits_ = true;
  for (int i = 1; i <= 6; ++i) {
    this->run();
    EXPECT_EQ(this->done(), i) << "what follows goes on";
  }
  EXPECT_EQ(this->calls_, this->is_recorded ? 7 : 6) << "one was in vain";
}

TYPED_TEST(RepeatedWorkTest, IsInterruptedAtItsBeginning) {
  for (int i = 1; i <= 4; ++i) {
    this->run();
  }
  // The second time that it is asked, after the phase around it.
  this->ctx().set_stop([asked = 0]() mutable { return ++asked == 2; });
  EXPECT_THROW(this->run(), InterruptedError);
  EXPECT_EQ(this->done(), 4);
  this->run();
  EXPECT_EQ(this->done(), 5);
}

}  // namespace
}  // namespace amgsolve
