#include "core/parallel_host.hpp"

#include <pthread.h>

namespace amgsolve {
namespace {

/// In a child of a process that had shared work, of which a fork copies the calling thread alone.
std::atomic<bool> has_lost_threads = false;

/// Whether there are threads to share work with. GNU's OpenMP would wait for ever for those that a fork has left
/// behind.
bool has_threads() {
  static const int is_watching =
      pthread_atfork(nullptr, nullptr, [] { has_lost_threads.store(true, std::memory_order_relaxed); });
  return is_watching == 0 && !has_lost_threads.load(std::memory_order_relaxed);
}

}  // namespace

int threads_at_work(const Context<Host>& ctx) {
  return has_lost_threads.load(std::memory_order_relaxed) ? 1 : ctx.threads();
}

bool is_shared(const Context<Host>& ctx, std::int64_t n, std::int64_t work) {
  return n > 1 && ctx.threads() > 1 && n >= least_shared_work / std::max(work, std::int64_t{1}) && has_threads();
}

}  // namespace amgsolve
