#include "core/parallel_host.hpp"

#include <pthread.h>
#include <sys/stat.h>

namespace amgsolve {
namespace {

/// Whether the process has no other thread, which its links in /proc tell: two, and one for each thread.
bool is_alone() {
  struct stat threads {};
  return stat("/proc/self/task", &threads) == 0 && threads.st_nlink == 3;
}

/// What is_alone() said before the last fork.
std::atomic<bool> was_alone = true;

/// In a child of a process that had several threads, of which a fork copies the calling one alone. GNU's OpenMP would
/// wait for ever for the others, whoever has shared work with them.
std::atomic<bool> has_lost_threads = false;

/// From the beginning of the program, or the loading of the library: a fork may come before any work.
const bool is_watching = pthread_atfork([] { was_alone = is_alone(); }, nullptr,
                                        [] { has_lost_threads = has_lost_threads || !was_alone; }) == 0;

}  // namespace

int threads_at_work(const Context<Host>& ctx) {
  return has_lost_threads.load(std::memory_order_relaxed) ? 1 : ctx.threads();
}

bool is_shared(const Context<Host>& ctx, std::int64_t n, std::int64_t work) {
  return n > 1 && ctx.threads() > 1 && n >= least_shared_work / std::max(work, std::int64_t{1}) && is_watching &&
         !has_lost_threads.load(std::memory_order_relaxed);
}

}  // namespace amgsolve
