#include "src/application/signals.hpp"

#include <atomic>
#include <csignal>

namespace amgsolve {
namespace {

std::atomic<bool> asked = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void set_handler(void (*handler)(int), void (*in_place_of)(int)) {
  for (const int number : {SIGINT, SIGTERM}) {
    struct sigaction action {};
    if (::sigaction(number, nullptr, &action) == 0 && action.sa_handler == in_place_of) {
      action = {};
      // One at a time, so that the second finds what the first one set.
      ::sigaddset(&action.sa_mask, SIGINT);
      ::sigaddset(&action.sa_mask, SIGTERM);
      action.sa_handler = handler;  // without SA_RESTART: whoever waits for a pipe must hear of it
      ::sigaction(number, &action, nullptr);
    }
  }
}

void ask(int number) {
  if (asked.exchange(true)) {  // by a signal that another thread took at the same moment
    std::signal(number, SIG_DFL);
    std::raise(number);
    return;
  }
  set_handler(SIG_DFL, ask);
}

}  // namespace

SignalHandlers::SignalHandlers() {
  asked = false;
  set_handler(ask, SIG_DFL);
  std::signal(SIGPIPE, SIG_IGN);
}

SignalHandlers::~SignalHandlers() { set_handler(SIG_DFL, ask); }

bool SignalHandlers::asked_to_stop() { return asked; }

}  // namespace amgsolve
