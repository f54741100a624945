#pragma once

#include <sys/prctl.h>
#include <unistd.h>

namespace amgsolve::reference {

/// While it lives, a process of root's is nobody's, whom permissions hold; any other stays what it is. Where the system
/// does not let it, it stays root's: geteuid() is 0.
class Unprivileged {
 public:
  Unprivileged() {
    constexpr uid_t nobody = 65534;
    is_changed_ = ::geteuid() == 0 && ::setresuid(nobody, nobody, 0) == 0;
  }
  ~Unprivileged() {
    if (is_changed_) {
      static_cast<void>(!::setresuid(0, 0, 0));
      ::prctl(PR_SET_DUMPABLE, 1);  // which sanitizers need, and the change takes
    }
  }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;

 private:
  bool is_changed_ = false;
};

}  // namespace amgsolve::reference
