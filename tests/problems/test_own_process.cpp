#include "problems/own_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "tests/problems/reading.hpp"

namespace amgsolve {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

void no_poll() {}
void no_take(const ProcessSource& /*source*/) {}

void run(const std::function<void(const ProcessSink&)>& work, const std::function<void(const ProcessSource&)>& take,
         const ProcessBounds& bounds = {}, const std::function<void()>& poll = no_poll) {
  in_own_process("a.file", "Library", bounds, poll, work, take);
  ASSERT_TRUE(::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD) << "the process is left behind";
}

std::string error(const std::function<void(const ProcessSink&)>& work,
                  const std::function<void(const ProcessSource&)>& take = no_take) {
  return message_of([&] { run(work, take); });
}

TEST(OwnProcess, WhatItSendsArrives) {
  std::vector<std::int64_t> sent(3'000'000);  // far more than a pipe holds, and than memory is taken for at once
  for (std::size_t k = 0; k < sent.size(); ++k) {
    sent[k] = static_cast<std::int64_t>(k * k);
  }
  run(
      [&](const ProcessSink& sink) {
        sink.put(2.5);
        sink.put(sent.data(), sent.size());
        sink.put(sent.data(), sent.size());
        sink.put("", 0);
      },
      [&](const ProcessSource& source) {
        EXPECT_EQ(source.take<double>(), 2.5);
        EXPECT_EQ(source.take_all<std::int64_t>(), sent);
        std::vector<std::int64_t> again(sent.size());
        source.take_all(again.data(), again.size());
        EXPECT_EQ(again, sent);
        EXPECT_TRUE(source.take_all<char>().empty());
      });
}

TEST(OwnProcess, ItsMemoryIsItsOwn) {
  int x = 1;
  run([&](const ProcessSink& sink) { sink.put(++x); },
      [&](const ProcessSource& source) { EXPECT_EQ(source.take<int>(), 2); });
  EXPECT_EQ(x, 1);
}

TEST(OwnProcess, WhatItRefusesIsSaid) {
  EXPECT_EQ(error([](const ProcessSink&) { throw InputError("a.file:7: bad"); }), "a.file:7: bad");
  // Also where all was taken before, or less than what is waited for was sent.
  EXPECT_EQ(error(
                [](const ProcessSink& sink) {
                  sink.put(1);
                  throw InputError("late");
                },
                [](const ProcessSource& source) { source.take<int>(); }),
            "late");
  EXPECT_EQ(error([](const ProcessSink&) { throw InputError("early"); },
                  [](const ProcessSource& source) { source.take_all<int>(); }),
            "early");
}

TEST(OwnProcess, AFallIsAnError) {
  EXPECT_EQ(error([](const ProcessSink&) { ::raise(SIGSEGV); }),
            "a.file: Library falls over it by signal 11: the data are damaged, or Library is wrong");
  EXPECT_THAT(error([](const ProcessSink&) { ::abort(); }), HasSubstr("by signal 6"));
  EXPECT_THAT(error([](const ProcessSink&) { ::_exit(1); }), HasSubstr("a.file: Library falls over it: the data"));
  EXPECT_THAT(error(
                  [](const ProcessSink& sink) {
                    sink.put(1);
                    ::raise(SIGBUS);
                  },
                  [](const ProcessSource& source) { source.take<int>(); }),
              HasSubstr("falls over"));
}

TEST(OwnProcess, OtherThanWhatIsTakenIsAnError) {
  const auto sends = [](const ProcessSink& sink) {
    const std::vector<int> two{1, 2};
    sink.put(two.data(), two.size());
  };
  EXPECT_THAT(error(sends), HasSubstr("falls over")) << "more";
  EXPECT_THAT(error(sends,
                    [](const ProcessSource& source) {
                      int three[3];
                      source.take_all(three, 3);
                    }),
              HasSubstr("falls over"));
  EXPECT_THAT(error([](const ProcessSink& sink) { sink.put(std::size_t{1} << 60); },
                    [](const ProcessSource& source) { source.take_all<double>(); }),
              HasSubstr("falls over"))
      << "a size that lies";
}

TEST(OwnProcess, MoreThanAPipeHoldsIsNotWaitedFor) {
  const auto sends_much = [](const ProcessSink& sink) {
    const std::vector<int> many(1'000'000);
    sink.put(many.data(), many.size());
  };
  EXPECT_THAT(error(sends_much), HasSubstr("falls over"));
  EXPECT_THAT(error(sends_much,
                    [](const ProcessSource& source) {
                      int three[3];
                      source.take_all(three, 3);
                    }),
              HasSubstr("falls over"));
}

TEST(OwnProcess, OneThatNeverEndsIsEnded) {
  EXPECT_EQ(message_of([] { run([](const ProcessSink&) { ::pause(); }, no_take, {.time = 0.2s}); }),
            "a.file: Library does not come to an end within 0.2 s: the data are damaged");
}

TEST(OwnProcess, LackOfMemoryIsSaid) {
  EXPECT_THROW(run([](const ProcessSink&) { throw std::bad_alloc(); }, no_take), OutOfMemoryError);
  // The kernel's way.
  EXPECT_THROW(run([](const ProcessSink&) { ::raise(SIGKILL); }, no_take), OutOfMemoryError);
  // Under a sanitizer the allocation itself is the end.
  EXPECT_THROW(run([](const ProcessSink& sink) { sink.put(std::vector<char>(std::size_t{1} << 31).back()); },
                   [](const ProcessSource& source) { source.take<char>(); }, {.memory = std::size_t{1} << 28}),
               Error);
}

TEST(OwnProcess, IsLeftWhereWorkIsInterrupted) {
  int left = 3;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THROW(run([](const ProcessSink&) { ::pause(); }, no_take, {},
                   [&left] {
                     if (left-- == 0) {
                       throw InterruptedError("parse");
                     }
                   }),
               InterruptedError);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
  EXPECT_TRUE(::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD);
}

TEST(OwnProcess, BoundsGrowWithTheFile) {
  EXPECT_GT(ProcessBounds::of_file(0).time, 5s);
  EXPECT_GT(ProcessBounds::of_file(1 << 30).time, 1h);
  EXPECT_GT(ProcessBounds::of_file(1 << 30).memory, std::size_t{1} << 40);
  EXPECT_EQ(ProcessBounds::of_file(~std::size_t{0}).memory, ~std::size_t{0});
}

}  // namespace
}  // namespace amgsolve
