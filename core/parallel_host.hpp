#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <thread>

#include "core/context.hpp"
#include "core/reduction.hpp"

namespace amgsolve {

/// Work is counted in entries of a matrix, or values of a vector, that are visited: about a nanosecond each. This is
/// that of a row of a matrix, where nothing better is known.
inline constexpr std::int64_t row_work = 8;

/// Less work is left to one thread. Threads that sleep are woken and waited for in 25 us, and in milliseconds where
/// other programs use their cores: docs/memory-and-threads.md.
inline constexpr std::int64_t least_shared_work = std::int64_t{1} << 17;

/// Whether the threads of the context share n elements of `work` each; never in a process that was forked from one of
/// several threads.
bool is_shared(const Context<Host>& ctx, std::int64_t n, std::int64_t work);

/// The threads that share work: the context's, or one in a process that was forked from one of several threads.
int threads_at_work(const Context<Host>& ctx);

/// The calling thread's number in [0, ctx.threads()): where its own scratch lies, inside a body of the functions below.
inline std::size_t thread_number(const Context<Host>& ctx) {
  // A body that runs sequentially in an application's parallel region sees the thread's number there, of any size.
  return static_cast<std::size_t>(omp_get_thread_num() % ctx.threads());
}

/// A thread asks after this much work whether it should go on: some milliseconds, and a tenth of a second where
/// elements are worth ten times what was said of them.
inline constexpr std::int64_t work_between_polls = std::int64_t{1} << 20;

namespace detail {

/// Ends a parallel loop whose context is asked to: exceptions do not leave it, and only the thread that began it asks.
class LoopEnd {
 public:
  explicit LoopEnd(const Context<Host>& ctx) : ctx_(ctx), thread_(std::this_thread::get_id()) {}

  /// Whether the calling thread should leave what is left of the loop.
  bool has_come() {
    if (!ctx_.interrupts_loops()) {
      return false;
    }
    if (std::this_thread::get_id() == thread_ && !has_come_) {
      try {
        ctx_.poll();
      } catch (...) {
        reason_ = std::current_exception();
        has_come_.store(true, std::memory_order_relaxed);
      }
    }
    return has_come_.load(std::memory_order_relaxed);
  }

  /// Throws what poll() threw, after the loop.
  void rethrow() const {
    if (reason_) {
      std::rethrow_exception(reason_);
    }
  }

 private:
  const Context<Host>& ctx_;
  std::thread::id thread_;
  std::atomic<bool> has_come_{false};
  std::exception_ptr reason_;
};

}  // namespace detail

/// Calls body(begin, end) on disjoint ranges that cover [0, n), from the context's threads, or from the calling one
/// where is_shared() says so; a thread has neighbouring ranges, of work_between_polls each. The body must not throw or
/// allocate from the context. Throws InterruptedError before the first call, or between two (Context::set_stop()).
/// @param work  of an element
template <class Body>
void parallel_ranges(const Context<Host>& ctx, std::int64_t n, Body&& body, std::int64_t work = row_work) {
  if (n <= 0) {
    return;
  }
  detail::LoopEnd loop_end(ctx);
  const std::int64_t most = std::max(work_between_polls / std::max(work, std::int64_t{1}), std::int64_t{1});
  const auto run = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t next = std::min(begin + most, end);; next = std::min(begin + most, end)) {
      body(begin, next);
      begin = next;
      if (begin == end || loop_end.has_come()) {
        return;
      }
    }
  };
  if (is_shared(ctx, n, work)) {
    ctx.poll();
#pragma omp parallel num_threads(ctx.threads())
    {
      const std::int64_t threads = omp_get_num_threads();
      const std::int64_t thread = omp_get_thread_num();
      run(n * thread / threads, n * (thread + 1) / threads);
    }
  } else {
    run(0, n);
  }
  loop_end.rethrow();
}

namespace detail {

/// A function of its own, so that it finds registers enough: inlined into what threads share it takes up to twice as
/// long (g++ 12).
template <class Body>
[[gnu::noinline]] void call_for_range(const Body& body, std::int64_t begin, std::int64_t end) {
  // A local one, which no write can change: what it holds stays in registers.
  const auto own_body = body;
  for (std::int64_t i = begin; i < end; ++i) {
    own_body(i);
  }
}

}  // namespace detail

/// Calls body(i) for every i in [0, n); see parallel_ranges.
template <class Body>
void parallel_for(const Context<Host>& ctx, std::int64_t n, Body&& body, std::int64_t work = row_work) {
  parallel_ranges(
      ctx, n, [&](std::int64_t begin, std::int64_t end) { detail::call_for_range(body, begin, end); }, work);
}

/// Calls body(block) for block = 0, 1, … blocks − 1, handed out dynamically: for work of uneven cost. Asks before each
/// whether to go on.
/// @param work  of a block; that of two is worth sharing where nothing better is known
template <class Body>
void parallel_blocks(const Context<Host>& ctx, std::int64_t blocks, Body&& body,
                     std::int64_t work = least_shared_work / 2) {
  detail::LoopEnd loop_end(ctx);
  ctx.poll();
#pragma omp parallel for schedule(dynamic, 1) num_threads(ctx.threads()) if (is_shared(ctx, blocks, work))
  for (std::int64_t block = 0; block < blocks; ++block) {
    if (!loop_end.has_come()) {
      body(block);
    }
  }
  loop_end.rethrow();
}

/// Calls body(block, begin, end) for the blocks [begin, end) of `size` elements that make up [0, n), neighbours on the
/// same thread. Blocks do not depend on the threads, so neither do the bits of what is computed block by block.
/// @param work  of an element
template <class Body>
void parallel_fixed_blocks(const Context<Host>& ctx, std::int64_t n, std::int64_t size, Body&& body,
                           std::int64_t work = row_work) {
  parallel_for(
      ctx, (n + size - 1) / size,
      [&](std::int64_t block) { body(block, block * size, std::min(n, (block + 1) * size)); },
      std::min(n, size) * work);
}

/// Joins the values map(begin, end) of fixed blocks of [0, n) from left to right, value = combine(value, block's),
/// beginning with `initial`: the same bits for any number of threads.
template <class Value, class Map, class Combine>
Value parallel_reduce(Context<Host>& ctx, std::int64_t n, Value initial, Map&& map, Combine&& combine) {
  WorkspaceScope<Host> scope(ctx.workspace());
  const auto values = scope.take<Value>(static_cast<std::size_t>(reduction_blocks(n)));
  parallel_fixed_blocks(ctx, n, reduction_block, [&](std::int64_t block, std::int64_t begin, std::int64_t end) {
    values[static_cast<std::size_t>(block)] = map(begin, end);
  });
  Value result = initial;
  for (const Value& value : values) {
    result = combine(result, value);
  }
  return result;
}

}  // namespace amgsolve
